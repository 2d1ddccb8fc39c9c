"""Every block of the README is run, where what it imports is installed."""

import pathlib
import re

import pytest

README = pathlib.Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.M | re.S)


@pytest.mark.parametrize("block", BLOCKS)
def test_block(block, capsys):
    for name in re.findall(r"^(?:import|from) (\w+)", block, re.M):
        pytest.importorskip(name)
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
    if block == BLOCKS[0]:
        assert capsys.readouterr().out == "[('read', '{\"path\": \"a.rs\"}', 'complete')]\nNone\n"
