"""The clients, a class each, by the names that Waypost gives them."""

from .claude_code import ClaudeCode
from .codex import Codex
from .copilot import CopilotCli
from .gemini import GeminiCli
from .opencode import OpenCode
from .qwen import QwenCode

ALL = {client.NAME: client for client in (ClaudeCode, Codex, CopilotCli, GeminiCli, OpenCode, QwenCode)}
