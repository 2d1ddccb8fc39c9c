"""Whole streams, chunks of every kind, a stream that is over, threads, references; a call while it comes."""

import array
import asyncio
import copy
import gc
import json
import pickle
import threading
import time
import weakref

import pytest

from toolstream_rs import (
    Deltas,
    EventWriter,
    Message,
    Parser,
    PartialText,
    PartialValue,
    Reader,
    ReasoningSplitter,
    TextContent,
)

CALL = '<tool_call>{"name": "write", "arguments": {"path": "a.rs", "lines": [1, 22], "text": "fn ma\\n"}}</tool_call>'
ANSWER = "On it.\n" + CALL


def pieces(text, size=3):
    return [text[at : at + size] for at in range(0, len(text), size)]


def data(text):
    return {"choices": [{"delta": {"content": text}, "finish_reason": None}]}


def read(reader, chunks):
    return [event for chunk in chunks for event in reader.feed(chunk)] + reader.finish()


async def late(chunks):
    for chunk in chunks:
        await asyncio.sleep(0)
        yield chunk


async def collected(events):
    return [event async for event in events]


CASES = [(lambda: Parser("hermes"), pieces(ANSWER)), (lambda: Reader("openai-chat"), list(map(data, pieces(ANSWER))))]


@pytest.mark.parametrize("make, chunks", CASES)
def test_a_whole_stream(make, chunks):
    events = read(make(), chunks)
    reader = make()
    assert list(reader.stream(chunks)) == events and reader.finish() == []
    reader = make()
    assert asyncio.run(collected(reader.astream(late(chunks)))) == events and reader.finish() == []


@pytest.mark.parametrize("make, chunks", CASES)
def test_the_end_of_a_stream_is_left_to_the_host(make, chunks):
    for of in (
        lambda reader: list(reader.stream(chunks[:-3], finish=False)),
        lambda reader: asyncio.run(collected(reader.astream(late(chunks[:-3]), finish=False))),
    ):
        reader = make()
        of(reader)
        reader.feed(chunks[-3])
        reader.finish_cut()
        assert reader.message.finish == "truncated"


def test_events_come_with_their_chunks():
    parser, fed = Parser("hermes"), []

    def chunks():
        for chunk in pieces(ANSWER):
            fed.append(chunk)
            yield chunk

    assert next(parser.stream(chunks())) == TextContent("On ") and len(fed) == 1


def test_a_stream_that_fails_is_not_finished():
    def broken():
        yield "On it. <tool_c"
        raise ConnectionError

    parser = Parser("hermes")
    with pytest.raises(ConnectionError):
        list(parser.stream(broken()))
    assert parser.held == len("<tool_c")
    parser.finish_cut()
    assert parser.message.finish == "truncated"


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda data: array.array("B", data)])
def test_chunks_with_a_buffer(kind):
    chunks = [kind(chunk) for chunk in pieces("Größe: ".encode() + ANSWER.encode())]
    parser = Parser("hermes")
    assert read(parser, chunks) == read(Parser("hermes"), map(bytes, chunks))
    assert parser.message.text == "Größe: On it.\n"
    assert Parser("hermes").parse(kind(b"Hi")).text == "Hi"
    # Memory that is not in one piece.
    assert Parser("hermes").feed(memoryview(b"H.i.")[::2]) == [TextContent("Hi")]


def test_a_copy_of_a_stream_that_is_over_is_over():
    parser = Parser("hermes")
    parser.finish_cut()
    for over in (parser, copy.copy(parser)):
        with pytest.raises(RuntimeError, match=r"was finished and takes no more chunks: .* `fresh\(\)`"):
            over.feed("a")
    assert parser.fresh().feed("a") == [TextContent("a")]


TEXT = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
EVENT = {"choices": [{"delta": {"content": TEXT}}]}
# All that read the state of a stream: each is called while the stream is read.
READ_ON = {
    Parser: ["feed", "feed_special", "finish", "finish_cut", "partial_input", "partial_changes", "message", "position", "held", "__copy__"],
    Reader: ["feed", "finish", "finish_cut", "partial_input", "partial_changes", "message", "envelope"],
    Deltas: ["feed", "feed_special", "finish", "finish_cut", "message", "broken_calls", "broken", "has_calls", "is_cut"],
    EventWriter: ["feed", "feed_special", "finish", "finish_cut", "message", "broken_calls", "broken", "made_up_ids", "fail", "usage",
                  "content_type", "stop_reason"],
    ReasoningSplitter: ["feed", "finish", "is_over", "rest", "take_rest"],
}  # fmt: skip
ARGUMENTS = {"feed": ["a"], "feed_special": ["a"], "fail": ["a"], "usage": [1, 1]}


def made(of, ask):
    parser = Parser("hermes", limit_by=ask)
    return {
        Parser: lambda: parser,
        Reader: lambda: Reader("openai-chat", text_calls=parser),
        Deltas: lambda: Deltas(parser),
        EventWriter: lambda: EventWriter("anthropic", parser, "", ""),
        ReasoningSplitter: lambda: ReasoningSplitter(parser),
    }[of]()


@pytest.mark.parametrize("of, member", [(of, member) for of, members in READ_ON.items() for member in members])
def test_an_object_that_is_in_use_says_so(of, member):
    """The function that is asked for each call reads on, as another thread might: it is told so, in words."""
    said = []

    def ask(call):
        try:
            got = getattr(reader, member)
            said.append(got(*ARGUMENTS.get(member, [])) if callable(got) else got)
        except RuntimeError as error:
            said.append(str(error))

    reader = made(of, ask)
    reader.feed(EVENT if of is Reader else TEXT)
    name = of.__name__
    one = f"so give each thread a {name} of its own"
    assert set(said) == {f"this {name} is in use: one stream is read in one thread at a time, {one}"}


def test_the_configuration_of_an_object_in_use_can_be_read():
    """Methods that do not read the stream are for every thread."""
    said = []

    def ask(call):
        if len(said) < 1:
            said.append(True)
            said.append(parser.parse("a").text)
            said.append(parser.fresh().feed("a"))
            said.append(parser.explain("<tool_call>")[0].text)
            said.append((parser.dialect, parser.tools, parser.options, repr(parser), parser.system_prompt()))
            said.append(Deltas(parser).feed("b")[0].text + Reader("gemini", text_calls=parser).message.text)
            said.append(reader.fresh().message.text)

    parser = Parser("hermes", limit_by=ask)
    reader = Reader("openai-chat", text_calls=parser)
    parser.feed(TEXT)
    assert said == [True, "a", [TextContent("a")], "<tool_call>", ("hermes", [], {}, "<Parser hermes []>", ""), "b", ""]


def test_an_object_is_for_one_thread():
    """The errors of other threads are told in words, too: a long chunk is read without the GIL."""
    parser, started, stop, said = Parser("hermes"), threading.Event(), threading.Event(), []

    def feed():
        while not stop.is_set():
            try:
                parser.feed("some text " * 200_000)
            except RuntimeError:
                pass
            started.set()

    thread = threading.Thread(target=feed)
    thread.start()
    started.wait()
    end = time.monotonic() + 20
    while not said and time.monotonic() < end:
        try:
            parser.feed("a")
        except RuntimeError as error:
            said.append(str(error))
    stop.set()
    thread.join()
    assert said and said[0].startswith("this Parser is in use: ")


def test_weak_references():
    parser = Parser("hermes")
    objects = [parser, parser.fresh().message, Reader("gemini"), Deltas(parser), EventWriter("anthropic", parser, "", "")]
    for made in [*objects, ReasoningSplitter(parser), *parser.parse(TEXT).calls, *parser.feed("a")]:
        ref = weakref.ref(made)
        assert ref() is made
    of = weakref.ref(parser.fresh())
    assert of() is None


@pytest.mark.parametrize("of", READ_ON)
def test_a_function_that_holds_its_object_is_collected_with_it(of):
    class Host:
        def __init__(self):
            self.reader = made(of, self.may_open)
            # Copies have the same function.
            self.others = [self.reader.fresh()] if of in (Parser, Reader) else []

        def may_open(self, call):
            self.asked = True
            return True

    host = Host()
    host.reader.feed(EVENT if of is Reader else TEXT)
    assert host.asked
    gc.collect()
    # The function is still called: the collector leaves objects in use.
    host.asked = False
    made(of, host.may_open).feed(EVENT if of is Reader else TEXT)
    assert host.asked
    ref = weakref.ref(host)
    del host
    gc.collect()
    assert ref() is None


def test_the_function_of_a_reader_is_collected_with_it():
    class Host:
        def __init__(self):
            self.reader = Reader("gemini", limit_by=lambda call: self)

    ref = weakref.ref(Host())
    gc.collect()
    assert ref() is None


def test_messages_become_json_while_other_threads_run():
    message = Parser("hermes").parse("Some words. " * 1_000_000)
    text = message.json()
    for write in (message.json, message.to_dict, lambda: Message.from_json(text)):
        # The other thread may not get its turn at once on a busy machine.
        assert any(others_ran(write) for _ in range(20)), write


def others_ran(work):
    """Whether another thread ran in the first half of the work."""
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0)

    thread = threading.Thread(target=tick)
    thread.start()
    while not ticks:
        time.sleep(0)
    start = time.perf_counter()
    work()
    end = time.perf_counter()
    stop.set()
    thread.join()
    return any(start < at < start + 0.5 * (end - start) for at in ticks)


# A call while it comes


def apply(form, changes):
    for change in changes:
        *path, last = change.path or (None,)
        place = form
        for step in path:
            place = place[step]
        if change.type == "partial_text":
            place[last] += change.text
        elif last is None:
            form.clear()
            form.update(change.value)
        elif isinstance(place, list) and last == len(place):
            place.append(change.value)
        else:
            place[last] = change.value


TOOL = {
    "name": "write",
    "parameters": {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "lines": {"type": "array"},
            "text": {"type": "string"},
            "edits": {"type": "array"},
            "n": {"type": ["integer", "null"]},
        },
    },
}
DEEP = {"edits": [{"old": "ä\n" * 9, "new": ["b", {"c": "d" * 9}]}, {"old": "", "new": []}], "n": None, "text": "🙂é" * 5}
TWICE = '<tool_call>{"name": "write", "arguments": {"a": "one", "n": 1, "a": [2, "three"], "b": {"c": 4, "c": "five"}}}</tool_call>'


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
@pytest.mark.parametrize("dialect", ["hermes", "qwen3-coder", "glm", "cline", "invoke", "kimi-k2"])
@pytest.mark.parametrize("arguments", [{"path": "a.rs", "lines": [1, [2, "x"]], "text": "fn main() {}\n" * 3 + "//"}, DEEP, {}])
def test_changes_add_up_to_the_arguments(dialect, size, arguments):
    parser = Parser(dialect, [TOOL])
    text = parser.render_call("write", arguments)
    followed(parser, text + text, size)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
def test_a_key_that_is_written_twice(size):
    followed(Parser("hermes"), TWICE, size)


def followed(parser, text, size):
    form, calls = {}, set()
    for chunk in pieces(text, size):
        parser.feed(chunk)
        changes = parser.partial_changes()
        apply(form, changes)
        whole = parser.partial_input()
        if whole is None:
            assert changes == []
        else:
            calls.update(change.call for change in changes)
            assert form == whole, (chunk, changes)
        assert parser.partial_changes() == []
    return calls


def test_changes_are_what_came():
    parser = Parser("hermes")
    assert parser.partial_changes() == []
    parser.feed('<tool_call>{"name": "write", "arguments": {"path": "a.rs", "text": "fn ')
    assert parser.partial_changes() == [PartialValue(0, (), {"path": "a.rs", "text": "fn "})]
    parser.feed("ma")
    (change,) = parser.partial_changes()
    assert change == PartialText(0, ("text",), "ma") == pickle.loads(pickle.dumps(change)) and hash(change)
    parser.feed('in", "lines": [1, "a')
    assert parser.partial_changes() == [PartialText(0, ("text",), "in"), PartialValue(0, ("lines",), [1, "a"])]
    parser.feed('b", {"c": "d')
    changes = parser.partial_changes()
    assert changes == [PartialText(0, ("lines", 1), "b"), PartialValue(0, ("lines", 2), {"c": "d"})]
    assert changes[0].to_dict() == {"type": "partial_text", "call": 0, "path": ["lines", 1], "text": "b"}
    assert json.dumps(changes[1].to_dict())


def test_each_call_begins_with_all_that_is_there():
    parser = Parser("hermes")
    for index in range(2):
        parser.feed('<tool_call>{"name": "write", "arguments": {"path": "a.')
        assert parser.partial_changes() == [PartialValue(index, (), {"path": "a."})]
        parser.feed('rs"}}</tool_call>')
        assert parser.partial_changes() == []


def test_a_text_that_another_one_replaces_is_put_anew():
    """Both are longer than what of a text is compared, and the second is longer than the first."""
    parser = Parser("hermes")
    parser.feed('<tool_call>{"name": "write", "arguments": {"a": "' + "x" * 40)
    assert parser.partial_changes() == [PartialValue(0, (), {"a": "x" * 40})]
    parser.feed('", "a": "' + "y" * 50)
    assert parser.partial_changes() == [PartialValue(0, ("a",), "y" * 50)]


def test_a_reader_tells_changes_too():
    reader = Reader("openai-chat")
    start = {"index": 0, "id": "c1", "function": {"name": "write", "arguments": '{"path": "a.'}}
    for call, wanted in [
        (start, PartialValue(0, (), {"path": "a."})),
        ({"index": 0, "function": {"arguments": "rs"}}, PartialText(0, ("path",), "rs")),
    ]:
        reader.feed({"choices": [{"delta": {"tool_calls": [call]}}]})
        assert reader.partial_changes() == [wanted]


def test_a_look_costs_what_came():
    """Comparisons are counted: how many there are depends on the looks, not on the text nor on the keys that are there."""

    def compared(dialect, keys, value, step=8):
        parser = Parser(dialect, [{"name": "write"}])
        text = parser.render_call("write", {f"key{number}": value for number in range(keys)})
        looks = sum(bool(parser.feed(chunk)) and bool(parser.partial_changes()) for chunk in pieces(text, step))
        assert looks > keys / 2
        return parser._compared / looks

    for dialect in ("hermes", "qwen3-coder", "kimi-k2", "glm"):
        assert compared(dialect, 500, "some text") < 1.5 * compared(dialect, 20, "some text"), dialect
        assert compared(dialect, 1, "text" * 5000) <= 1
    # A change at each level: the list, its last item, and the item's last member.
    assert compared("hermes", 1, [{"old": "a" * 40, "new": "b" * 40}] * 200) < 4


def test_a_key_that_is_written_twice_among_many():
    for again in ('"new"', "[7, 8]", "true", '{"b": {"c": 1}}'):
        keys = ", ".join(f'"key{number}": "text"' for number in range(9))
        arguments = f'{{{keys}, "key3": {again}, "key9": {{"a": 1, "b": 2, "a": "three"}}, "key0": 5}}'
        for size in (1, 2, 3, 7, 50):
            followed(Parser("hermes"), f'<tool_call>{{"name": "write", "arguments": {arguments}}}</tool_call>', size)
    tags = "".join(f"<parameter={key}>\ntext\n</parameter>\n" for key in "abcadbbe")
    for size in (1, 2, 3, 7, 50):
        followed(Parser("qwen3-coder", [TOOL]), f"<tool_call>\n<function=write>\n{tags}</function>\n</tool_call>", size)
    lists = "".join(f"<parameter={key}>\n1\n</parameter>\n" for key in ["lines", "path", "lines", "n", "lines", "text", "lines"])
    for size in (1, 2, 3, 7, 50):
        followed(Parser("qwen3-coder", [TOOL]), f"<tool_call>\n<function=write>\n{lists}</function>\n</tool_call>", size)
