// SPDX-License-Identifier: Apache-2.0
#include "spirv/inlined_size.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace millrace::spirv {

namespace {

struct Sizes {
    explicit Sizes(const Module& module)
    {
        for (const Function& function : module.functions) {
            Node& node = nodes[function.definition.result.value];
            for (const Block& block : function.blocks) {
                node.size += block.body.size() + 1;
                for (const Instruction& i : block.body)
                    if (i.op == spv::Op::OpFunctionCall)
                        node.calls.push_back(i.id(0).value);
            }
        }
    }

    // Callees first, without recursion of ours. A function that reaches itself has many.
    uint64_t of(Id function)
    {
        std::vector<uint32_t> open{function.value};
        nodes[function.value].state = State::Open;
        while (!open.empty()) {
            Node& node = nodes[open.back()];
            if (node.next < node.calls.size()) {
                const uint32_t callee = node.calls[node.next++];
                Node& called = nodes[callee];
                if (called.state == State::Open)
                    called.size = kManyInstructions;
                if (called.state == State::New) {
                    called.state = State::Open;
                    open.push_back(callee);
                }
                continue;
            }
            if (node.state != State::Done) {
                for (const uint32_t callee : node.calls)
                    node.size = std::min(node.size + nodes[callee].size, kManyInstructions);
                node.state = State::Done;
            }
            open.pop_back();
        }
        return nodes[function.value].size;
    }

    enum class State { New, Open, Done };
    struct Node {
        uint64_t size = 0;  // all calls inlined once it is done
        std::vector<uint32_t> calls;
        size_t next = 0;
        State state = State::New;
    };
    std::unordered_map<uint32_t, Node> nodes;
};

}  // namespace

uint64_t inlinedSize(const Module& module, Id function)
{
    return Sizes(module).of(function);
}

Status checkInlinedSize(const Module& module)
{
    Sizes sizes(module);
    for (const Instruction& i : module.section(Section::EntryPoints)) {
        const uint64_t size = sizes.of(i.id(1));
        if (size > kMaxInlinedInstructions) {
            const std::string count = size < kManyInstructions ? std::to_string(size) : "more than 10^12";
            return Diagnostic{
                "spirv", "entry point '" + i.string(2) + "'",
                "with all its calls inlined it would have " + count + " instructions, more than " +
                    std::to_string(kMaxInlinedInstructions) +
                    "; call functions in loops, or let functions that are called often take values instead "
                    "of payloads"};
        }
    }
    return {};
}

}  // namespace millrace::spirv
