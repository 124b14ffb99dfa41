"""The least that a hook in Python does: reads the event, and asks git for the branch."""

import fcntl
import json
import subprocess
import sys

import yaml

event = json.load(sys.stdin)
asked = ["git", "branch", "--show-current"]
branch = subprocess.run(asked, cwd=event["cwd"], capture_output=True, text=True, check=True).stdout.strip()
assert branch and fcntl and yaml
