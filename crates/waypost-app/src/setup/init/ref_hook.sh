#!/bin/sh
# Tells Waypost what happens to branches; made by `waypost init`.
# `waypost init --remove` puts back what was here before.
program=@PROGRAM@
before=$0.before-waypost
# Without Waypost git goes on as it would have without this file.
if [ -x "$program" ]; then
    if [ -x "$before" ]; then
        exec "$program" git-hook reference-transaction "$1" "$before"
    fi
    exec "$program" git-hook reference-transaction "$1"
fi
if [ -x "$before" ]; then
    exec "$before" "$@"
fi
exit 0
