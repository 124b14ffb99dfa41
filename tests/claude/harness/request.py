"""Reads the part of an Anthropic Messages request that scenarios ask about."""

NEXT = "Next: "
DOES_NOT_COUNT = "Waypost: this does not count"
# What the real client asks for when it compacts a conversation.
SUMMARY = "Your task is to create a detailed summary of the conversation"


class Request:
    """One request of the client to the model."""

    def __init__(self, body):
        self.body = body

    @property
    def is_main_loop(self):
        """Titles are asked for without offering tools, the summary of a compaction with words of its own."""
        return bool(self.body.get("tools")) and SUMMARY not in self.new_words()

    def last_result(self):
        """(is_error, text) of the newest tool result; a missing one reads as an error that says so."""
        for message in reversed(self._new_messages()):
            for block in _blocks(message):
                if block.get("type") == "tool_result":
                    return bool(block.get("is_error")), _text(block.get("content"))
        return True, "(the request carries no tool result)"

    def new_words(self):
        """All text since the model's last answer: prompts, hook feedback, context that hooks added."""
        return "\n".join(_text(message.get("content")) for message in self._new_messages())

    def next_step(self):
        """The command that Waypost's words name as the next step, or one that fails and says why."""
        return self.named_step() or "echo 'no next step was named'; false"

    def named_step(self):
        """The command that Waypost's words name as the next step, or quote in it, if they name one."""
        steps = [line.strip().removeprefix(NEXT) for line in self.new_words().splitlines() if NEXT in line]
        return next((command for step in steps for command in (*_quoted(step), step)), None)

    def advised_step(self):
        """The run that Waypost's words advise where they tell that another one does not count."""
        return self.named_step() if DOES_NOT_COUNT in self.new_words() else None

    def _new_messages(self):
        messages = self.body.get("messages") or []
        start = len(messages)
        while start and messages[start - 1].get("role") != "assistant":
            start -= 1
        return messages[start:]


def _quoted(line):
    return line.split("`")[1::2]


def _blocks(message):
    content = message.get("content")
    return content if isinstance(content, list) else []


def _text(content):
    if isinstance(content, str):
        return content
    parts = []
    for block in content or []:
        if block.get("type") == "text":
            parts.append(block["text"])
        elif block.get("type") == "tool_result":
            parts.append(_text(block.get("content")))
    return "\n".join(parts)
