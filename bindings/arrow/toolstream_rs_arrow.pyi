"""Arrow columns of what language models wrote, parsed."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, final

__version__: Final[str]

class _Array(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _Stream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Parsed:
    """A column of structs, for every library that takes Arrow: `pyarrow.array(parsed)`, `polars.Series(parsed)`."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """The column as Arrow's C data interface has it."""
    def __arrow_c_schema__(self) -> object:
        """Its type, which is the same for every column."""
    def __len__(self) -> int: ...

@final
class ParsedType:
    """The type of every parsed column, for every library that takes Arrow: `pyarrow.field(parsed_type()).type`."""

    def __arrow_c_schema__(self) -> object:
        """The type as Arrow's C data interface has it."""

def parsed_type() -> ParsedType:
    """The type of every parsed column, for an engine that asks for it before there are data."""

def parse_column(
    column: _Array | _Stream,
    dialect: str | Mapping[str, Any],
    tools: Sequence[Mapping[str, Any]] | None = None,
    **options: Any,
) -> Parsed:
    """Reads each text of a column, and gives a struct for each, in order; for a null, null.

    `column`: texts or bytes, of any library whose arrays speak Arrow. `dialect`, `tools` and the options are those of
    `toolstream_rs.Parser`, as JSON has them: tools are dicts. (`toolstream_rs.arrow.parse_column` takes all that a
    `Parser` takes.) There is no limit of calls unless `tool_limit` says one. The structs are

    * `text`, `reasoning`: string
    * `calls`: a list of structs, in order
        * `name`: string
        * `arguments`: string, a JSON object, typed by the tool's schema; of a call that may not run, what was closed
        * `status`: "complete": it may run; "incomplete": it may not
        * `reason`: why it may not: "cut", "broken", "malformed_arguments", "missing_arguments", "type_mismatch", or null
        * `id`: the wire's own, or null
        * `start`, `end`: where it stands, in bytes of UTF-8
    * `finish`: "stop", "tool_use", "truncated" or "tool_limit_reached"
    * `diagnostics`: a list of structs `kind`, `at` (bytes), `call` (its number in the message, or null)

    It runs without the GIL. ValueError where the configuration makes no sense or the column holds no text, TypeError
    where it is no column.
    """
