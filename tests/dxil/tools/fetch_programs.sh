#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetches programs of others, which are never committed: tests/dxil/tools/fetch_programs.sh FOLDER URL@REVISION...
#
# Each repository is put into FOLDER under its own name, at the revision (a whole commit name), without history. What is
# there already stays, if it has the revision. docs/dxil.md has the names and revisions of those that were tried.
set -euo pipefail

if [[ $# -lt 2 || $1 == -* ]]; then
  sed -n '3,6s/^# //p' "$0" >&2
  exit 2
fi
folder=$1
shift
for source in "$@"; do
  url=${source%@*} revision=${source##*@}
  if [[ $url == "$source" || ! $revision =~ ^[0-9a-f]{40}$ ]]; then
    echo "fetch_programs: '$source' does not end in '@' and a commit of 40 digits" >&2
    exit 2
  fi
  name=$(basename "$url" .git)
  target=$folder/$name
  if [[ $(git -C "$target" rev-parse HEAD 2>/dev/null) == "$revision" ]]; then
    echo "$name is there"
    continue
  fi
  if [[ -e $target ]]; then
    echo "fetch_programs: $target is there with something else; remove it first" >&2
    exit 1
  fi
  git init --quiet "$target"
  git -C "$target" fetch --quiet --depth 1 "$url" "$revision"
  git -C "$target" checkout --quiet FETCH_HEAD
  echo "$name $revision"
done
