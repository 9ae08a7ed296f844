// SPDX-License-Identifier: Apache-2.0
// Runs a plain compute shader with buffers, images and samplers at the bindings that its module declares.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "harness/device.h"

namespace millrace::dxil {

// Contents of the buffers by set and binding, in words; those that a shader declares and nobody names are zero. Of
// arrays of descriptors each has the content of one, with its index added to each word; results have one after the
// other. Images are filled by themselves, and those that can be written are among the results.
using BufferContents = std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>>;

struct ComputeRun {
    std::vector<uint32_t> words;
    BufferContents buffers;
    std::vector<uint32_t> pushConstants;
    // Buffers that the shader reaches by address: where in the push constants that is, in words, to their contents.
    std::map<uint32_t, std::vector<uint32_t>> addressed;
    uint32_t groups = 1;
    bool hasSparseImages = false;               // images that are sampled, see ImageShape
    uint32_t subgroupSize = 0;                  // that the pipeline is to have, unless 0
    VkFormat texelFormat = VK_FORMAT_R32_UINT;  // of texel buffers
    // Images of depths, and samplers that compare. All others repeat and take the nearest texel.
    std::set<std::pair<uint32_t, uint32_t>> depths;
    std::set<std::pair<uint32_t, uint32_t>> comparing;
};

// The buffers afterwards; those reached by address are at set kAddressed.
inline constexpr uint32_t kAddressed = 1000;
BufferContents runCompute(harness::Device& device, const ComputeRun& run);

}  // namespace millrace::dxil
