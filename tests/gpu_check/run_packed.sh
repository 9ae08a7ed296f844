#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs what a build folder has and runs a little of each kind: run_packed.sh BUILD FOLDER
set -euo pipefail
scripts=$(cd "$(dirname "$0")/../../scripts" && pwd)

# A build with debug information for which the size is no matter.
MILLRACE_PACK_MIB=1000 "$scripts/gpu_pack.sh" "$2" --from "$1"
# The folder is all that is needed: neither the build tree's layer nor its shaders.
unset VK_ADD_LAYER_PATH
some='Grid.Static*:*StructInput/direct_minimum:Limits.RecursionToDepth*:first_graph:*BehindAGraph*:By/*ManyWorkgroups*'
some+=':DispatchVariant.NoWorkgroups*:*MeshDraws.Cells*:RandomMeshShaders.Pictures*'
export MILLRACE_TEST_MESH_COUNT=4
exec "$2/gpu_check.sh" 60 --device "${MILLRACE_TEST_DEVICE:-llvmpipe}" --graphs 2 --seed 0 --results "$2/results.txt" \
  --filter "$some"
