// SPDX-License-Identifier: Apache-2.0
// The application's buffers by address, for a kernel (setting "validate").
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "layer/objects/addressed_buffers.h"
#include "runtime/memory.h"

namespace millrace::layer {

// Usage that a buffer has for an abi::kAddress*.
VkBufferUsageFlags2 usageOf(uint32_t addressUsage);

// Thread-safe. A kernel that runs meanwhile may see half of what refresh() writes; it reads nothing else.
class AddressTables {
public:
    // Once. Out-of-memory errors.
    VkResult create(runtime::Memory& memory);
    // What there is now. Without memory for more, what there was stays.
    void refresh(runtime::Memory& memory, const AddressedBuffers& buffers);
    // Of the address of an abi::AddressTable.
    uint64_t address() const { return m_place.address(); }

private:
    VkResult reserve(runtime::Memory& memory, size_t ranges);

    std::mutex m_mutex;
    runtime::Buffer m_place;
    std::vector<runtime::Buffer> m_tables;  // the last one counts; a kernel may still read the others
    size_t m_capacity = 0;                  // ranges of the last one
    uint64_t m_version = 0;
};

}  // namespace millrace::layer
