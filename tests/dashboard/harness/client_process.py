"""client_process.py WAYPOST: what stands above hook calls. Reads requests as lines of JSON, answers each with one.

`{"hook": INPUT}` calls the hook through a socket, as the client does; `{"bash": LINE}` runs a command line.
"""

import json
import socket
import subprocess
import sys


def main(waypost):
    """Answers until nobody asks any more."""
    for line in sys.stdin:
        asked = json.loads(line)
        how = {"cwd": asked["cwd"], "env": asked["env"]}
        done = hook(waypost, asked["hook"], how) if "hook" in asked else bash(asked["bash"], how)
        print(json.dumps(done), flush=True)


def hook(waypost, told, how):
    """Calls the hook; the other end of its input is this process."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = subprocess.Popen([waypost, "hook", "claude-code"], stdin=theirs, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, **how)
        ours.sendall(json.dumps(told).encode())
        ours.shutdown(socket.SHUT_WR)
        out, err = process.communicate()
    return {"status": process.returncode, "stdout": out, "stderr": err}


def bash(line, how):
    """Runs a command line."""
    done = subprocess.run(["bash", "-c", line], stdin=subprocess.DEVNULL, capture_output=True, text=True, **how)
    return {"status": done.returncode, "stdout": done.stdout, "stderr": done.stderr}


if __name__ == "__main__":
    main(*sys.argv[1:])
