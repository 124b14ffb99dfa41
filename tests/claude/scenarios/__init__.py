"""What must hold with the real Claude Code: one file per theme, one function per sentence."""
