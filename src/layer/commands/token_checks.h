// SPDX-License-Identifier: Apache-2.0
// Checks of streams of generated commands on the device (setting "validate"): the kernel, and what it is told.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "abi/token_checks.h"
#include "commands/layout.h"
#include "commands/vertex_input.h"
#include "layer/commands/address_tables.h"

namespace millrace::layer {

struct Device;
struct IndirectLayout;

struct CheckedToken {
    abi::TokenCheck check;
    std::string name;   // "VERTEX_BUFFER of binding 1"
    std::string place;  // "byte 8 of the record", "byte 8 of stream 1"
    std::string end;    // what a place that is not there is behind: "the stream, which has 8 bytes"
};

// Of VK_NV_device_generated_commands: bytes of each from its offset on.
using StreamSizes = std::vector<uint64_t>;

struct GridLimits {
    std::array<uint32_t, 3> groups{};
    uint32_t total = UINT32_MAX;
};

// What all pipelines of a command together ask of streams.
struct StreamRules {
    std::vector<commands::VertexInput> inputs;
    uint32_t maxDrawCount = 1;
    uint32_t setStages = 1;  // indices into the execution set
    uint64_t streamBytes = 0;
    StreamSizes streams;  // in place of that
};

// With abi::kTokenStream in front.
std::vector<CheckedToken> checkedTokens(const IndirectLayout& layout, const StreamRules& rules, uint32_t maxStride);

// Of a device. Thread-safe.
class TokenChecks {
public:
    explicit TokenChecks(Device& device) : m_device(device) {}
    ~TokenChecks();
    TokenChecks(const TokenChecks&) = delete;
    TokenChecks& operator=(const TokenChecks&) = delete;

    // Once. Returns an error of the driver.
    VkResult create();
    // Both runs of the kernel, with a barrier between them and one behind, towards the host. Binds at the compute bind
    // point and pushes constants.
    void record(VkCommandBuffer commandBuffer, abi::CheckArguments arguments) const;

    uint32_t maxVertexStride() const { return m_maxVertexStride; }
    // Of dispatches, and of mesh tasks of pipelines with task shaders and without.
    const GridLimits& dispatchLimits() const { return m_dispatch; }
    const GridLimits& meshLimits(bool hasTask) const { return hasTask ? m_task : m_mesh; }

    AddressTables addresses;

private:
    void askLimits();

    Device& m_device;
    GridLimits m_dispatch, m_mesh, m_task;
    uint32_t m_maxVertexStride = 0;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    VkPipeline m_pipeline = VK_NULL_HANDLE;
};

}  // namespace millrace::layer
