"""Shared by `real-vllm.py` and `real-sglang.py`: stand-ins for what a server's parsers import and do not use, answers, cuts
of them at token borders, and the table of what parsers make of them."""

import importlib.abc
import importlib.machinery
import json
import pathlib
import re
import sys
import time
import types
from collections import Counter


class Absent(type):
    """A class that can be called, read, indexed and compared, and says nothing."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return absent(name)

    def __or__(cls, other):
        return cls

    __ror__ = __getitem__ = __or__

    def __iter__(cls):
        return iter(())

    def __ge__(cls, other):
        return True

    def __lt__(cls, other):
        return False


def absent(name):
    def core_schema(cls, source, handler):
        from pydantic_core import core_schema

        return core_schema.any_schema()

    def read(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return absent(name)()

    return Absent(
        name,
        (),
        {
            "__init__": lambda self, *args, **kwargs: None,
            "__call__": lambda self, *args, **kwargs: args[0] if args and callable(args[0]) else self,
            "__getattr__": read,
            "__getitem__": lambda self, key: self,
            "__iter__": lambda self: iter(()),
            "__bool__": lambda self: False,
            "__enter__": lambda self: self,
            "__exit__": lambda self, *raised: False,
            "__get_pydantic_core_schema__": classmethod(core_schema),
        },
    )


class AbsentModule(types.ModuleType):
    __path__ = []
    __version__ = "2.14.0"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = absent(name)
        setattr(self, name, value)
        return value


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path, target=None):
        if any(name == part or name.startswith(part + ".") for part in self.names):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return AbsentModule(spec.name)

    def exec_module(self, module):
        pass


def install(folder, package, names):
    """A server's package in `folder`, without what its own `__init__` does: that imports torch. `names` are absent."""
    sys.meta_path.insert(0, Finder(names.split()))
    module = AbsentModule(package)
    module.__path__ = [f"{folder}/{package}"]
    sys.modules[package] = module


class Tokenizer:
    """The tokenizer knows markers as tokens, and makes no text of ids."""

    all_special_tokens = all_special_ids = []
    names = (
        "<think> </think> <tool_call> </tool_call> <arg_key> </arg_key> <arg_value> </arg_value> "
        "<|tool_calls_section_begin|> <|tool_calls_section_end|> <|tool_call_begin|> <|tool_call_argument_begin|> "
        "<|tool_call_end|> <｜tool▁calls▁begin｜> <｜tool▁calls▁end｜> <｜tool▁call▁begin｜> <｜tool▁sep｜> <｜tool▁call▁end｜>"
    ).split()
    tokens = {name: number for number, name in enumerate(names)}

    def get_vocab(self):
        return self.tokens

    def convert_tokens_to_ids(self, token):
        return self.tokens.get(token)

    def encode(self, text, **options):
        return [self.tokens[text]] if text in self.tokens else [99 for _ in text]

    def decode(self, ids, **options):
        return "".join(self.names[number] if number < len(self.names) else "." for number in ids)


TOOL = {"type": "object", "properties": {"path": {"type": "string"}, "content": {"type": "string"}}}
TOOLS = [{"type": "function", "function": {"name": "write_file", "parameters": TOOL}}]
PLAIN = {"path": "a.rs", "content": "fn main() {}"}
QUOTED = {"path": "b.md", "content": "It ends with </tool_call> here."}
MARKER = re.compile(r"(<[|/]?[\w|▁｜]+>|</\w+>)")


def chunks_of(text, size, step):
    """Tokens of `size` characters, markers whole, `step` of them at a time."""
    tokens = []
    for part in MARKER.split(text):
        tokens += [part] if MARKER.fullmatch(part) else [part[at : at + size] for at in range(0, len(part), size)]
    tokens = [token for token in tokens if token]
    return [tokens[at : at + step] for at in range(0, len(tokens), step)]


def shown(answer):
    """An answer, without the white space around its parts and in its JSON, its keys in order."""
    reasoning, content, calls = answer

    def value(arguments):
        try:
            return json.loads(arguments)
        except ValueError:
            return arguments

    return json.dumps([reasoning.strip(), content.strip(), [[name, value(given)] for name, given in calls]], sort_keys=True)


HEAD = """\
| answer and parsers | results over cuts | of them right | whole answer right | µs a chunk of 16 KB |
|---|---|---|---|---|"""


def answers(dialect):
    """Two answers of reasoning and two calls, as the dialect has them, and what they are: the second is harder."""
    import toolstream_rs

    parser = toolstream_rs.Parser(dialect, TOOLS, tool_limit=None)
    for kind, second in [("two calls", PLAIN), ("a value quotes `</tool_call>`", QUOTED)]:
        calls = [PLAIN, second]
        text = "<think>Hm.</think>" + "\n".join(parser.render_call("write_file", call) for call in calls)
        yield kind, text, shown(("Hm.", "", [["write_file", json.dumps(call)] for call in calls]))


def over_cuts(streamed, text):
    """How often each answer comes out of a text, over the cuts."""
    results = Counter()
    for size in (1, 3, 4, 8):
        for step in (1, 2, 4, 10, len(text)):
            results[said(streamed, chunks_of(text, size, step))] += 1
    return results


def said(read, text, form=shown):
    try:
        return form(read(text))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def every_dialect(streamed, whole):
    """A line: in which dialects one call is read right over all cuts, and whole. `streamed` and `whole` are asked by the name
    of the dialect."""
    import toolstream_rs

    wrong = []
    for name in toolstream_rs.dialects():
        text = toolstream_rs.Parser(name, TOOLS).render_call("write_file", PLAIN)
        wanted = shown(("", "", [["write_file", json.dumps(PLAIN)]]))
        if {*over_cuts(streamed(name), text), said(whole(name), text)} != {wanted}:
            wrong.append(name)
    print(f"A call, streamed and whole, is right in {len(toolstream_rs.dialects()) - len(wrong)} dialects; not in: {wrong}.\n")


PROJECT = pathlib.Path(__file__).parents[3]


def plain_vectors():
    """The vectors that are whole and well-formed answers, each with its tools as a request has them. Not those that need
    an option or the limit on calls: a server has none."""
    plain = {*(PROJECT / "conformance/plain.txt").read_text().split()}
    for file in sorted((PROJECT / "tests/vectors").glob("*.jsonl")):
        for line in file.read_text().splitlines():
            vector = json.loads(line) if line.strip() else {}
            if vector.get("id") in plain and "+" not in vector["dialect"] and not needs_option(vector):
                yield vector, [{"type": "function", "function": tool} for tool in vector.get("tools", [])]


def needs_option(vector):
    limited = vector["expect"].get("finish") == "tool_limit_reached"
    return limited or any(key != "tool_limit" for key in vector.get("config") or {})


def plainly(answer):
    """An answer with each run of white space in its text as one blank."""
    reasoning, content, calls = answer
    return shown((" ".join(reasoning.split()), " ".join(content.split()), calls))


def every_vector(reads):
    """A line: which vectors are read right, whole and over all cuts. `reads` gives, for a dialect and tools, what reads
    chunks and what reads a text."""
    right, wrong = 0, []
    for vector, tools in plain_vectors():
        streamed, whole = reads(vector["dialect"], tools)
        expected = vector["expect"]
        calls = [[call["name"], json.dumps(call["arguments"])] for call in expected.get("calls", [])]
        wanted = plainly((expected.get("reasoning", ""), expected.get("text", ""), calls))
        found = {said(whole, vector["input"], plainly)}
        for size in (1, 3, 4, 8):
            for step in (1, 2, 4, len(vector["input"])):
                found.add(said(streamed, chunks_of(vector["input"], size, step), plainly))
        if found == {wanted}:
            right += 1
        else:
            wrong.append(vector["id"])
    print(f"Of {right + len(wrong)} plain vectors {right} are right, whole and over 16 cuts; not: {wrong}.\n")


def report(label, streamed, whole, text, wanted):
    """A row: what `streamed` makes of chunks of tokens, and `whole` of the text."""
    results, at_once = over_cuts(streamed, text), said(whole, text)
    long = chunks_of(text.replace("fn main() {}", "fn main() {} " * 1200), 4, 1)
    took = []
    for _ in range(3):
        began = time.thread_time()
        streamed(long)
        took.append((time.thread_time() - began) / len(long) * 1e6)
    right = f"{results[wanted]} of {results.total()}"
    print(f"| {label} | {len(results)} | {right} | {'yes' if at_once == wanted else 'no'} | {min(took):.1f} |", flush=True)
