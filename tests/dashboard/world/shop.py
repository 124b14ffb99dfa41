"""The project `shop`: a long session with all that a session can have, hostile texts, and what waits for a person."""

from . import long
from .hostile import BRANCH, FILE, IMAGE, MARKDOWN, OBJECTIVE, SCRIPT, SVG, UNSEEN
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
id = "deploy"
level = "must"
before = ["bash:./deploy*"]
proof = { approval = "local", ttl = "1h" }
message = "A person says when."

[[gate]]
id = "decided"
level = "should"
before = ["edit"]
proof = { read = "docs/decisions.md" }
message = "Read what was decided before."
"""
SESSIONS = (
    ("2026-10-29T09:00:00Z", "Show prices with tax", "quick", "completed"),
    ("2026-11-02T14:00:00Z", "Faster product lists", "full", "completed"),
    ("2026-11-04T08:20:00Z", "Gift cards", "full", "completed"),
    ("2026-11-06T09:10:00Z", "Search by picture", "research", "failed"),
    ("2026-11-09T11:00:00Z", "Sizes of shoes in three systems", "quick", "build"),
    ("2026-11-11T13:30:00Z", "Returns without a label", "full", "plan"),
    ("2026-11-12T10:00:00Z", "Wish lists that can be shared", "full", "spec"),
    ("2026-11-17T15:40:00Z", "Checkout on one page", "full", "docs"),
    ("2026-11-18T08:30:00Z", "Remember the cart for a month", "quick", "paused"),
    ("2026-11-19T07:45:00Z", "Fix the flicker of the basket", "none", "completed"),
)


def make(home):
    """Makes it."""
    project = home.project("shop", CONFIG, {"src/cart.txt": "one\n", "docs/decisions.md": "# Decisions\n",
                                            "deploy": "#!/bin/sh\necho deployed\n"})
    part = Part(project)
    for number, (at, title, workflow, until) in enumerate(SESSIONS):
        ordinary(part, number, at, title, workflow, until)
    long.make(part)
    hostile(part)
    wants_an_approval(part)
    is_held(part)
    was_handed_over(part)
    is_at_work(part)
    return part


def hostile(part):
    """A session all of whose texts would like to be more than that."""
    elsewhere = Part(part.project.worktree("escaping", BRANCH))
    story = elsewhere.story("hostile", OBJECTIVE, "--workflow", "full", at="2026-11-19T10:00:00Z")
    story.write("spec.md", MARKDOWN.replace("[blocking] ", ""))
    with story.client() as client:
        elsewhere.known["hostile"] = client.conversation
        client.begin(f"Look at {SCRIPT} and {IMAGE}\n\n{MARKDOWN}")
        client.say(f"I looked at {SVG}.\n\n{MARKDOWN}")
        client.edit(FILE, f"{SCRIPT}\n")
        client.bash(f"echo '{SCRIPT}'")
        client.subagent("a0b1c2", IMAGE, f"Judge {SCRIPT}", f"It is {IMAGE}.")
        client.bash("./check.sh")
        client.bash(f"git add -A && git commit -q -m 'Commit {SCRIPT}'")
        client.stop(f"All of {SVG} is done.")
        client.end()
    story.waypost("phase", "complete")
    story.plan((f"Checkpoint {IMAGE}", (f"Task {SCRIPT}", SVG)), (UNSEEN, ("One", "Two")))
    story.build(0, 2)
    story.note("decision", f"{SCRIPT} {UNSEEN}")
    story.waypost("decision", "record", f"Decide {SCRIPT}", "--rationale", IMAGE, "--decided-by", SVG)
    story.waypost("agent", "invoke", f"agent {IMAGE}", "--prompt", SCRIPT)
    story.waypost("verdict", "record", "qa", "--decision", "conditional", "--confidence", "0.5", "--reasoning", IMAGE,
                  "--condition", SCRIPT)
    story.waypost("handoff", "create", "--from", SCRIPT, "--to", IMAGE, "--reason", SVG, "--context", MARKDOWN,
                  "--check", f"Is {IMAGE} there?")
    story.waypost("focus", "--feature", SCRIPT, "--task", IMAGE)
    part.joined(elsewhere)


def wants_an_approval(part):
    """An agent was denied a deployment that a person has to approve."""
    story = part.story("approval", "Ship the new checkout", "--workflow", "none", at="2026-11-19T14:20:00Z")
    client = story.client(stays=True)
    part.known["denied"] = client.conversation
    work(story, client, "src/checkout.txt")
    client.prompt("Ship it.")
    client.bash("./deploy production")


def is_held(part):
    """An agent wants to stop, and may not yet."""
    story = part.story("held", "Move to the new parser of addresses", "--workflow", "none", at="2026-11-19T14:50:00Z")
    client = story.client(stays=True)
    client.begin("Move to the new parser.")
    client.edit("src/address.txt", "moved\n")
    client.stop("It should work now.")


def was_handed_over(part):
    """Work was handed over, and nobody took it."""
    story = part.story("handoff", "Accessibility of the checkout", "--workflow", "none", at="2026-11-19T13:00:00Z")
    story.waypost("handoff", "create", "--from", "implementer", "--to", "qa", "--reason", "The forms have labels now",
                  "--context", "Errors are told beside the fields. The colours of the buttons are not looked at yet.",
                  "--artifact", "src/cart.txt", "--check", "run: ./check.sh", "--check", "Which colours fail?")
    story.project.waypost("switch", "--none", at=str(story.clock))


def is_at_work(part):
    """An agent is at work right now."""
    story = part.story("working", "Sort reviews by how useful they are", "--workflow", "quick", at="2026-11-19T15:10:00Z")
    story.plan(("Count votes", ("Store them", "Show them")), ("Sort", ("By votes", "By age")))
    story.build(1, 2)
    client = story.client(stays=True)
    client.begin("Begin with the votes.")
    client.subagent("c0ffee", "Explore", "Find where reviews are shown", "In three places; the list is one of them.")
    client.edit("src/reviews.txt", "votes\n")
    client.bash("./check.sh")
    client.say("The votes are counted. Next is the order.")
