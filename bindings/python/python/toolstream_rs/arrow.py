"""Columns of what models wrote, for Ray Data, Polars, DuckDB, DataFusion and whatever else speaks Arrow.

It needs a package of its own, `toolstream-rs-arrow`, because Arrow is large.
"""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec

from ._toolstream import Parser

try:
    import toolstream_rs_arrow as _compiled  # pyright: ignore
    from toolstream_rs_arrow import Parsed, ParsedType, parsed_type  # pyright: ignore
except ImportError as error:
    raise ImportError(f"toolstream_rs.arrow needs the package toolstream-rs-arrow: pip install toolstream-rs-arrow ({error})") from None

__all__ = ["Parsed", "ParsedType", "parse_column", "parsed_type"]

_P = ParamSpec("_P")
_Function = Callable[..., Parsed]


def _configured_as(parser: Callable[_P, Parser]) -> Callable[[_Function], Callable[Concatenate[Any, _P], Parsed]]:
    """For type checkers: a function that takes what a parser takes, behind a first argument."""
    return lambda function: function


@_configured_as(Parser)
def parse_column(column: Any, dialect: Any, tools: Any = None, **options: Any) -> Parsed:
    """Reads each text of a column, and gives a struct for each, in order; for a null, null.

    `column`: texts or bytes, of any library whose arrays speak Arrow. `dialect`, `tools` and the options are those of
    `Parser`, but for `limit_by`. The structs are those of `toolstream_rs_arrow.parse_column`.

    It runs without the GIL. ValueError where the configuration makes no sense or the column holds no text, TypeError
    where it is no column.
    """
    if options.pop("limit_by", None) is not None:
        raise ValueError("a column is read without Python, so `limit_by` cannot be asked: give `tool_limit` or `chaining_tools`")
    # The parser reads tools of all kinds, and reports mistakes in words for Python.
    parser = Parser(dialect, tools, **options)
    return _compiled.parse_column(column, parser.dialect, parser.tools, **parser.options)
