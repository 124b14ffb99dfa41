#!/bin/sh
# Asks Waypost's gates before git goes on; made by `waypost init --git-hooks`.
# `waypost init --remove` puts back what was here before.
program=@PROGRAM@
case $0 in
*/*) before=${0%/*}/@HOOK@.before-waypost ;;
*) before=./@HOOK@.before-waypost ;;
esac
# The hook that was here before comes first. One for sh is read in, not run: so it still finds itself
# under its own name, which husky's ask for.
if [ -x "$before" ]; then
    first=
    IFS= read -r first <"$before"
    case $first in
    '#!/bin/sh' | '#! /bin/sh' | '#!/usr/bin/sh' | '#!/usr/bin/env sh') (. "$before") ;;
    *) "$before" "$@" ;;
    esac
    status=$?
    [ "$status" -eq 0 ] || exit "$status"
fi
if [ ! -x "$program" ]; then
    printf '%s\n' "error: Waypost's gates cannot be asked: $program is gone" \
        " next: install Waypost there again, or set it up anew: waypost init --git-hooks" \
        " next: git's own --no-verify goes past every hook, and is seen later" >&2
    exit 1
fi
exec "$program" git-hook @HOOK@ "$@"
