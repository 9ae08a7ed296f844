// SPDX-License-Identifier: Apache-2.0
// Arguments for any command: everything that pointers lead to is there, and all that can differ from its neighbours
// does. And what a driver writes.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "layer/commands/command_tables.h"

namespace millrace::layertest {

enum class Shape {
    Full,    // arrays of two, chains of every structure that may be in them
    Single,  // arrays of one, no chains
    Bare,    // nothing that may be left out
    // As Full, with a structure that no header knows in front of each chain and one behind it, other ones for each
    // number.
    Tomorrow,
};

// The first of their types; types from here on are theirs.
inline constexpr uint32_t kFirstUnknownType = 2'000'000'000;

// The objects that a layer looks into or has to know.
struct Dispatchables {
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VkQueue queue = VK_NULL_HANDLE;
    VkCommandBuffer commandBuffer = VK_NULL_HANDLE;   // that records
    VkCommandBuffer commandBuffers = VK_NULL_HANDLE;  // wherever else there is one

    VkDescriptorUpdateTemplate updateTemplate = VK_NULL_HANDLE;

    void* of(const Command& command, const Member& member) const;
};

class Arguments {
public:
    // Calls with different numbers get different values.
    Arguments(const Command& command, const Dispatchables& objects, Shape shape, uint32_t number = 0);
    Arguments(const Arguments&) = delete;
    Arguments& operator=(const Arguments&) = delete;

    uint64_t call(PFN_vkVoidFunction function) const { return m_command.call(function, m_data); }
    void* data() const { return m_data; }
    // As an application may do once the call has returned. Afterwards this is of no use.
    void overwrite();

private:
    uint64_t numberFor(const Member& member, uint32_t next) const;
    void fill(const Struct& type, std::byte* at, uint32_t depth);
    void fillMember(const Member& member, std::byte* at, uint32_t depth);
    void* makeArray(const Member& member, size_t count, uint32_t depth);
    void fillElement(const Member& member, std::byte* at, uint32_t depth);
    void* makeChain(const Struct& type, bool isReturned, uint32_t depth);
    VkBaseOutStructure* makeUnknown(uint32_t which, VkBaseOutStructure* next);
    std::byte* take(size_t bytes);

    const Command& m_command;
    const Dispatchables& m_objects;
    const Shape m_shape;
    const uint32_t m_number;
    std::vector<std::pair<std::unique_ptr<std::byte[]>, size_t>> m_memory;
    uint32_t m_next;
    std::byte* m_data;
};

// Fills what a command's or a structure's pointers to its caller's memory lead to, but for lengths and for pointers in
// there, with bytes that follow from `number`. Handles are that number and those behind it.
void writeOutputs(const Struct& type, void* at, uint32_t number);

}  // namespace millrace::layertest
