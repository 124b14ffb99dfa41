"""How clients put what the model is told, and what the words of a script are called there."""

from .dialect import Call


class Manner:
    """Claude Code's: the words of a script are the names of its own tools.

    A client with other names says how each word is called there, so that one script is played with all of them.
    """

    FEEDBACK = ("Stop hook feedback:", "TeammateIdle hook feedback:")
    DENIAL = "PreToolUse:{tool} hook error"

    def call(self, step, folder):
        """The call of the client's own tool that does what a step says."""
        arguments = dict(step.input)
        if "file_path" in arguments:
            arguments["file_path"] = str(folder / arguments["file_path"])
        return Call(step.tool, arguments)

    def came_of(self, step, is_error, text):
        """What the client tells of a call: it works, fails or is denied."""
        if is_error and self.DENIAL.format(tool=step.tool) in text:
            return "denied"
        return "fails" if is_error else "works"

    def is_feedback(self, text):
        """Whether the client tells with these words that a hook did not let the turn end."""
        return any(words in text for words in self.FEEDBACK)
