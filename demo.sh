#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds Millrace and draws the Mandelbrot set with an execution graph; see examples/mandelbrot.
#
#   ./demo.sh [--yes] [option of the demo...]     for example --size 4096 --iterations 2000, or --help
#
# Packages that are missing are installed first; --yes does not ask, see scripts/setup.sh.
# Runs on the software driver lavapipe, so that it runs everywhere. With --device, or with VK_DRIVER_FILES set, it runs on
# that device instead.
set -euo pipefail
cd "$(dirname "$0")"

yes=()
if [[ ${1:-} == --yes ]]; then
  yes=(--yes)
  shift
fi
scripts/build.sh "${yes[@]}" release demo

export VK_ADD_LAYER_PATH=$PWD/build-release/src/layer${VK_ADD_LAYER_PATH:+:$VK_ADD_LAYER_PATH}
export VK_INSTANCE_LAYERS=VK_LAYER_MILLRACE_emulation${VK_INSTANCE_LAYERS:+:$VK_INSTANCE_LAYERS}
if [[ -z ${VK_DRIVER_FILES:-} && " $* " != *" --device "* ]]; then
  for manifest in {/usr/local/share,/usr/share,/etc}/vulkan/icd.d/lvp_icd*.json; do
    if [[ -e $manifest ]]; then
      export VK_DRIVER_FILES=$manifest
      break
    fi
  done
fi
build-release/examples/mandelbrot/mandelbrot --output "$PWD/build-release/mandelbrot.png" "$@"
