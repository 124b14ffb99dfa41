"""A workflow from its first phase to the last, with a build inside: begun, failed, retried, rolled back, completed."""

import json

from .peer import same

PLAN = {"checkpoints": [{"id": 1, "title": "Form"}, {"id": 2, "title": "Session"}]}


async def workflow(peer, project):
    """In the session that is there, which follows none yet."""
    listed = await peer.works("workflow_list")
    same({"full", "quick", "research"} <= {one["name"] for one in listed["workflows"]}, True)
    begun = await peer.works("workflow_start", workflow="quick", target="specs/login")
    same(begun["new_session"], False)
    offered = await peer.refused("workflow_start", workflow="quick", target="./specs/login/")
    same("goes on already" in offered["message"], True)
    unplanned = await peer.works("workflow_complete_phase", phase="plan", evidence={"plan": "written"})
    same((unplanned["checkpoint_passed"], unplanned["current_phase"]), (False, "plan"))
    project.write(f"agents/sessions/{project.session}/plan.json", json.dumps(PLAN))
    planned = await peer.works("workflow_complete_phase", phase="plan", evidence={"plan": "written"})
    same((planned["checkpoint_passed"], planned["next_phase"]), (True, "build"))
    await builds(peer, project)
    back = await peer.works("workflow_rollback", to_phase=1, reason="the plan was wrong")
    same(back["current_phase"], "plan")
    await peer.works("workflow_complete_phase", phase=1, evidence={})
    done = await peer.works("workflow_complete_phase", phase="build", evidence={})
    same((done["workflow_complete"], done["next_phase"]), (True, None))
    state = await peer.works("session_get_state")
    same((state["phase"], state["track"]["current_phase"]), ("complete", 2))
    same("Current Status: completed" in state["brief"], True)


async def builds(peer, project):
    """A phase that is not done is not left."""
    shown = await peer.works("workflow_get_phase")
    same((shown["phase"], shown["is_current"]), ("build", True))
    await peer.refused("workflow_get_task", phase="build", task_number=1)
    await peer.works("session_init_build", checkpoints_total=2)
    await peer.works("session_complete_checkpoint", checkpoint_id=2)
    failed = await peer.works("workflow_complete_phase", phase="build", evidence={})
    same((failed["checkpoint_passed"], failed["current_phase"]), (False, "build"))
    same(bool(failed["validation"]["errors"] and failed["validation"]["next_steps"]), True)
    errors = await peer.works("workflow_get_errors")
    same([one["phase"] for one in errors["errors"]], ["plan", "build"])
    retried = await peer.works("workflow_retry_phase", phase="build", reset_evidence=True)
    same(retried["current_phase"], "build")
    await peer.works("session_complete_checkpoint", checkpoint_id=1)
    untested = await peer.works("workflow_complete_phase", phase="build", evidence={})
    same((untested["checkpoint_passed"], untested["current_phase"]), (False, "build"))
    project.run(project.waypost, "run", "--", "./check.sh")
