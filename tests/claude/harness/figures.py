"""What tasks took an honest agent, as a table, and what must hold over all of them."""

from statistics import median

PERMITTED, ELSEWHERE = ("bypass", "rule"), "elsewhere"
HEAD = ("task", "where", "turns", "extra turns", "extra calls", "holds", "twice", "rewritten")


def hold(rows):
    """Prints the table, if any task was played, and tells whether the usual task took nothing extra where it can."""
    if not rows:
        return True
    rows.sort(key=lambda row: (row["kind"], row["task"], row["where"]))
    print_table([HEAD, *map(cells, rows)])
    permitted = [row["extra_turns"] for row in rows if row["where"] in PERMITTED]
    print_median("where a line may be rewritten", permitted)
    print_median(ELSEWHERE, [row["extra_turns"] for row in rows if row["where"] == ELSEWHERE])
    return not permitted or median(permitted) == 0


def print_median(where, extra):
    """One figure for all tasks."""
    if extra:
        print(f"{where}: extra agent turns per task: median {median(extra):g}, "
              f"mean {sum(extra) / len(extra):.2f}, most {max(extra)} ({len(extra)} tasks)")


def cells(row):
    """A row as it is printed."""
    return (f"{row['kind']}: {row['task']}", row["where"], row["turns"], row["extra_turns"], row["extra_calls"],
            row["holds"], "TWICE" if row["held_twice"] else "", row["rewritten"])


def print_table(rows):
    """Columns as wide as what stands in them."""
    widths = [max(len(str(cell)) for cell in column) for column in zip(*rows)]
    for row in rows:
        print("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip())
