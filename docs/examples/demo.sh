#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Compile docs/examples/demo.toml, show what this host enforces, then read a greeting
# and a secret: outside the sandbox both, inside only the greeting.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
launcher=$here/../../build/stockade-launch
place=$(mktemp -d /var/tmp/stockade-demo.XXXXXX)
trap 'rm -rf "$place"' EXIT
chmod 755 "$place"
mkdir "$place/in"
echo 'hello from inside the granted folder' > "$place/in/greeting"
echo 'the secret' > "$place/secret"
chmod -R a+rX "$place"
cp "$launcher" "$place/stockade-launch"
sed "s|/srv/stockade-demo|$place|" "$here/demo.toml" > "$place/demo.toml"

# Root is refused by the launcher, since its rights would survive the sandbox. So
# that inside and outside differ in nothing but the sandbox, both run as `nobody`.
if [ "$(id -u)" = 0 ]; then
	echo '# started as root: everything below runs as user 65534 (nobody)'
	as() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
else
	as() { "$@"; }
fi

step() {
	printf '\n$ %s\n' "$1"
}

step 'stockade compile demo.toml -o sandbox'
stockade compile "$place/demo.toml" -o "$place/sandbox"
chmod -R a+rX "$place/sandbox"
artifact=$place/sandbox/demo.linux-$(uname -m).stk

step 'stockade-launch --check sandbox/demo.stk -- /usr/bin/cat'
as "$place/stockade-launch" --check "$artifact" -- /usr/bin/cat

step 'cat in/greeting secret        # outside the sandbox both can be read'
as cat "$place/in/greeting" "$place/secret"

step 'stockade-launch sandbox/demo.stk -- /usr/bin/cat in/greeting'
as "$place/stockade-launch" "$artifact" -- /usr/bin/cat "$place/in/greeting"

step 'stockade-launch sandbox/demo.stk -- /usr/bin/cat secret'
if as "$place/stockade-launch" "$artifact" -- /usr/bin/cat "$place/secret"; then
	echo 'the secret was read inside the sandbox: this must never happen' >&2
	exit 1
fi
printf '\nthe same read, refused inside the sandbox\n'
