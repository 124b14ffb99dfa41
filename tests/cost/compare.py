#!/usr/bin/env python3
"""compare.py CCUSAGE WAYPOST: what both programs say of the same transcripts of Claude Code, beside sums by hand.

CCUSAGE is the program's start file for node. The transcripts are made anew, the same in every run. Waypost has to come to
the sum by hand, ccusage to the one that its own rules make. Prints a row per set. Exit 1 if anything differs. Started by
scripts/compare-cost.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

# US dollars for a million tokens: given, written, read from the cache, written to it for five minutes and for an hour.
PRICES = {
    "claude-opus-4-5-20251101": (5, 25, 0.5, 6.25, 10),
    "claude-sonnet-4-20250514": (3, 15, 0.3, 3.75, 6),
    "claude-haiku-4-5-20251001": (1, 5, 0.1, 1.25, 2),
}
HAIKU = "claude-haiku-4-5-20251001"
SETS = ("every message once", "repeated, forked, subagents", "with late lines", "with the hour's cache")


class Made:
    """Conversations, with both sums."""

    def __init__(self, home, is_repeated, is_late, has_hour):
        self.folder = home / ".claude/projects/-srv-shop"
        self.is_repeated, self.is_late, self.has_hour = is_repeated, is_late, has_hour
        self.random = random.Random(7)
        self.by_hand = self.by_ccusage = 0.0
        for number in range(6):
            self.conversation(number)

    def conversation(self, number):
        lines = [line for at in range(40) for line in self.message(number, at)]
        name = f"{number:08d}-e4d9-4215-a79c-1f052ae3b831"
        self.write(self.folder / f"{name}.jsonl", lines)
        if not self.is_repeated:
            return
        day = f"2026-11-{10 + number}"
        inside = [
            self.counted(f"{day}T13:00:00.000Z", f"sub_{number}_{at}", HAIKU, (100, 50, 1000, 200, 0))
            for at in range(5)
        ]
        of_subagent = [{**line, "isSidechain": True, "agentId": "a1"} for line in inside]
        self.write(self.folder / name / "subagents/agent-a1.jsonl", of_subagent)
        own = self.counted("2026-11-17T10:00:00.000Z", f"fork_{number}", HAIKU, (10, 5, 0, 0, 0))
        self.write(self.folder / f"9{name[1:]}.jsonl", [*lines, own])

    def message(self, number, at):
        draw = self.random.randrange
        model = self.random.choice(list(PRICES))
        hour = draw(4000) if self.has_hour else 0
        used = (draw(5000), draw(1, 900), draw(90_000), draw(4000), hour)
        time = f"2026-11-{10 + number}T{8 + at // 10:02}:{at:02}:00.000Z"
        name = f"msg_{number}_{at}"
        is_late = self.is_late and at % 3 == 0
        early = (used[0], 1, *used[2:]) if is_late else used
        last = self.counted(time, name, model, used, early)
        lines = [line(time, name, model, early)] if is_late else []
        lines.append(last)
        return [*lines, last] if self.is_repeated and at % 4 == 0 else lines

    def counted(self, time, name, model, used, early=None):
        self.by_hand += usd(model, used)
        # It takes the first line of a message, and no longer time in the cache for dearer.
        given, written, read, short, hour = early or used
        self.by_ccusage += usd(model, (given, written, read, short + hour, 0))
        return line(time, name, model, used)

    @staticmethod
    def write(file, lines):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))


def usd(model, used):
    return sum(tokens * price for tokens, price in zip(used, PRICES[model], strict=True)) / 1e6


def line(time, name, model, used):
    given, written, read, short, hour = used
    usage = {
        "input_tokens": given,
        "output_tokens": written,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": short + hour,
        "cache_creation": {"ephemeral_5m_input_tokens": short, "ephemeral_1h_input_tokens": hour},
    }
    message = {"id": name, "model": model, "role": "assistant", "content": [], "usage": usage}
    return {
        "type": "assistant",
        "timestamp": time,
        "cwd": "/srv/shop",
        "sessionId": "s",
        "version": "2.1.325",
        "parentUuid": None,
        "requestId": f"req_{name}",
        "message": message,
    }


def told(command, home):
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "TZ": "UTC"}
    environment["CLAUDE_CONFIG_DIR"] = str(home / ".claude")
    done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main(ccusage, waypost):
    is_equal = True
    print(f"{'transcripts':<30}{'by hand':>12}{'waypost':>12}{'ccusage':>12}{'its rules':>12}")
    for number, name in enumerate(SETS):
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            made = Made(home, number > 0, number > 1, number > 2)
            of_waypost = told([waypost, "cost", "--all", "--json"], home)["total_usd"]
            offline = ["daily", "--json", "--offline", "--mode", "calculate"]
            of_ccusage = told(["node", ccusage, *offline], home)["totals"]["totalCost"]
        figures = (made.by_hand, of_waypost, of_ccusage, made.by_ccusage)
        print(f"{name:<30}" + "".join(f"{figure:>12.4f}" for figure in figures))
        is_equal &= abs(made.by_hand - of_waypost) < 1e-6
        is_equal &= abs(made.by_ccusage - of_ccusage) < 1e-6
    return 0 if is_equal else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
