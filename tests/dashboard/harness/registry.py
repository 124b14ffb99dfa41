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
    alone: bool


def scenario(function):
    """Registers a function as a scenario that looks at the world which all of them share, and changes little in it."""
    return _register(function, alone=False)


def alone(function):
    """Registers a function as a scenario that has a home of its own, and may do in it what it likes."""
    return _register(function, alone=True)


def all_scenarios():
    """Every scenario, in the order of files and of functions within them."""
    for path in sorted((Path(__file__).parent.parent / "scenarios").glob("[a-z]*.py")):
        importlib.import_module(f"scenarios.{path.stem}")
    return _SCENARIOS


def _register(function, alone):
    theme = function.__module__.rpartition(".")[2]
    _SCENARIOS.append(Scenario(theme, function.__name__.replace("_", " "), function, alone))
    return function
