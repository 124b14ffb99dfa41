"""Sessions as there are many: an agent works on something for an hour, and that goes well or not."""

SPEC = """# {title}

## Goals

- {title}, so that nobody has to do it by hand
- Nothing changes for those who do not ask for it

## Open questions

- [x] Is it for everybody? Yes.
- [ ] Who writes the announcement?

## Decisions

- Keep the old way for one release: people have scripts
"""
CHECKPOINTS = (("Read what is there", ("Find the callers", "Write down what they rely on")),
               ("Change it", ("Write the new part", "Move the callers over")),
               ("Clean up", ("Take the old part out", "Tell people")))


def work(story, client, file, note=None):
    """An agent changes a file, is held until the checks ran, and commits."""
    client.begin(f"Go on with this: {file} is first.")
    client.say("I look at what is there before I change anything.")
    client.bash("cat README.md")
    client.edit(file, f"changed at {story.clock}\n")
    client.stop()
    client.bash("./check.sh")
    if note:
        story.note("discovery", note)
    client.bash(f"git add -A && git commit -q -m 'Change {file}'")
    client.stop("It is done, and the checks pass.")


def ordinary(part, number, at, title, workflow, until):
    """A session of a workflow that came so far: `spec`, `plan`, `build`, `docs`, or an end of it."""
    story = part.story(f"ordinary-{number}", title, "--workflow", workflow, at=at)
    with story.client() as client:
        if workflow in ("full", "research"):
            if until == "spec":
                story.write("spec.md", SPEC.format(title=title))
                return story
            story.spec(SPEC.format(title=title))
        if workflow in ("full", "quick"):
            if until == "plan":
                client.begin("Write the plan.")
                client.stop("I wrote down what I would do.")
                return story
            story.plan(*CHECKPOINTS)
            story.build(1 if until == "build" else 3, 3)
            work(story, client, f"src/part{number}.txt", "The callers rely on the order.")
            if until in ("docs", "completed"):
                story.waypost("phase", "complete")
            if until == "completed" and workflow == "full":
                story.waypost("phase", "skip", "--reason", "Nothing that users see")
        elif workflow == "none":
            work(story, client, f"src/part{number}.txt")
        client.end()
    finish(story, until)
    return story


def finish(story, until):
    """What became of the session after the work."""
    if until == "completed":
        story.end("It works as it was meant to.", "--next-notes", "Look at the figures in a week.")
    elif until == "failed":
        story.end("The library cannot do it.", "--failed", "--next-notes", "Try another one.")
    elif until == "paused":
        story.pause("Waiting for an answer of the vendor")
