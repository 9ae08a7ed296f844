// SPDX-License-Identifier: Apache-2.0
// The blocks of a function in the order of its structure, and which constructs are around them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/inline_vector.h"
#include "spirv/module.h"

namespace millrace::spirv {

inline constexpr uint32_t kNoBlock = UINT32_MAX;

bool isMerge(const Instruction& i);

// Where the block's merge instruction is, or the size of the body. Only lines and the like stand behind it.
size_t findMerge(const InstructionList& body);

struct FunctionStructure {
    struct Node {
        InlineVector<uint32_t, 3> targets;  // of its branch, each as often as it is named
        bool isLoop = false;                // it is the header of a loop
        // Of a header, which the block is if it has a merge block.
        uint32_t merge = kNoBlock;
        uint32_t continues = kNoBlock;
        // The header of the construct that the block is in, which is the block itself if it is one.
        uint32_t construct = kNoBlock;
        uint32_t place = kNoBlock;  // in `order`; none where no structure leads
    };

    // `blockOf`: room by id for where labels are.
    FunctionStructure(const Function& function, std::vector<uint32_t>& blockOf);

    // Blocks by index: headers, what they choose from, what continues a loop, what is behind. So a block comes behind
    // all that branch to it, but for those that continue its loop.
    std::vector<uint32_t> order;
    std::vector<Node> nodes;  // by block

private:
    void read(const Function& function, const std::vector<uint32_t>& blockOf);
    void sort();
    void nest();
};

}  // namespace millrace::spirv
