// SPDX-License-Identifier: Apache-2.0
// The check of one recorded call that generates commands, and what becomes of it (setting "validate").
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "layer/base/messages.h"
#include "layer/commands/token_checks.h"
#include "layer/commands/token_faults.h"
#include "layer/recording/watched.h"
#include "runtime/memory.h"

namespace millrace::layer {

class StreamCheck final : public Watched {
public:
    // What a message begins with: which call of which command buffer.
    struct Place {
        ObjectReference commandBuffer;
        std::string call;
    };
    struct Subject {
        std::vector<CheckedToken> tokens;
        std::vector<uint32_t> members;  // abi::CheckArguments::members
        Chooser chooser = Chooser::ExecutionSet;
        MembersTaken taken = MembersTaken::Recorded;
        uint32_t setSize = 0;     // abi::CheckArguments::setSize
        uint32_t placeCount = 0;  // that the application knows of, at most setSize
        uint32_t setStages = 1;
        bool areCombined = false;
        bool isDispatch = false;
        bool hasTask = false;
    };

    StreamCheck(Device& device, Place place, Subject subject)
        : m_device(device), m_place(std::move(place)), m_subject(std::move(subject))
    {
    }

    // Once, with `arguments` as far as they are of the stream. Out-of-memory errors.
    VkResult record(VkCommandBuffer target, const abi::CheckArguments& arguments);

    void beforeSubmission() override;
    // Of each token each fault once: the lowest sequence, and how many there are.
    void report() noexcept override;

private:
    size_t findingCount() const { return m_subject.tokens.size() * abi::kFaults; }
    // Those that were not taken yet, with their numbers.
    std::vector<std::pair<size_t, abi::TokenFinding>> takeNews();
    void tell(size_t number, const abi::TokenFinding& finding);

    Device& m_device;
    const Place m_place;
    const Subject m_subject;
    abi::CheckArguments m_arguments{};
    runtime::Buffer m_input;  // tokens, members
    runtime::Buffer m_findings;
    std::mutex m_mutex;
    std::vector<bool> m_told;
};

}  // namespace millrace::layer
