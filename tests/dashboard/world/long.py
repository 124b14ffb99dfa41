"""The long session: weeks of work in all phases, several conversations, agents, verdicts, decisions and dead ends."""

from .ordinary import work

SPEC = """# Login by passkey

Customers log in without a password. What exists goes on for those who have no passkey yet.

## Goals

- Users log in by passkey on every device that they own
- A lost device locks nobody out

## How it goes

```mermaid
sequenceDiagram
  participant Browser
  participant Shop
  participant Store
  Browser->>Shop: ask for a challenge
  Shop->>Store: keep it for two minutes
  Shop-->>Browser: challenge
  Browser->>Shop: signed answer
  Shop->>Store: look up the key
  Shop-->>Browser: session
```

```mermaid
graph TD
  A[Passkey there?] -->|yes| B[Sign the challenge]
  A -->|no| C[Mail a link]
  C --> D[Offer a passkey]
  B --> E[Logged in]
  D --> E
```

## The interface

```rust
/// What the browser has to sign.
pub struct Challenge {
    pub id: u64,
    pub bytes: [u8; 32], // never the same twice
}

fn verify(challenge: &Challenge, answer: &[u8]) -> Result<User, Refused> {
    if answer.is_empty() {
        return Err(Refused::Nothing("no answer"));
    }
    store::user_of(challenge.id)
}
```

| device | passkey | fallback |
|---|---|---|
| phone | yes | link by mail |
| laptop | where there is a reader | link by mail |
| terminal of the shop | no | code of the phone |

## Open questions

- [x] [blocking] Which library? `webauthn-rs`.
- [ ] How long does a link by mail count?
- [ ] Do we need attestation?

## Decisions

- Passkeys only, no new passwords: fewer ways in
- The challenge is kept on the server: a cookie can be sent twice
"""
PARTS = ("Challenges", "Registering a key", "Logging in", "Links by mail", "Lost devices", "The page of the account",
         "Moving customers over")
TASKS = ("Write down what has to hold", "Build it", "Test what goes wrong")
NOTES = (("discovery", "{}: the library counts uses itself, so a copied key is noticed"),
         ("deviation", "{}: the plan said two tables, one is enough"),
         ("blocker", "{}: no second device here to test with"),
         ("resolution", "{}: a virtual key of the browser does for the tests"),
         ("note", "{}: names of fields are those of the standard"),
         ("decision", "{}: errors say what to do, not what went wrong inside"))
MODELS = ("claude-opus-5-5", "claude-sonnet-5-5", "claude-opus-4-5")


def make(part):
    """Makes it."""
    story = part.story("long", "Add login by passkey", "--workflow", "full", "--target", "docs/decisions.md",
                       at="2026-11-12T08:00:00Z")
    explored(story)
    story.spec(SPEC)
    story.write("research/libraries.md", "# Libraries\n\n- webauthn-rs: maintained, has tests\n- own code: no\n")
    story.write("debug/2026-11-13-clock.md", "# Clocks that differ\n\nThe challenge was too old by two seconds.\n")
    story.plan(*((title, TASKS) for title in PARTS))
    story.waypost("checkpoint", "init")
    for number, title in enumerate(PARTS[:5], 1):
        checkpoint(story, number, title)
    story.waypost("checkpoint", "start", "6")
    story.waypost("task", "complete", "6.1")
    story.waypost("focus", "--feature", "account", "--task", "6.2", "--phase", "implementation")
    under_way(story)


def explored(story):
    """A first conversation that only looks."""
    with story.client(name="explores") as client:
        client.begin("How does login work today?")
        client.subagent("e0e0e0", "Explore", "Find everything that asks for a password", "Four places ask for it.")
        client.call("Read", {"file_path": str(story.project.root / "docs/decisions.md")}, {"type": "text"})
        client.stop("Four places ask for a password. I listed them in the spec.")
        client.end()


def checkpoint(story, number, title):
    """A checkpoint is built by an agent, with others who look over it."""
    story.clock.tick(20_000)
    story.waypost("checkpoint", "start", str(number))
    with story.client(name=f"builds {number}") as client:
        story.part.known.setdefault("builds", client.conversation)
        client.kept.model = MODELS[number % len(MODELS)]
        if number == 2:
            fails_first(client)
        work(story, client, f"src/{title.lower().replace(' ', '-')}.txt", f"{title}: the library keeps counters itself")
        client.subagent(f"b{number}b{number}", "qa", f"Test {title.lower()}", f"{title} holds, but for an empty answer.",
                        model="claude-haiku-4-5")
        client.stop(f"{title} is built and tested.")
        client.end()
    story.waypost("commit", "HEAD", "-m", f"Build {title.lower()}", "--checkpoint", str(number))
    for task in range(1, len(TASKS) + 1):
        story.waypost("task", "complete", f"{number}.{task}")
    story.waypost("checkpoint", "complete", str(number))
    said_of(story, number, title)
    for place in range(30):
        kind, text = NOTES[place % len(NOTES)]
        story.clock.tick(240)
        story.note(kind, f"{text.format(title)} ({place + 1})")


def fails_first(client):
    """A run of the tests fails, and the agent claims that it did not matter."""
    client.begin("Build the registration.")
    client.edit("src/registration.txt", "broken\n")
    client.bash("./check.sh")
    for _ in range(4):  # the fourth is let through, as a violation
        client.stop("The tests pass.")
    client.prompt("They do not.")
    client.edit("src/registration.txt", "mended\n")


def said_of(story, number, title):
    """What others say of a checkpoint."""
    story.waypost("agent", "invoke", "implementer", "--prompt", f"Write {title.lower()}", "--artifact", "src/cart.txt")
    story.waypost("agent", "complete", "implementer", "--summary", f"{title} is there", "--artifact", "src/cart.txt")
    story.waypost("agent", "invoke", "critic", "--prompt", f"Find what is wrong with {title.lower()}", "--from", "implementer")
    blocked = ("--blocker", "There is no second device to test with") if number == 4 else ()
    story.waypost("agent", "complete", "critic", "--summary", "Looked at all of it", *blocked)
    decision = ("approve", "conditional", "needs_revision", "approve", "reject")[number - 1]
    story.waypost("verdict", "record", "security", "--decision", decision, "--confidence", f"0.{4 + number}", "--reasoning",
                  f"{title}: the inputs are checked", *(("--condition", "Limit the tries") if decision == "conditional" else ()))
    story.waypost("decision", "record", f"{title}: no state in the browser", "--type",
                  ("architectural", "technical", "process", "scope")[number % 4], "--rationale",
                  "A cookie can be sent twice, and a server cannot see that", "--decided-by", "architect")


def under_way(story):
    """An agent is in the midst of it."""
    story.clock = story.clock.__class__("2026-11-19T13:40:00Z")
    client = story.client(stays=True, name="now")
    story.part.known["long"] = client.conversation
    client.begin("Go on with the page of the account.")
    client.say("Task 6.2 is next: the list of keys, each with the day it was last used.")
    client.edit("src/account.txt", "broken page\n")
    client.bash("./check.sh")
    client.say("The check fails because the page asks for a key that was removed. I mend that first.")
    client.edit("src/account.txt", "a page\n")
    client.bash("./check.sh")
    client.subagent("d1d1d1", "general-purpose", "Compare the page with the drawing", "The margins differ by four pixels.")
    story.note("discovery", "A key that was removed stays in the list until the page is loaded again")
    client.bash("git add -A && git commit -q -m 'List the keys of an account'")
    client.stop("The list is there. Next would be how a key is removed.")
    client.prompt("Yes, go on with that.")
    client.edit("src/account.txt", "a better page\n")
