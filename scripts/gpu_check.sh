#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs what needs a device on one: conformance, programs, limits, generated commands, mesh shaders, examples, the demo, and
# random graphs until the minutes are over. Says what failed and how to see it again; the exit status is not 0 then. See docs/gpu.md.
#
#   scripts/gpu_check.sh MINUTES --device NAME     builds, packs and runs; --help has the other options
#   FOLDER/gpu_check.sh MINUTES --device NAME      runs in a folder that scripts/gpu_pack.sh made
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

if [[ ! -e $here/contents.tar.gz && ! -e $here/contents ]]; then
  packed=$here/../build-release/gpu-check
  "$here/gpu_pack.sh" "$packed"
  exec "$packed/gpu_check.sh" "$@"
fi
if [[ ! -e $here/contents ]]; then
  rm -rf "$here/unpacked"
  mkdir "$here/unpacked"
  tar -xzf "$here/contents.tar.gz" -C "$here/unpacked"
  mv "$here/unpacked/contents" "$here/contents"
  rmdir "$here/unpacked"
fi
exec python3 "$here/contents/gpu/check.py" "$here/contents" "$@"
