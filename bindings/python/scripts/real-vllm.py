"""The plugin in vLLM's own classes: prints what each parser makes of one answer, over many cuts at token borders.

    python bindings/python/scripts/real-vllm.py FOLDER

FOLDER is vLLM's wheel, unpacked (`pip download --no-deps vllm==0.33.0`, `unzip`): neither torch nor a GPU is needed, for what
vLLM's parsers import and do not use is replaced by a stand-in. Beside toolstream they do need fastapi, jsonschema,
mistral-common, msgspec, openai, openai-harmony, partial-json-parser, prometheus-client, psutil, py-cpuinfo, pydantic-settings, regex,
transformers, xgrammar and some smaller ones, which their absence names.
"""

import importlib.abc
import importlib.machinery
import json
import re
import sys
import time
import types
from collections import Counter

# What vLLM's parsers import and never use.
ABSENT = (
    "torch triton zmq cv2 blake3 diskcache compressed_tensors uvloop einops depyf setproctitle ijson cbor2 lark gguf "
    "lmformatenforcer outlines_core llguidance opentelemetry mcp aiohttp watchfiles scipy numba pythonjsonlogger "
    "prometheus_fastapi_instrumentator model_hosting_container_standards vllm._C vllm.distributed "
    "vllm.model_executor vllm.platforms vllm.config.quantization vllm.triton_utils"
).split()


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
    def find_spec(self, name, path, target=None):
        if any(name == part or name.startswith(part + ".") for part in ABSENT):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return AbsentModule(spec.name)

    def exec_module(self, module):
        pass


def install(folder):
    """vLLM, without what its own `__init__` does: that imports torch."""
    sys.meta_path.insert(0, Finder())
    package = AbsentModule("vllm")
    package.__path__ = [f"{folder}/vllm"]
    sys.modules["vllm"] = package


class Tokenizer:
    """It knows markers as tokens, and makes no text of ids."""

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
# Ours beside theirs: tool parser, reasoning parser.
PAIRS = [
    ("hermes", "hermes", "qwen3"),
    ("qwen3-coder", "qwen3_coder", "qwen3"),
    ("kimi-k2", "kimi_k2", "kimi_k2"),
    ("glm", "glm45", "glm45"),
]
MARKER = re.compile(r"(<[|/]?[\w|▁｜]+>|</\w+>)")


def chunks_of(text, size, step):
    """Tokens of `size` characters, markers whole, `step` of them at a time."""
    tokens = []
    for part in MARKER.split(text):
        tokens += [part] if MARKER.fullmatch(part) else [part[at : at + size] for at in range(0, len(part), size)]
    tokens = [token for token in tokens if token]
    return [tokens[at : at + step] for at in range(0, len(tokens), step)]


def streamed(made, request, chunks):
    parser = made(Tokenizer(), request.tools)
    content, reasoning, calls = "", "", {}
    for number, chunk in enumerate(chunks):
        ids = [part for token in chunk for part in Tokenizer().encode(token)]
        said = parser.parse_delta("".join(chunk), ids, request, prompt_token_ids=[99], finished=number == len(chunks) - 1)
        if said is None:
            continue
        content += said.content or ""
        reasoning += said.reasoning or ""
        for call in said.tool_calls or []:
            known = calls.setdefault(call.index, ["", ""])
            if call.function:
                known[0] += call.function.name or ""
                known[1] += call.function.arguments or ""
    return reasoning, content, list(calls.values())


def whole(made, request, text):
    ids = [number for chunk in chunks_of(text, 4, 1) for token in chunk for number in Tokenizer().encode(token)]
    parser = made(Tokenizer(), request.tools)
    reasoning, content, calls = parser.parse(text, request, enable_auto_tools=True, model_output_token_ids=ids)
    return reasoning or "", content or "", [[call.name, call.arguments] for call in calls or []]


def shown(answer):
    """An answer, without the white space around its parts and in its JSON."""
    reasoning, content, calls = answer

    def value(arguments):
        try:
            return json.loads(arguments)
        except ValueError:
            return arguments

    return json.dumps([reasoning.strip(), content.strip(), [[name, value(given)] for name, given in calls]])


def report(label, made, request, text, wanted):
    results = Counter()
    for size in (1, 3, 4, 8):
        for step in (1, 2, 4, 10, len(text)):
            try:
                results[shown(streamed(made, request, chunks_of(text, size, step)))] += 1
            except Exception as error:
                results[f"{type(error).__name__}: {error}"] += 1
    try:
        at_once = shown(whole(made, request, text))
    except Exception as error:
        at_once = f"{type(error).__name__}: {error}"
    long = chunks_of(text.replace("fn main() {}", "fn main() {} " * 1200), 4, 1)
    took = []
    for _ in range(3):
        began = time.thread_time()
        streamed(made, request, long)
        took.append((time.thread_time() - began) / len(long) * 1e6)
    right = f"{results[wanted]} of {results.total()}"
    print(f"| {label} | {len(results)} | {right} | {'yes' if at_once == wanted else 'no'} | {min(took):.1f} |", flush=True)


def main(folder):
    install(folder)
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
    from vllm.parser.parser_manager import ParserManager
    from vllm.reasoning.abs_reasoning_parsers import ReasoningParserManager
    from vllm.tool_parsers.abstract_tool_parser import ToolParserManager

    import toolstream

    ToolParserManager.import_tool_parser("toolstream.vllm")
    ReasoningParserManager.import_reasoning_parser("toolstream.vllm")

    def parser(tools, reasoning):
        return ParserManager.get_parser(
            tool_parser_name=tools, reasoning_parser_name=reasoning, enable_auto_tools=True, tokenizer=Tokenizer()
        )

    request = ChatCompletionRequest(model="m", messages=[{"role": "user", "content": "?"}], tools=TOOLS, stream=True)
    for name in toolstream.dialects():
        parser(f"toolstream_{name}", f"toolstream_{name}")
    print(f"{len(toolstream.dialects())} dialects construct at vLLM's start.\n")

    forced = 0
    for name in toolstream.dialects():
        asked = request.model_copy(update={"tool_choice": "required", "structured_outputs": None})
        made = parser(f"toolstream_{name}", f"toolstream_{name}")(Tokenizer(), asked.tools)
        forced += made.adjust_request(asked).structured_outputs is not None
    print(f"A call can be forced in {forced} of them: xgrammar's `StructuralTag` takes their grammars.\n")

    print("| answer and parsers | results over cuts | of them right | whole answer right | µs a chunk of 16 KB |")
    print("|---|---|---|---|---|")
    for ours, tools, reasoning in PAIRS:
        written = toolstream.Parser(ours, TOOLS, tool_limit=None)
        for kind, second in [("two calls", PLAIN), ("a value quotes `</tool_call>`", QUOTED)]:
            calls = [PLAIN, second]
            text = "<think>Hm.</think>" + "\n".join(written.render_call("write_file", call) for call in calls)
            wanted = shown(("Hm.", "", [["write_file", json.dumps(call)] for call in calls]))
            named = f"toolstream_{ours}"
            report(f"`{ours}`, {kind}: toolstream", parser(named, named), request, text, wanted)
            try:
                report(f"`{tools}` and `{reasoning}` of vLLM", parser(tools, reasoning), request, text, wanted)
            except Exception as error:
                print(f"| `{tools}` of vLLM | not constructed: {str(error)[:80]} | | | |")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
