"""Columns of what models wrote, for Ray Data, Polars, DuckDB, DataFusion and whatever else speaks Arrow.

`parse_column` comes with a package of its own, which is ten times as large as this one.
"""

try:
    from toolstream_rs_arrow import Parsed, parse_column  # pyright: ignore
except ImportError as error:
    raise ImportError(f"toolstream_rs.arrow needs the package toolstream-rs-arrow: pip install ./bindings/arrow ({error})") from None

__all__ = ["Parsed", "parse_column"]
