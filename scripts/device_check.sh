#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs conformance and random graphs on lavapipe as each device of tests/drivers/devices (docs/drivers.md), with the
# validation layer in between. Says for each what ran and what failed; fails if anything did.
#
#   scripts/device_check.sh FOLDER [GRAPHS] [DEVICE...]
#
# FOLDER is that of a build with tests. GRAPHS (100) is how many random graphs run on each device; DEVICE is the name of a
# file without .txt (all that can run graphs). What programs say is in FOLDER/device_check.
set -uo pipefail
sources=$(cd "$(dirname "$0")/.." && pwd)
if [[ $# -lt 1 || ! -x $1/tests/conformance/test_conformance ]]; then
  sed -n '3,10s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
build=$(cd "$1" && pwd)
graphs=${2:-100}
shift $(($# < 2 ? $# : 2))
devices=("$@")
if [[ ${#devices[@]} -eq 0 ]]; then
  for file in "$sources"/tests/drivers/devices/*.txt; do
    grep -q 'cannot run graphs\|No device' "$file" || devices+=("$(basename "$file" .txt)")
  done
fi

export VK_DRIVER_FILES=${VK_DRIVER_FILES:-/usr/share/vulkan/icd.d/lvp_icd.json}
export VK_ADD_LAYER_PATH=$build/src/layer:$build/tests/drivers
# Compiling takes most of the time.
export LP_NATIVE_VECTOR_WIDTH=128 GALLIVM_PERF=nopt
mkdir -p "$build/device_check"
status=0

# run DEVICE KIND COMMAND...
run() {
  local log=$build/device_check/$1.$2 begun=$SECONDS result=passed
  MILLRACE_TEST_DEVICE_FILE=$sources/tests/drivers/devices/$1.txt "${@:3}" >"$log" 2>&1 || { result=FAILED; status=1; }
  printf '%-18s %-13s %-6s %5d s  %s\n' "$1" "$2" "$result" $((SECONDS - begun)) \
    "$(grep -E '^\[  (PASSED|FAILED|SKIPPED) *\] [0-9]|^[0-9]+ passed|^FAILED seed' "$log" | tr '\n' ' ')"
}

for device in "${devices[@]}"; do
  run "$device" conformance "$build/tests/conformance/test_conformance"
  run "$device" random_graphs "$build/tests/random/random_graphs" --count "$graphs" --seed 4000
done
exit $status
