"""A protocol that the project wrote down itself, followed from its file in the real client."""

import json

from harness.protocol import HANDOFF, furnish, waypost
from harness.registry import scenario
from harness.steps import bash, edit, mcp, read, say, write

FILE = ".agents/SESSION-PROTOCOL.md"
CONFIG = f'[project]\nprotocol = "{FILE}"\n\n[protocol]\ndrop = ["sweep_deck"]\n'
PROTOCOL = """# Session Protocol

> **Protocol Version**: 3.0

## Session Start Protocol

### Phase 1: Serena Initialization (BLOCKING)

1. The agent MUST call `mcp__serena__activate_project` with the project path
2. The agent MUST call `mcp__serena__initial_instructions` after that
3. The agent MUST NOT change files until both calls succeed

### Phase 2: Context Retrieval (BLOCKING)

1. The agent MUST read `.agents/HANDOFF.md` for what came before

### Phase 1.5: Issue Handoff (BLOCKING when issue context exists)

1. The agent MUST read the newest handoff of the issue

### Phase 4: Session Log Creation (REQUIRED)

1. The agent MUST create a session log file at `.agents/sessions/YYYY-MM-DD-session-NN.json`

### Phase 4: Branch Verification

1. The agent SHOULD run `git status` to understand the state

```markdown
## Session Start (COMPLETE ALL before work)

### Phase 9: Not a phase (BLOCKING)

| Req | Step | Status | Evidence |
|-----|------|--------|----------|
| MUST | Initialize Serena: `mcp__serena__activate_project` | [ ] | output |
| MUST | Read `.agents/HANDOFF.md` | [ ] | in context |
| SHOULD | Count: `grep -E "a|b" x | wc -l` | [ ] | a number |
```

## Session End Protocol

### Phase 1: Documentation Update (REQUIRED)

1. The agent MUST NOT update `.agents/HANDOFF.md` directly
2. The agent MUST complete the session log
3. The agent MUST tell the harbour master what was loaded
4. The agent MUST sweep the deck

### Phase 2: Quality Checks (REQUIRED)

1. The agent MUST run `./check.sh` on what changed

### Phase 3: Git Operations (REQUIRED)

1. The agent MUST commit all changes
"""


def log_of(done):
    """A session log as other tools write it."""
    item = {"level": "MUST", "Complete": done, "Evidence": "the commit" if done else ""}
    return json.dumps({"protocolCompliance": {"sessionEnd": {"changesCommitted": item}}}, indent=2) + "\n"


@scenario
def a_day_by_the_projects_own_protocol_from_start_to_complete(t):
    t.project.write(FILE, PROTOCOL)
    furnish(t)
    t.project.write("waypost.toml", CONFIG)
    t.project.commit_all("Follow our own protocol")
    shown = json.loads(t.project.waypost("protocol", "show", "--json").stdout)
    assert [phase["name"] for phase in shown["phases"]][:3] == [
        "Serena Initialization", "Context Retrieval", "Issue Handoff"], shown["phases"]
    with t.claude() as claude:
        claude.turn("Add login.",
                    waypost("session_start", objective="Add login").works("Serena Initialization"),
                    write("login.rs", "new\n").denied("mcp__serena__activate_project"),
                    mcp("serena", "activate_project", project="."),
                    mcp("serena", "initial_instructions"),
                    waypost("validate_gate", phase="SERENA_INIT").works('"status":"PASS"', "observed"),
                    waypost("advance_phase", target_phase="WORKING").works('"blocked_by":["Context Retrieval"'),
                    read(HANDOFF),
                    say("I am ready."))
        [session] = [one["session_id"] for one in t.project.sessions() if one["objective"] == "Add login"]
        log = f".agents/sessions/{session}-login.json"
        claude.turn("Begin.",
                    write(log, log_of(False)),
                    waypost("advance_phase", target_phase="WORKING").works('"current_phase":"WORKING"'),
                    write("login.rs", "new\n"),
                    bash("./check.sh"),
                    bash("git add . && git commit -qm 'Add login'"),
                    waypost("session_end", summary="done").works("INCOMPLETE", "leaves open", "harbour master",
                                                                 lacks="sweep"),
                    edit(log, log_of(False), log_of(True)),
                    waypost("record_evidence", phase="Documentation Update", step="tell_harbour_master_what_was",
                            evidence_type="manual", evidence="One box of tea, told at noon"),
                    bash("git add . && git commit -qm 'Write the log'"),
                    bash("./check.sh"),
                    waypost("session_end", summary="done", next_session_notes="Add logout").works(
                        '"status":"COMPLETE"'),
                    say("Done."))
    assert t.project.commits()[:2] == ["Write the log", "Add login"], t.project.commits()


@scenario
def a_protocol_that_cannot_be_read_begins_nothing(t):
    furnish(t)
    t.project.write("waypost.toml", CONFIG)
    with t.claude() as claude:
        claude.turn("Add login.",
                    waypost("session_start", objective="Add login").fails(FILE, lacks="no protocol"),
                    say("It cannot begin."))
