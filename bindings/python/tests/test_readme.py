"""Every block of the README is run, and its types are checked."""

import pathlib
import re

import pytest

README = pathlib.Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.M | re.S)


@pytest.mark.parametrize("block", BLOCKS)
def test_block(block, capsys):
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
    if block == BLOCKS[0]:
        assert capsys.readouterr().out == "I look.\nread_file {'path': 'a.rs'}\n"


@pytest.mark.parametrize("block", BLOCKS)
def test_types(block, tmp_path):
    api = pytest.importorskip("mypy.api")
    (tmp_path / "block.py").write_text(block)
    out, _, failed = api.run(["--strict", str(tmp_path / "block.py")])
    assert not failed, out
