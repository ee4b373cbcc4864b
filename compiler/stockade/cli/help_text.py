# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold the text of `--help`, which fits a screen of 24 lines."""

from __future__ import annotations

HELP = """\
usage: stockade run [OPTIONS] [--] PROGRAM [ARGS...]
       stockade check [OPTIONS] [[--] PROGRAM]
       stockade compile POLICY [-o DIR] [--target TARGET]...
       stockade verify BUNDLE | disasm BUNDLE
run confines PROGRAM and becomes it; check prints what this host enforces;
compile writes an artifact and its text per target; verify repeats its proof.

  --policy FILE                      read a policy; `-` is standard input
  --read PATH                        read files and list folders below PATH
  --read-exec PATH                   the same, and execute
  --read-write PATH                  read, create, change, delete; never execute
  --system none|minimal              what programs need to start (minimal)
  --symlinks deny|allow              links made in writable paths (deny)
  --ip none|client|all               IPv4 and IPv6, loopback too (none)
  --unix-sockets none|all            Unix sockets (none)
  --signals isolated|any             to processes outside the sandbox (any)
  --children none|allowed            other processes (allowed)
  --linux-path-metadata deny|allow   chmod, chown and the like by path (deny)
  --pass-env NAME, --set-env NAME=VALUE   pass a variable on if set; set one
  --json                             check prints one object, for programs
  --hide-warning ID, --no-warnings, --show-warning ID   choose warnings
PATH and NAME options repeat. Paths add to the policy's; the others replace.
Status: PROGRAM's own, or 125: refused or failed, says why. check and verify:
0 yes, 1 no, 125 undecided, conflict or refused.
"""
