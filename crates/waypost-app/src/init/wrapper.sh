#!/bin/sh
# Waypost's hook for everyone who works on this project; made by `waypost init --shared`.
# With Waypost on PATH it takes part. Without it nothing is held, and the start of a session says so.
if command -v waypost >/dev/null 2>&1; then
    exec waypost hook "${1:-claude-code}" --shared
fi
input=$(cat)
case $input in
*'"hook_event_name":"SessionStart"'* | *'"hook_event_name": "SessionStart"'*)
    printf '%s\n' '{"systemMessage":"This project uses Waypost, which is not installed here, so its gates are not enforced. To install it, run ./scripts/install in a copy of the Waypost sources, then `waypost init` in this project."}'
    ;;
esac
exit 0
