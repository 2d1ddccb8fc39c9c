"""xgrammar reads structural tags; main.rs calls this.

Reads a JSON list of {"tag", "written", "broken", "snippets", "begins", "texts"} from stdin. For each it writes
{"error"}, or three lists: the written calls that it refuses ("refused"), the broken calls that it allows ("allowed"), and
texts that it allows, drawn at random ("drawn").

xgrammar imports torch and transformers, for token masks and tokenizers. Nothing here uses them, and something
empty takes the place of transformers, and of torch where it is missing: `pip install --no-deps xgrammar` and
`pip install apache-tvm-ffi numpy pydantic` are enough. A transformers that is here would look for torch.
"""

import importlib.util
import json
import random
import sys
from unittest.mock import MagicMock

import tvm_ffi  # noqa: F401 (looks for torch by itself: before that is replaced)

sys.modules["transformers"] = MagicMock()
if importlib.util.find_spec("torch") is None:
    sys.modules["torch"] = MagicMock()

import xgrammar  # noqa: E402

BYTES = [bytes([byte]) for byte in range(256)]
VOCABULARY = xgrammar.TokenizerInfo(
    BYTES + [b"<end>"], vocab_type=xgrammar.VocabType.RAW, stop_token_ids=[len(BYTES)]
)
COMPILER = xgrammar.GrammarCompiler(VOCABULARY, max_threads=1)


def take(matcher, text):
    """The longest beginning of the text that is allowed."""
    for at, character in enumerate(text):
        if not matcher.accept_string(character):
            return text[:at]
    return text


def allows(grammar, text):
    matcher = xgrammar.GrammarMatcher(grammar)
    return take(matcher, text) == text and matcher.is_completed()


def draw(grammar, case):
    """A text that the grammar allows, if one came to an end. Most begin with a part of what it may be."""
    matcher = xgrammar.GrammarMatcher(grammar)
    least = random.randrange(300)
    call = random.choice(case["begins"])
    text = take(matcher, call[: random.randrange(len(call) * 4 // 3)])
    for _ in range(600):
        if len(text) >= least and matcher.is_completed():
            return text
        taken = take(matcher, random.choice(case["snippets"]))
        if not taken:
            # Within a marker no snippet goes on, but the rest of a call may.
            call = random.choice(case["begins"])
            taken = take(matcher, call[random.randrange(len(call)) :])
        text += taken
    return text if matcher.is_completed() else None


def check(case):
    random.seed(1)
    try:
        grammar = COMPILER.compile_structural_tag(case["tag"])
    except Exception as error:  # whatever it is, it is shown
        return {"error": f"{type(error).__name__}: {error}"}
    drawn = [draw(grammar, case) for _ in range(case["texts"])]
    return {
        "refused": [text for text in case["written"] if not allows(grammar, text)],
        "allowed": [text for text in case["broken"] if allows(grammar, text)],
        "drawn": [text for text in drawn if text is not None],
    }


json.dump([check(case) for case in json.load(sys.stdin)], sys.stdout)
