"""The list of scenarios, filled by importing the files of `scenarios/`."""

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

_SCENARIOS = []


@dataclass(frozen=True)
class Scenario:
    """A named thing that must hold; `theme` is the file that tells it."""

    theme: str
    name: str
    play: Callable


def scenario(function=None, /, **cases):
    """Registers a function as a scenario, or once per case with the case's value as second argument."""
    if function:
        _SCENARIOS.append(_named(function, "", function))
        return function

    def register(function):
        for case, value in cases.items():
            _SCENARIOS.append(_named(function, f", {case}", lambda t, value=value: function(t, value)))
        return function

    return register


def way(function):
    """Registers a scenario that plays a way around Waypost; the table in docs/ways-around.md has to name it."""
    return scenario(function)


def all_scenarios(folder):
    """Every scenario of a folder's `scenarios/`, in the order of files and of functions within them."""
    for path in sorted((Path(folder) / "scenarios").glob("*.py")):
        importlib.import_module(f"scenarios.{path.stem}")
    return _SCENARIOS


def _named(function, suffix, play):
    theme = function.__module__.rpartition(".")[2]
    return Scenario(theme, (function.__name__ + suffix).replace("_", " "), play)
