#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs conformance and random graphs on lavapipe as each device of tests/drivers/devices (docs/drivers.md), with the
# validation layer in between. Says for each what ran and what failed; fails if anything did.
#
#   scripts/device_check.sh FOLDER [GRAPHS] [DEVICE...]
#
# FOLDER is that of a build with tests. GRAPHS (100) is how many random graphs run on each device; DEVICE is the name of a
# file without .txt (all that can run graphs). What programs say is in FOLDER/device_check. JOBS (all processors) is how
# many programs run side by side.
set -uo pipefail
sources=$(cd "$(dirname "$0")/.." && pwd)
if [[ $# -lt 1 || ! -x $1/tests/conformance/test_conformance ]]; then
  sed -n '3,11s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
build=$(cd "$1" && pwd)
graphs=${2:-100}
shift $(($# < 2 ? $# : 2))
declare -A seeds=()
for file in "$sources"/tests/drivers/devices/*.txt; do
  grep -q 'cannot run graphs\|No device' "$file" || seeds[$(basename "$file" .txt)]=$((20000 + ${#seeds[@]} * 1000))
done
devices=("$@")
if [[ ${#devices[@]} -eq 0 ]]; then
  mapfile -t devices < <(printf '%s\n' "${!seeds[@]}" | sort)
fi

export VK_DRIVER_FILES=${VK_DRIVER_FILES:-/usr/share/vulkan/icd.d/lvp_icd.json}
export VK_ADD_LAYER_PATH=$build/src/layer:$build/tests/drivers
# Compiling takes most of the time. What has been compiled for one device, the next that has the same shaders finds in a
# cache, which is larger than Mesa's own and stays.
export LP_NATIVE_VECTOR_WIDTH=128 GALLIVM_PERF=nopt
export MESA_SHADER_CACHE_DIR=$build/device_check/shaders MESA_SHADER_CACHE_MAX_SIZE=8G
mkdir -p "$MESA_SHADER_CACHE_DIR"
jobs=${JOBS:-$(nproc)}
status=0

# By name: part I of as many as there are jobs, on DEVICE, which has random graphs of its own.
conformance() { GTEST_TOTAL_SHARDS=$jobs GTEST_SHARD_INDEX=$1 "$build/tests/conformance/test_conformance"; }
random_graphs() {
  local first=$((graphs * $1 / jobs)) behind=$((graphs * ($1 + 1) / jobs))
  [[ $first == "$behind" ]] ||
    "$build/tests/random/random_graphs" --count $((behind - first)) --seed $((${seeds[$2]:-20000} + first))
}

# run DEVICE KIND
run() {
  local log=$build/device_check/$1.$2 begun=$SECONDS result=passed part parts=() told
  rm -f "$log".*
  for ((part = 0; part < jobs; ++part)); do
    MILLRACE_TEST_DEVICE_FILE=$sources/tests/drivers/devices/$1.txt "$2" "$part" "$1" >"$log.$part" 2>&1 &
    parts+=($!)
  done
  for part in "${parts[@]}"; do
    wait "$part" || result=FAILED
  done
  told=$(cat "$log".* | grep -aE '^\[  (PASSED|SKIPPED|FAILED) *\] |^[0-9]+ passed|^FAILED seed')
  # Where nothing ran nothing has passed.
  grep -qE '^\[  PASSED  \] [1-9]|^[1-9][0-9]* passed' <<<"$told" || result=FAILED
  [[ $result == passed ]] || status=1
  printf '%-18s %-13s %-6s %5d s  %s\n' "$1" "$2" "$result" $((SECONDS - begun)) "$(sort -u <<<"$told" | tr '\n' ' ')"
}

for device in "${devices[@]}"; do
  run "$device" conformance
  run "$device" random_graphs
done
exit $status
