#!/usr/bin/env python3
"""Asks a program what it makes of the vectors, and says how often it is right.

    python3 conformance/run.py [--dialect NAME] [--wrong] [--row] -- PROGRAM ARGUMENT…

`conformance/README.md` says what the program is asked and what it answers. Needs Python 3.9 and nothing else.
"""

import argparse
import json
import re
import select
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
VECTORS = HERE.parent / "tests" / "vectors"
# Special tokens and tags stay whole where a text is cut as a tokenizer would; other text is cut every four characters.
TOKEN = re.compile(r"(<[|/]?[\w|▁｜:.-]+[|]?>|\[/?[A-Z_]+\])")
CUTS = ("whole", "tokens", "characters")


def vectors(only):
    """The vectors that another parser can be asked: `(plain, dialect, vector)`. A plain one's dialect is that of its form."""
    plain = dict(line.split() for line in (HERE / "plain.txt").read_text().splitlines())
    for file in sorted(VECTORS.glob("*.jsonl")):
        for line in file.read_text().splitlines():
            vector = json.loads(line)
            if is_common(vector) and only in (None, vector["dialect"]):
                yield vector["id"] in plain, plain.get(vector["id"], vector["dialect"]), vector


def is_common(vector):
    """Whether it needs no option that only toolstream has, and expects what others say, too: calls and text."""
    config = vector.get("config", {})
    asked = {key for key, value in config.items() if (key, value) != ("tool_limit", None)}
    expect = vector["expect"]
    limited = isinstance(expect, dict) and expect.get("finish") == "tool_limit_reached"
    return "dialect" in vector and not asked and not limited and {"calls", "text"} <= expect.keys()


def cut(text, how):
    if how == "whole":
        return [text]
    if how == "characters":
        return list(text)
    parts = []
    for part in TOKEN.split(text):
        parts += [part] if TOKEN.fullmatch(part) else [part[at : at + 4] for at in range(0, len(part), 4)]
    return [part for part in parts if part]


class Program:
    """A program that answers a line for each line it is asked; started again when it ended."""

    def __init__(self, command, patience):
        self.command, self.patience, self.process = command, patience, None
        self.about = self.ask({"hello": 1})
        if not {"name", "version", "dialects", "reasoning"} <= self.about.keys():
            sys.exit(f"{command[0]} does not answer as README.md says: {self.about}")

    def ask(self, question):
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            if "hello" not in question and "error" in (hello := self.ask({"hello": 1})):
                return hello
        try:
            self.process.stdin.write(json.dumps(question) + "\n")
            self.process.stdin.flush()
            if not select.select([self.process.stdout], [], [], self.patience)[0]:
                return self.end(f"no answer in {self.patience:.0f} s")
            answer = self.process.stdout.readline()
            return json.loads(answer) if answer else self.end("it ended")
        except (OSError, ValueError) as error:
            return self.end(f"{type(error).__name__}: {error}")

    def end(self, why=""):
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None
        return {"error": why}


def tells_reasoning(who, dialect):
    return dialect in who if isinstance(who, list) else who


def fold(text):
    return " ".join((text or "").split())


def same(one, other):
    """Whether two values are the same JSON: `true` is no number."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def runnable(calls):
    """Name and arguments of the calls that would run: not said to be incomplete, and their arguments are an object."""
    for call in calls or []:
        arguments = call.get("arguments")
        if isinstance(arguments, str):
            try:
                # In a stream no piece has come of a call without arguments.
                arguments = json.loads(arguments or "{}")
            except ValueError:
                continue
        if isinstance(arguments, dict) and call.get("complete", True):
            yield call.get("name"), arguments


def calls_are_right(expect, answer):
    expected = [call for call in expect["calls"] if call.get("status", "complete") == "complete"]
    found = list(runnable(answer.get("calls")))
    return len(expected) == len(found) and all(
        call.get("name", name) == name and same(call.get("arguments", arguments), arguments)
        for call, (name, arguments) in zip(expected, found)
    )


def text_is_right(expect, answer):
    return all(key not in expect or fold(expect[key]) == fold(answer.get(key)) for key in ("text", "reasoning"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dialect", help="only the vectors of this dialect")
    parser.add_argument("--plain", action="store_true", help="only the vectors that the model's template decides")
    parser.add_argument("--wrong", action="store_true", help="say which answers are wrong")
    parser.add_argument("--row", action="store_true", help="print the row of the table alone")
    parser.add_argument("--patience", type=float, default=300.0, metavar="S", help="seconds for one answer (300); then it is wrong")
    parser.add_argument("program", nargs="+")
    args = parser.parse_args()
    program = Program(args.program, args.patience)
    asked = {True: 0, False: 0}
    right = {(plain, how, what): 0 for plain in asked for how in CUTS for what in ("all", "calls")}
    dialects, cuts = set(), program.about.get("cuts", CUTS)
    for plain, dialect, vector in vectors(args.dialect):
        sys.stdout.flush()
        if args.plain and not plain:
            continue
        expect = vector["expect"]
        if dialect not in program.about["dialects"]:
            continue
        if fold(expect.get("reasoning")) and not tells_reasoning(program.about["reasoning"], dialect):
            continue
        dialects.add(dialect.split(":")[0])
        asked[plain] += 1
        for how in cuts:
            question = {"id": vector["id"], "dialect": dialect, "tools": vector.get("tools", [])}
            answer = program.ask({**question, "chunks": cut(vector["input"], how)})
            calls = "error" not in answer and calls_are_right(expect, answer)
            every = calls and text_is_right(expect, answer)
            right[plain, how, "calls"] += calls
            right[plain, how, "all"] += every
            if args.wrong and not every:
                mark = "plain" if plain else "ruling"
                print(json.dumps([vector["id"], mark, how, {"expected": expect, "answer": answer}]))
    program.end()
    if not args.row:
        print("| program | dialects | plain | whole | tokens | characters | calls alone | rulings | tokens | calls alone |")
        print("|---|---|---|---|---|---|---|---|---|---|")
    cells = [f"{program.about['name']} {program.about['version']}", len(dialects), asked[True]]
    cells += [share(right[True, how, "all"], asked[True]) if how in cuts else "—" for how in CUTS]
    cells += [share(right[True, "tokens", "calls"], asked[True]), asked[False]]
    cells += [share(right[False, "tokens", what], asked[False]) for what in ("all", "calls")]
    print("| " + " | ".join(map(str, cells)) + " |")


def share(right, asked):
    return f"{100 * right / asked:.1f} %" if asked else "—"


if __name__ == "__main__":
    main()
