"""Modules beside each other depend on each other in one direction.

Whatever stands below a module counts as that module; what a module and its own children say of each other does not
count, nor does code of tests. The message names one shortest circle, with one place for each of its steps.
"""

from collections import deque
from collections.abc import Iterator

from .module_paths import Module, ModuleTree, module_trees
from .repository import Problem, Repository

Place = tuple[str, int]
Graph = dict[str, dict[str, Place]]


def check_cycles(repository: Repository) -> Iterator[Problem]:
    for crate, tree in sorted(module_trees(repository).items()):
        for parent, graph in sorted(graphs(tree).items()):
            for circle in circles(graph):
                yield _problem(crate, parent, circle, graph)


def graphs(tree: ModuleTree) -> dict[Module, Graph]:
    """For every module, which of its children names which other one, and where it does so first."""
    found: dict[Module, Graph] = {}
    for source, target, path, line in tree.references():
        shared = next((n for n, (a, b) in enumerate(zip(source, target)) if a != b), None)
        if shared is not None:
            graph = found.setdefault(source[:shared], {})
            graph.setdefault(source[shared], {}).setdefault(target[shared], (path, line))
    return found


def circles(graph: Graph) -> Iterator[list[str]]:
    """One shortest circle for each knot of modules that all reach each other."""
    done: set[str] = set()
    for start in sorted(graph):
        if start in done:
            continue
        knot = {node for node in _reached(graph, start) if start in _reached(graph, node)}
        done |= knot
        found = [circle for node in sorted(knot) if (circle := _shortest_circle(graph, node))]
        if found:
            yield min(found, key=len)


def _reached(graph: Graph, start: str) -> set[str]:
    reached, waiting = set(), [start]
    while waiting:
        for following in graph.get(waiting.pop(), {}):
            if following not in reached:
                reached.add(following)
                waiting.append(following)
    return reached


def _shortest_circle(graph: Graph, start: str) -> list[str] | None:
    ways = deque([[start]])
    seen = set()
    while ways:
        way = ways.popleft()
        for following in sorted(graph.get(way[-1], {})):
            if following == start:
                return way
            if following not in seen:
                seen.add(following)
                ways.append([*way, following])
    return None


def _problem(crate: str, parent: Module, circle: list[str], graph: Graph) -> Problem:
    steps = [(a, b, graph[a][b]) for a, b in zip(circle, [*circle[1:], circle[0]])]
    told = ", ".join(f"{a} -> {b} at {path}:{line}" for a, b, (path, line) in steps)
    path, line = steps[0][2]
    name = "::".join([crate.replace("-", "_"), *parent])
    return Problem(path, line, f"modules of {name} import each other in a circle: {told}; move what is shared")
