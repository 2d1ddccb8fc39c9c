import sys
import types

import pytest
from stand_in import StructuralTag


@pytest.fixture
def xgrammar(monkeypatch):
    """A stand-in for xgrammar."""
    module = types.ModuleType("xgrammar")
    module.StructuralTag = StructuralTag
    monkeypatch.setitem(sys.modules, "xgrammar", module)
