#!/bin/sh
# Install Waypost @VERSION@ for this user: fetch the archive for this machine, check its digest, and put the
# program, its manual pages and its completions in place.
#
#   sh install.sh                        into ~/.local
#   WAYPOST_PREFIX=/usr/local sh install.sh
#   WAYPOST_DOWNLOADS=URL sh install.sh  archives from elsewhere; their digests have to be the same
set -eu

version=@VERSION@
# Architectures, each with the SHA-256 of its archive.
digests="@DIGESTS@"
downloads=${WAYPOST_DOWNLOADS:-@REPOSITORY@/releases/download/v$version}
prefix=${WAYPOST_PREFIX:-$HOME/.local}

fail() {
    echo "install: $*" >&2
    exit 1
}

machine=$(uname -m)
[ "$(uname -s)" = Linux ] || fail "there is a program for Linux only; build it from source, or on Windows use WSL"
digest=$(echo "$digests" | sed -n "s/^$machine //p")
[ -n "$digest" ] || fail "there is no program for $machine; build it from source"

name=waypost-$version-$machine-unknown-linux-musl
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
archive=$folder/$name.tar.gz
if command -v curl >/dev/null 2>&1; then
    curl --proto '=https,http' --fail --silent --show-error --location --output "$archive" "$downloads/$name.tar.gz" ||
        fail "$downloads/$name.tar.gz cannot be fetched"
elif command -v wget >/dev/null 2>&1; then
    wget --quiet --output-document="$archive" "$downloads/$name.tar.gz" ||
        fail "$downloads/$name.tar.gz cannot be fetched"
else
    fail "neither curl nor wget is there to fetch with"
fi

printf '%s  %s\n' "$digest" "$archive" | sha256sum -c - >/dev/null 2>&1 ||
    fail "what was fetched is not what was released: its digest is another one, and nothing was installed"
tar -xzf "$archive" -C "$folder"

mkdir -p "$prefix/bin" "$prefix/share"
cp -R "$folder/$name/share/." "$prefix/share/"
# By a rename: a hook that is just starting sees the old program or the new one, never half of one.
cp "$folder/$name/bin/waypost" "$prefix/bin/.waypost.$$"
mv -f "$prefix/bin/.waypost.$$" "$prefix/bin/waypost"
echo "installed $("$prefix/bin/waypost" --version) at $prefix/bin/waypost"
case ":$PATH:" in
    *":$prefix/bin:"*) ;;
    *) echo "$prefix/bin is not on your PATH. Add it:  export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
