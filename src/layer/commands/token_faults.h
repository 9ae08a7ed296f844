// SPDX-License-Identifier: Apache-2.0
// What a check of a stream of generated commands has found, in words.
#pragma once

#include <string>

#include "abi/token_checks.h"
#include "layer/commands/token_names.h"
#include "layer/objects/addressed_buffers.h"

namespace millrace::layer {

struct TokenFault {
    std::string rule;  // a VUID, or a name of ours
    std::string text;  // to follow the name of the token
    const char* advice;
};

// When the pipelines or shader objects were taken that sequences may mean.
enum class MembersTaken {
    Submitted,     // at each submission: the command has a stream of its own
    Recorded,      // where the command was recorded
    Preprocessed,  // likewise, of a command that preprocesses: executions take their own
};

// What a fault depends on, beside the words of the stream.
struct FaultContext {
    const AddressedBuffers& buffers;
    Chooser chooser;
    MembersTaken taken;
    uint32_t placeCount;  // of the execution set, or what else indices lead to
    bool isDispatch;
    bool hasTask;  // task shaders are in front of mesh shaders
    const abi::CheckArguments& arguments;
};

// Empty if nothing is wrong any more: the buffer was made known meanwhile.
std::string bufferProblem(const AddressedBuffers& buffers, const abi::TokenCheck& check, uint64_t address,
                          uint64_t bytes);
// `fault`: abi::kFault*, of which `finding` has been written. No text if nothing is to be told.
// `end`: CheckedToken::end.
TokenFault explain(const abi::TokenCheck& check, const std::string& end, uint32_t fault,
                   const abi::TokenFinding& finding, const FaultContext& context);

}  // namespace millrace::layer
