"""What must hold with every client: one file per theme, one function per sentence."""
