"""Sessions as they go: what people and agents do in one, step by step, each at its time."""

import hashlib
import json

from harness.client import Client
from harness.clock import Clock


class Part:
    """A project of the world: its sessions and the conversations worth a look by name, and who is still at work there."""

    def __init__(self, project):
        self.project, self.sessions, self.known, self.clients = project, {}, {}, []

    def joined(self, other):
        """Takes over what was made in another work tree of the project."""
        self.sessions |= other.sessions
        self.known |= other.known
        self.clients += other.clients

    def story(self, name, objective, *options, at):
        """A session begins."""
        story = Story(self, objective, options, Clock(at))
        self.sessions[name] = story.id
        return story


class Story:
    """One session, while it is told."""

    def __init__(self, part, objective, options, clock):
        self.part, self.project, self.clock = part, part.project, clock
        self.id = self.project.start(objective, *options, at=str(clock))

    def waypost(self, *args, status=0):
        """A command about this session."""
        return self.project.waypost(*args, "--session", self.id, at=self.clock.tick(), status=status)

    def about(self, *args, status=0):
        """A command that takes the session as its last word."""
        return self.project.waypost(*args, self.id, at=self.clock.tick(), status=status)

    def note(self, kind, text):
        """Somebody writes something down."""
        self.about("note", "add", text, "--kind", kind)

    def client(self, stays=False, name=""):
        """A conversation begins in the session."""
        made = hashlib.sha256(f"{self.id[11:-7]} {name}".encode()).hexdigest()
        conversation = f"{made[:8]}-{made[8:12]}-4{made[13:16]}-a{made[17:20]}-{made[20:32]}"
        client = Client(self.project, conversation, self.clock)
        if stays:
            self.part.clients.append(client)
        return client

    def spec(self, text):
        """The spec is written, and its phase is over."""
        self.write("spec.md", text)
        self.waypost("phase", "complete")

    def plan(self, *checkpoints):
        """The plan is written, of titles with the titles of their tasks, and its phase is over."""
        made = [{"id": number, "title": title, "description": f"{title}, and nothing beside it.",
                 "tasks": [{"id": f"{number}.{place}", "title": task} for place, task in enumerate(tasks, 1)]}
                for number, (title, tasks) in enumerate(checkpoints, 1)]
        self.write("plan.json", json.dumps({"checkpoints": made}, indent=2))
        self.waypost("phase", "complete")

    def write(self, name, text):
        """Somebody writes a file of the session's folder."""
        file = self.project.folder_of(self.id) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def build(self, done, of, tasks=2):
        """So many checkpoints of the plan are built; the next one is under way."""
        self.waypost("checkpoint", "init")
        for number in range(1, min(done + 1, of) + 1):
            self.waypost("checkpoint", "start", str(number))
            for task in range(1, tasks + 1) if number <= done else (1,):
                self.waypost("task", "complete", f"{number}.{task}")
            if number <= done:
                self.waypost("checkpoint", "complete", str(number))

    def end(self, summary, *options):
        """The session is over."""
        self.about("end", "--summary", summary, *options)

    def pause(self, reason, context="All of it is in the plan."):
        """The session rests."""
        self.about("pause", "--reason", reason, "--context", context)
