"""`Call.parse`: the arguments of a call as an object of a host's own class."""

from __future__ import annotations

import dataclasses
import types
from enum import Enum
from typing import Any, Union, get_args, get_origin, get_type_hints


def parse(arguments: dict[str, Any], model: Any) -> Any:
    if hasattr(model, "model_validate"):
        return model.model_validate(arguments)
    if hasattr(model, "__pydantic_validator__"):
        # A dataclass of pydantic's own.
        from pydantic import TypeAdapter

        return TypeAdapter(model).validate_python(arguments)
    if dataclasses.is_dataclass(model) and isinstance(model, type):
        return _fields(model, arguments)
    name = getattr(model, "__name__", type(model).__name__)
    raise TypeError(f"a pydantic model or a dataclass is needed, not {name}")


def _fields(model: Any, arguments: dict[str, Any]) -> Any:
    hints = get_type_hints(model)
    fields = {field.name: field for field in dataclasses.fields(model) if field.init}
    for name in arguments:
        if name not in fields:
            raise ValueError(f"{model.__name__} has no field `{name}`: its fields are {', '.join(fields)}")
    missing = dataclasses.MISSING
    for name, field in fields.items():
        if name not in arguments and field.default is missing and field.default_factory is missing:
            raise ValueError(f"`{name}` of {model.__name__} is missing")
    return model(**{name: _value(hints[name], value) for name, value in arguments.items()})


def _value(kind: Any, value: Any) -> Any:
    """A value as its field has it: objects of other dataclasses and of enums are made, all else stays as it is."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        kinds = [kind for kind in inner if kind is not type(None)]
        return _value(kinds[0], value) if len(kinds) == 1 and value is not None else value
    if origin is list and isinstance(value, list):
        return [_value(inner[0], item) for item in value]
    if origin is dict and isinstance(value, dict):
        return {key: _value(inner[1], item) for key, item in value.items()}
    if dataclasses.is_dataclass(kind) and isinstance(value, dict):
        return _fields(kind, value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    return value
