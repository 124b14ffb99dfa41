"""The walls around a scenario: own network (loopback only), processes and mounts."""

import fcntl
import os
import socket
import struct
import subprocess

MANAGED_SETTINGS = "/etc/claude-code"
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1


def command():
    """The words that put a command behind the walls, and take all it started down with it."""
    words = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc"]
    return words if os.geteuid() == 0 else [*words, "--map-root-user"]


def problem():
    """Why the walls cannot be built on this machine, or None."""
    try:
        tried = subprocess.run([*command(), "true"], capture_output=True, text=True)
    except FileNotFoundError:
        return "unshare is not installed (Debian: util-linux)"
    return tried.stderr.strip() or "unshare failed" if tried.returncode else None


def enter():
    """Called behind the walls: brings loopback up, refuses any other network, hides the machine's own settings."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        others = [name for _, name in socket.if_nameindex() if name != "lo" and _flags(sock, name) & _UP]
        if others:
            raise SystemExit(f"not behind walls: {', '.join(others)} is up")
        _flags(sock, "lo", _flags(sock, "lo") | _UP)
    if os.path.isdir(MANAGED_SETTINGS):
        subprocess.run(["mount", "-t", "tmpfs", "none", MANAGED_SETTINGS], check=True)


def manage(copy, settings):
    """Gives this scenario alone an administrator's settings: a copy of /etc with them lies over the machine's."""
    subprocess.run(["cp", "-a", "/etc/.", str(copy)], stderr=subprocess.DEVNULL)
    managed = copy / "claude-code"
    managed.mkdir(exist_ok=True)
    (managed / "managed-settings.json").write_text(settings)
    subprocess.run(["mount", "--bind", str(copy), "/etc"], check=True)


def _flags(sock, name, new=None):
    call = _GET_FLAGS if new is None else _SET_FLAGS
    return struct.unpack("16sH14x", fcntl.ioctl(sock, call, struct.pack("16sH14x", name.encode(), new or 0)))[1]
