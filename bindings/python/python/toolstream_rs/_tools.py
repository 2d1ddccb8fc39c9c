"""Declarations of tools, made of what Python programs have: models, functions, objects of SDKs."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

_TAKEN = "a dict, a pydantic model, a dataclass, a function with annotations, or an object of MCP or of an SDK"


def declarations(tools: Any) -> list[Any]:
    """The declarations of these tools as dicts. An answer to MCP's `tools/list` stands for the tools in it."""
    if isinstance(tools, Mapping):
        tools = tools.get("tools")
        if tools is None:
            raise TypeError('tools must be a list of tools, or a dict with such a list under "tools"')
    elif isinstance(getattr(tools, "tools", None), Iterable):
        tools = tools.tools
    if isinstance(tools, (str, bytes)) or not isinstance(tools, Iterable):
        raise TypeError(f"tools must be a list of tools, not {_kind(tools)}")
    return [_declaration(tool, f"tools[{at}]") for at, tool in enumerate(tools)]


def _declaration(tool: Any, place: str) -> dict[str, Any]:
    if isinstance(tool, Mapping):
        return dict(tool)
    if isinstance(tool, type) or inspect.isroutine(tool):
        return _of_annotations(tool, place)
    if hasattr(tool, "model_dump"):
        # A tool of MCP, or of a server's or provider's SDK.
        declared: dict[str, Any] = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
        return declared
    raise TypeError(f"{place} must be {_TAKEN}, not {_kind(tool)}")


def _of_annotations(tool: Any, place: str) -> dict[str, Any]:
    """The tool whose arguments are the fields of a class or the parameters of a function."""
    try:
        from pydantic import PydanticSchemaGenerationError, PydanticUserError, TypeAdapter
    except ImportError:
        words = "a tool from a class or a function needs pydantic: pip install 'toolstream-rs[pydantic]'"
        raise ImportError(f"{place}: {words}") from None
    try:
        schema: dict[str, Any] = TypeAdapter(tool).json_schema()
    except (PydanticSchemaGenerationError, PydanticUserError) as error:
        raise TypeError(f"{place}: the annotations of {tool.__name__} make no JSON Schema: {error}") from error
    if schema.get("type") != "object":
        raise TypeError(f"{place}: {tool.__name__} has no named parameters, but the arguments of a call are an object")
    description = schema.pop("description", None) or inspect.getdoc(tool) or ""
    schema.pop("title", None)
    # A dataclass without a docstring has its own signature for one.
    if description.startswith(f"{tool.__name__}("):
        description = ""
    return {"name": tool.__name__, "description": description, "parameters": schema}


def _kind(value: Any) -> str:
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
