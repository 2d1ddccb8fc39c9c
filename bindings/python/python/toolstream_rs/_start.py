from enum import Enum

from ._toolstream import start_of_prompt


class Start(str, Enum):
    """Start of a stream: `Parser(dialect, tools, start=Start.of_prompt(prompt))`."""

    TEXT = "text"
    REASONING = "reasoning"
    """The prompt left a reasoning block open."""

    @staticmethod
    def of_prompt(end_of_prompt: str) -> "Start":
        """Start of a stream whose rendered prompt ends like this. The last 200 characters are enough."""
        return Start(start_of_prompt(end_of_prompt))
