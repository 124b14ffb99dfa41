"""What a model says, apart from the API that carries it, and what such an API has to know."""

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """The model has nothing more to do, and says so."""

    text: str


@dataclass(frozen=True)
class Call:
    """The model calls a tool of the client."""

    name: str
    arguments: dict


class Dialect(ABC):
    """An API through which clients ask a model."""

    @abstractmethod
    def is_question(self, path):
        """Whether a model has to answer what is posted to this path."""

    @abstractmethod
    def request(self, path, headers, body):
        """The request that was posted."""

    @abstractmethod
    def answer(self, request, said, number):
        """(content type, body) of the answer with `Words` or a `Call` in it."""

    def about(self, path):
        """What is answered to everything else that clients ask for, or None where there is nothing."""
        return None


def events(*data, named=True):
    """Server-sent events; `named` after their type."""
    return "".join((f"event: {one['type']}\n" if named else "") + f"data: {json.dumps(one)}\n\n" for one in data)
