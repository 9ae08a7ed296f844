// SPDX-License-Identifier: Apache-2.0
// Code that runs in one workgroup of a payload alone: the last to ask whether it is (OpFinishWritingNodePayloadAMDX).
#pragma once

#include "spirv/module.h"

namespace millrace::nodes {

// Whether the module allocates payloads, and only in `entry`, behind branches that no workgroup takes to which
// OpFinishWritingNodePayloadAMDX has not returned true: "Result is equal to OpConstantTrue if all workgroups that can
// access this payload have called this function" (SPV_AMDX_shader_enqueue). The device functions count the calls and
// return true for one number of them, so to one workgroup of a payload at most, however often it is called.
bool allocatesWhenFinished(const spirv::Module& module, spirv::Id entry);

}  // namespace millrace::nodes
