"""The clients, a class each, by the names that Waypost gives them."""

from .codex import Codex
from .gemini import GeminiCli
from .qwen import QwenCode

ALL = {client.NAME: client for client in (Codex, GeminiCli, QwenCode)}
