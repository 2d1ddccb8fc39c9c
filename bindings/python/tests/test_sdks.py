"""The README's recipes for agent SDKs, against a server that knows nothing of tools.

An SDK that is not installed is left out, unless TEST_EVERY is set: scripts/recipes installs all of them.
"""

import asyncio
import importlib.util
import json
import os
import re
import runpy

import pytest
from scripted_server import Server, running
from test_readme import README

RECIPES = re.findall(r"^```py\n(.*?)^```$", README.read_text(), re.M | re.S)
CALL = '<tool_call>{"name": "weather", "arguments": {"city": "Bern"}}</tool_call>'
ANSWER = "It is 7 degrees."
FINAL = '<tool_call>{"name": "final_answer", "arguments": {"answer": "It is 7 degrees."}}</tool_call>'


def recipe(sdk, url, folder):
    """The recipe for an SDK, run as it stands, with another server: its names."""
    if importlib.util.find_spec(sdk) is None and not os.environ.get("TEST_EVERY"):
        pytest.skip(f"{sdk} is not installed")
    (block,) = [block for block in RECIPES if re.search(rf"^from {sdk} import", block, re.M)]
    # In a file: smolagents reads the source of a tool.
    (folder / "recipe.py").write_text(block.replace("http://127.0.0.1:8080/v1", url))
    return runpy.run_path(str(folder / "recipe.py"))


def test_every_recipe_is_run_here():
    assert len(RECIPES) == 6


def told_the_result(server, marker="<tool_response>"):
    """Whether the second request brings the model what its tool said, and neither one declares tools."""
    assert all("tools" not in asked for asked in server.asked)
    said = [str(message["content"]) for message in server.asked[1]["messages"]]
    return any("7 degrees in Bern" in text and marker in text for text in said)


def test_pydantic_ai(capsys, tmp_path):
    server = Server(["I look.\n" + CALL, ANSWER] * 2)
    with running(server) as url:
        agent = recipe("pydantic_ai", url, tmp_path)["agent"]
        assert capsys.readouterr().out == ANSWER + "\n" and told_the_result(server)

        async def stream():
            # Text before a call would be its answer, so the model calls at once.
            server.text = [CALL, ANSWER]
            async with agent.run_stream("And now?") as run:
                return await run.get_output()

        server.asked.clear()
        assert asyncio.run(stream()) == ANSWER and told_the_result(server)
    assert server.asked[0]["stream"]


def test_openai_agents(capsys, tmp_path):
    server = Server(["I look.\n" + CALL, ANSWER])
    with running(server) as url:
        names = recipe("agents", url, tmp_path)
        assert capsys.readouterr().out == ANSWER + "\n" and told_the_result(server)

        async def stream():
            run = names["Runner"].run_streamed(names["agent"], "And now?")
            async for _ in run.stream_events():
                pass
            return run.final_output

        server.asked.clear()
        assert asyncio.run(stream()) == ANSWER and told_the_result(server)
    assert server.asked[0]["stream"]


def test_smolagents(capsys, tmp_path):
    server = Server(["I look.\n" + CALL, FINAL])
    with running(server) as url:
        recipe("smolagents", url, tmp_path)
    # The SDK writes results as the user's text.
    assert capsys.readouterr().out.strip().endswith(ANSWER) and told_the_result(server, marker="Observation")


def test_langchain(capsys, tmp_path):
    server = Server(["I look.\n" + CALL, ANSWER])
    with running(server) as url:
        names = recipe("langchain_openai", url, tmp_path)
        assert capsys.readouterr().out == ANSWER + "\n" and told_the_result(server)
        server.asked.clear()
        chunks = list(names["model"].bind_tools([names["weather"]]).stream("And now?"))
    said = sum(chunks[1:], chunks[0])
    assert [(call["name"], call["args"]) for call in said.tool_calls] == [("weather", {"city": "Bern"})]
    assert len(chunks) > 2 and server.asked[0]["stream"]


def test_litellm(capsys, tmp_path):
    server = Server(["I look.\n" + CALL, ANSWER])
    with running(server) as url:
        names = recipe("litellm", url, tmp_path)
        assert capsys.readouterr().out == ANSWER + "\n" and told_the_result(server)
        server.asked.clear()
        asked = {"tools": names["tools"], "client": names["client"], "stream": True}
        chunks = list(names["completion"]("openai/local", names["chat"], **asked))
    calls = [call for chunk in chunks for call in chunk.choices[0].delta.tool_calls or []]
    assert json.loads("".join(call.function.arguments for call in calls)) == {"city": "Bern"}
    assert server.asked[0]["stream"]


def test_instructor(capsys, tmp_path):
    call = '<tool_call>{"name": "Weather", "arguments": {"city": "Bern", "degrees": 7}}</tool_call>'
    server = Server(["I look.\n" + call, call])
    with running(server) as url:
        names = recipe("instructor", url, tmp_path)
        assert capsys.readouterr().out == "city='Bern' degrees=7\n"
        asked = {"model": "local", "response_model": names["Weather"], "messages": names["chat"]}
        *parts, last = names["client"].create_partial(**asked)
    assert (last.city, last.degrees) == ("Bern", 7) and len({part.city for part in parts}) > 1
    assert server.asked[1]["stream"] and all("tools" not in asked for asked in server.asked)
