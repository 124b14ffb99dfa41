"""The APIs through which the clients ask a model, beside Anthropic's."""

from harness.anthropic import Anthropic

from .chat import Chat
from .gemini import Gemini
from .responses import Responses

ALL = (Anthropic(), Responses(), Chat(), Gemini())
