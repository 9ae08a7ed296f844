// SPDX-License-Identifier: Apache-2.0
// That commands of a command buffer were recorded with the members of an execution set, or with the pipelines that had
// numbers then.
#pragma once

#include <memory>

#include "layer/base/messages.h"
#include "layer/commands/member_changes.h"
#include "layer/recording/watched.h"

namespace millrace::layer {

struct Device;

// In CommandBuffer::forSubmission.
class RecordedMembers final : public Watched {
public:
    // `owner`: the set, or the device whose pipelines have numbers. `version`: of `changes`, before the members were
    // taken. `changes` may go before this.
    RecordedMembers(Device& device, ObjectReference owner, const std::shared_ptr<MemberChanges>& changes,
                    uint64_t version)
        : m_device(device), m_owner(std::move(owner)), m_changes(changes), m_version(version)
    {
    }

    // Tells which have changed since. It is legal to change what no submitted command uses (Vulkan, "Indirect Execution
    // Sets", behind vkUpdateIndirectExecutionSetShaderEXT), and only the device knows what these commands use.
    void beforeSubmission() override;
    void report() noexcept override {}

private:
    Device& m_device;
    const ObjectReference m_owner;
    const std::weak_ptr<MemberChanges> m_changes;
    const uint64_t m_version;
};

}  // namespace millrace::layer
