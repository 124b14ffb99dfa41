"""The project `billing`: many sessions as they are, budgets, a linked work tree, models without a price."""

from .ordinary import ordinary, work
from .story import Part

CONFIG = """[project]

[[gate]]
id = "tests-pass"
level = "must"
before = ["stop", "commit"]
scope = "session"
proof = { ran = "./check.sh*", fresh = "tree" }
message = "Run the tests after your last change."

[[gate]]
id = "budget"
level = "must"
before = ["edit"]
proof = { check = "usage.cost_usd < 1.5" }
message = "This session has used what it may."

[[gate]]
id = "reviewed"
level = "should"
before = ["push"]
proof = { verdict = "approve", agent = "security", min_confidence = 0.8 }
message = "Let security look at it first."
"""
SESSIONS = (
    ("2026-10-28T09:00:00Z", "Round totals once", "quick", "completed"),
    ("2026-10-30T13:20:00Z", "Send invoices as PDF", "full", "completed"),
    ("2026-11-03T08:40:00Z", "Which tax tables are there?", "research", "completed"),
    ("2026-11-05T10:10:00Z", "Take the old export out", "quick", "failed"),
    ("2026-11-06T15:00:00Z", "Retry payments that time out", "full", "paused"),
    ("2026-11-10T09:30:00Z", "Store amounts as whole cents", "full", "docs"),
    ("2026-11-11T11:45:00Z", "Credit notes", "full", "build"),
    ("2026-11-13T14:05:00Z", "Fix the total of an empty cart", "none", "completed"),
    ("2026-11-17T07:55:00Z", "Currencies of customers outside of the euro", "full", "plan"),
    ("2026-11-18T09:15:00Z", "Late fees", "quick", "build"),
    ("2026-11-19T08:05:00Z", "Fix the wrong VAT of gift cards", "none", "completed"),
)


def make(home):
    """Makes it."""
    project = home.project("billing", CONFIG, {"src/total.txt": "one\n", "docs/vat.md": "# VAT\n"})
    part = Part(project)
    for number, (at, title, workflow, until) in enumerate(SESSIONS):
        ordinary(part, number, at, title, workflow, until)
    near_its_budget(part)
    in_a_linked_work_tree(part)
    asks_something(part)
    return part


def near_its_budget(part):
    """A session whose agent has used nearly all that it may, on a model whose price nobody knows and one that is known."""
    story = part.story("budget", "Reconcile the ledger with the bank", "--workflow", "quick", at="2026-11-19T12:00:00Z")
    client = story.client(stays=True)
    part.known["many-models"] = client.conversation
    client.begin("Reconcile the ledger of October.")
    for number in range(12):
        client.kept.said(str(client.clock), f"Row {number} of the ledger agrees with the bank.", tokens=4_500)
    client.kept.model = "some-lab-giant-1"
    client.kept.said(str(client.clock), "A second model looked over it.", tokens=90_000)
    client.kept.model = "claude-opus-5-5"
    client.prompt("And November?")
    client.bash("cat src/total.txt")


def in_a_linked_work_tree(part):
    """A session that lives in another work tree of the same repository."""
    tree = part.project.worktree("dunning")
    elsewhere = Part(tree)
    story = elsewhere.story("dunning", "Dunning letters in three steps", "--workflow", "none", at="2026-11-19T13:10:00Z")
    client = story.client(stays=True)
    work(story, client, "src/dunning.txt", "The first letter goes out after nine days.")
    client.prompt("Now the second letter.")
    client.edit("src/dunning.txt", "the second letter\n")
    part.joined(elsewhere)


def asks_something(part):
    """An agent put a question to the user, and waits."""
    story = part.story("question", "Merge double customers", "--workflow", "none", at="2026-11-19T14:40:00Z")
    client = story.client(stays=True)
    client.begin("Merge customers that are in the list twice.")
    asked = {"questions": [{"question": "Keep the older or the newer address?", "header": "Address", "multiSelect": False,
                            "options": [{"label": "Older", "description": ""}, {"label": "Newer", "description": ""}]}]}
    client.before("AskUserQuestion", asked)
