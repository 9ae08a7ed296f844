// SPDX-License-Identifier: Apache-2.0
// Memory of the device, filled and read through copies: its own memory is never read word by word over the bus.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/device.h"

namespace millrace::bench {

class Memory {
public:
    Memory(harness::Device& device, VkDeviceSize bytes);
    Memory(harness::Device& device, const std::vector<uint32_t>& words);
    ~Memory();
    Memory(const Memory&) = delete;

    VkDeviceAddress address() const { return m_buffer.address; }
    VkBuffer handle() const { return m_buffer.handle; }
    VkDeviceSize size() const { return m_buffer.size; }
    // Records a fill with a barrier on both sides.
    void fill(VkCommandBuffer cmd, uint32_t value) const;
    void upload(const std::vector<uint32_t>& words);
    std::vector<uint32_t> download(VkDeviceSize bytes = VK_WHOLE_SIZE) const;

private:
    harness::Device& m_device;
    harness::Buffer m_buffer;
};

// What a program writes, and what that must be. An unwritten word is kUnwritten. The device compares: while a host
// looks at 54 MB again and again, an H200 lowers its clocks from 1980 to 345 MHz, and every time measured is up to six
// times as long.
class Output {
public:
    static constexpr uint32_t kUnwritten = 0xdeadbeef;

    explicit Output(harness::Device& device, const std::vector<uint32_t>& expected);
    // Another expectation of the same size.
    void expect(const std::vector<uint32_t>& expected);
    ~Output();
    Output(const Output&) = delete;

    VkDeviceAddress address() const { return m_memory.address(); }
    VkBuffer handle() const { return m_memory.handle(); }
    void clear(VkCommandBuffer cmd, uint32_t value = kUnwritten) const { m_memory.fill(cmd, value); }
    // Empty if all is as expected, else what is not.
    std::string difference();

private:
    struct Comparison;

    harness::Device& m_device;
    Memory m_memory;
    Memory m_expected;
    size_t m_count;
    std::unique_ptr<Comparison> m_comparison;
};

}  // namespace millrace::bench
