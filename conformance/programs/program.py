"""The parts that the Python programs share: a line in, a line out."""

import importlib.util
import json
import os
import re
import sys
from pathlib import Path

# A text that a tokenizer would have as one token, as in `run.py`.
TOKEN = re.compile(r"(<[|/]?[\w|▁｜:.-]+[|]?>|\[/?[A-Z_]+\])")
# Dialects whose parsers of reasoning also mark the text: these parsers always run.
CHANNELS = "harmony muse beam inkling".split()
# A sign of reasoning, or of marked text.
REASONS = re.compile("think|thought|<\\|START_(TEXT|RESPONSE)|<\\|open\\|>response", re.IGNORECASE)


def real_server(name):
    """The script that drives a server's own classes, beside the package that plugs into them: it reads here, too."""
    scripts = Path(__file__).parents[2] / "bindings/python/scripts"
    sys.path.insert(0, str(scripts))
    spec = importlib.util.spec_from_file_location(f"real_{name}", scripts / f"real-{name}.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def as_reasons(dialect, text):
    """Whether a parser of reasoning is asked. Many take a text without a tag for reasoning that the prompt began: a server
    is then told that the model does not think."""
    return dialect in CHANNELS or bool(REASONS.search(text))


class Ids(dict):
    """The numbers of texts. Each marker is a token, whoever asks; what stands between two is one when it was seen."""

    def __init__(self):
        super().__init__()
        self.texts = []

    def __missing__(self, text):
        self[text] = len(self.texts)
        self.texts.append(text)
        return self[text]

    def get(self, text, default=None):
        return self[text] if text in self else default

    def __contains__(self, text):
        return super().__contains__(text) or bool(TOKEN.fullmatch(text))


class Vocabulary:
    """A tokenizer that has each marker as one token, and that has a token for what stands between two."""

    all_special_tokens = all_special_ids = ()
    vocab_size = 1 << 20
    eos_token_id = bos_token_id = -1

    def __init__(self, text=""):
        self.ids = Ids()
        self.encode(text)
        # Hunyuan's tokens have one, which its tokenizer names.
        suffix = re.search("<tool_calls(:[a-z]+)>", text)
        self.init_kwargs = {"token_suffix": suffix[1]} if suffix else {}

    def get_vocab(self):
        return self.ids

    def convert_tokens_to_ids(self, tokens):
        return self.ids[tokens] if isinstance(tokens, str) else [self.ids[token] for token in tokens]

    def encode(self, text, **options):
        return [self.ids[part] for part in TOKEN.split(text) if part]

    def decode(self, ids, **options):
        return "".join(self.ids.texts[number] for number in ([ids] if isinstance(ids, int) else ids))

    def convert_ids_to_tokens(self, ids, **options):
        return [self.ids.texts[number] for number in ids]


def thinking(parsers):
    """The dialects whose parser of reasoning is known."""
    return sorted(dialect for dialect, (_, reasoning) in parsers.items() if reasoning)


def serve(name, version, dialects, reasoning, read, cuts=("whole", "tokens", "characters")):
    """Answers questions until there are no more. `read(dialect, tools, chunks)` gives text, reasoning and
    `[[name, arguments], …]`; what it raises is the answer's error."""
    # The output of a parser must not become an answer.
    out, sys.stdout = os.fdopen(os.dup(1), "w"), sys.stderr
    os.dup2(2, 1)
    for line in sys.stdin:
        question = json.loads(line)
        if "hello" in question:
            about = {"name": name, "version": version, "dialects": sorted(dialects)}
            answer = {**about, "reasoning": reasoning, "cuts": list(cuts)}
        else:
            answer = answered(read, question)
        out.write(json.dumps(answer) + "\n")
        out.flush()


def answered(read, question):
    try:
        text, thought, calls = read(question["dialect"], as_functions(question["tools"]), question["chunks"])
    except Exception as error:  # whatever it is: the case is wrong, and `--wrong` shows it
        return {"error": f"{type(error).__name__}: {error}"}
    calls = [{"name": name, "arguments": arguments} for name, arguments in calls]
    return {"text": text or "", "reasoning": thought or "", "calls": calls}


def as_functions(tools):
    """The tools of a vector in OpenAI's shape, which every server takes."""
    return [tool if "function" in tool else {"type": "function", "function": tool} for tool in tools]
