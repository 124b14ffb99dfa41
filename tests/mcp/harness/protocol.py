"""The built-in protocol from its first call to the last, as an agent goes through it whom no hook watches."""

import hashlib

from .peer import same
from .project import FURNITURE

BEFORE_WORK = ["SERENA_INIT", "SKILL_VALIDATION", "CONTEXT_RETRIEVAL", "SESSION_LOG"]
SAID = {"activate_project": "the project is active", "initial_instructions": "I read them"}
READ = [("SKILL_VALIDATION", ".serena/memories/skill-usage-mandatory.md"),
        ("CONTEXT_RETRIEVAL", ".agents/HANDOFF.md"),
        ("CONTEXT_RETRIEVAL", ".agents/governance/PROJECT-CONSTRAINTS.md")]

HOW = {"SERENA_INIT": "an agent said so", "SKILL_VALIDATION": "verified", "CONTEXT_RETRIEVAL": "verified",
       "SESSION_LOG": "is there"}


async def protocol(peer, project):
    """Begins, is held, gets ready, works, is told what is missing, and ends."""
    session = await is_held_at_first(peer)
    async with peer.watching("session://checklist") as told:
        await gives_evidence(peer, project, session)
        await told()
    await begins_to_work(peer)
    await works_and_ends(peer, project, session)


async def is_held_at_first(peer):
    """A session has begun; nothing that the protocol asks for is done."""
    started = await peer.works("session_start", objective="Add login")
    same((started["phase"], started["blocked_until"]), ("INIT", BEFORE_WORK))
    again = await peer.refused("session_start", objective="Add login")
    same("Session already active" in again["message"], True)
    blocked = await peer.works("get_blocked_reason")
    same((blocked["is_blocked"], [gate["phase"] for gate in blocked["blocked_phases"]]), (True, BEFORE_WORK))
    same((await peer.works("validate_gate", phase="ALL"))["status"], "FAIL")
    held = await peer.works("advance_phase", target_phase="WORKING")
    same((held["success"], held["state"], held["current_phase"]), (False, "BLOCKED", "INIT"))
    same(held["blocked_by"], ["SERENA_INIT"])
    same(await violations(peer), [("SERENA_INIT", False)])
    return started["session_id"]


async def gives_evidence(peer, project, session):
    """What was only said is kept as said; what can be looked at is looked at."""
    for step, words in SAID.items():
        said = await peer.works("record_evidence", phase="SERENA_INIT", evidence_type="tool_output",
                                evidence=f"{step}: {words}")
        same((said["step"], said["evidence_recorded"], said["auto_validated"]), (step, True, False))
    wrong = await peer.works("record_evidence", phase="CONTEXT_RETRIEVAL", evidence_type="content_hash",
                             evidence="HANDOFF.md 0123456789abcdef")
    same((wrong["evidence_recorded"], wrong["gate_status"]), (False, "FAIL"))
    for gate, path in READ:
        sha256 = hashlib.sha256(FURNITURE[path].encode()).hexdigest()
        known = await peer.works("record_evidence", phase=gate, evidence_type="content_hash",
                                 evidence=f"{path} {sha256}")
        same((path, known["evidence_recorded"], known["auto_validated"]), (path, True, True))
    log = f".agents/sessions/{session}.md"
    project.write(log, "| MUST | Commit | [x] | |\n")
    there = await peer.works("record_evidence", phase="SESSION_LOG", evidence_type="file_path", evidence=log)
    same((there["auto_validated"], there["gate_status"]), (True, "PASS"))


async def begins_to_work(peer):
    """Every gate holds for its reason, and the phase of the work can be entered."""
    shown = {gate: await peer.works("validate_gate", phase=gate) for gate in BEFORE_WORK}
    same({gate: found["status"] for gate, found in shown.items()}, dict.fromkeys(BEFORE_WORK, "PASS"))
    same({gate: words for gate, words in HOW.items() if words not in shown[gate]["evidence"]}, {})
    same(await violations(peer), [("SERENA_INIT", True)])
    checklist = await peer.resource("session://checklist")
    same([item["step"] for item in checklist["start"] if item["requirement_level"] == "MUST"
          and item["status"] != "done"], [])
    advanced = await peer.works("advance_phase", target_phase="WORKING")
    same((advanced["success"], advanced["current_phase"], advanced["blocked_by"]), (True, "WORKING", []))
    same((await peer.works("get_blocked_reason"))["is_blocked"], False)


async def works_and_ends(peer, project, session):
    """An end that comes too early changes nothing; the one after everything was done is the end."""
    project.write("src/a.rs", "fn main() {}\n")
    open_end = await peer.works("session_end", summary="done", skip_qa=True)
    same((open_end["status"], open_end["handoff_updated"]), ("INCOMPLETE", False))
    steps = " ".join(open_end["next_steps"])
    missing = ["change .agents/HANDOFF.md", "qaVerdict", "git commit", "skip_qa does not hold"]
    same([words for words in missing if words not in steps], [])
    project.write(".agents/HANDOFF.md", "it was done\n")
    project.write(".agents/qa/report.md", f"---\nqaVerdict: PASS\nqaSessionLog: .agents/sessions/{session}.md\n---\n")
    sha = project.commit("Do it")
    async with peer.watching(f"session://{session}/state") as told:
        known = await peer.works("record_evidence", phase="GIT_COMMIT", evidence_type="commit_sha", evidence=sha)
        same((known["auto_validated"], known["gate_status"]), (True, "PASS"))
        await told()
    every = await peer.works("validate_gate", phase="ALL")
    same((every["status"], len(every["gates"])), ("PASS", 9))
    ended = await peer.works("session_end", summary="done", next_session_notes="go on")
    same((ended["status"], ended["handoff_updated"], ended["commit_sha"]), ("COMPLETE", True, sha))
    state = await peer.resource(f"session://{session}/state")
    same(state["lifecycle"], "completed")
    following = await peer.works("session_start", objective="The next")
    same(following["session_id"] != session, True)


async def violations(peer):
    """The gates that were missed, and whether each was made good."""
    found = await peer.resource("session://violations")
    return [(missed["gate"], bool(missed.get("recovery"))) for missed in found["violations"]]
