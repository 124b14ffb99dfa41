#!/bin/sh
# Waypost's hook for everyone who works on this project; made by `waypost init --shared`.
# With Waypost on PATH it takes part. Without it nothing is held, and the start of a session says so.
# Who runs the hooks of another client may leave their arguments out: it has hooks of its own.
[ $# != 0 ] || exit 0
if command -v waypost >/dev/null 2>&1; then
    exec waypost hook "$1" --shared
fi
input=$(cat)
case $1 in
# HARNESSES
esac
exit 0
