// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/memory.h"

#include <algorithm>
#include <cstring>

#include "bench/suite/programs.h"

namespace millrace::bench {

using harness::Buffer;
using harness::Device;

namespace {

constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                                      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
constexpr VkDeviceSize kChunk = VkDeviceSize{64} << 20;

void copy(Device& device, VkBuffer from, VkDeviceSize fromAt, VkBuffer to, VkDeviceSize toAt, VkDeviceSize bytes)
{
    harness::check(vkResetCommandPool(device.device, device.pool, 0), "vkResetCommandPool");
    device.submit([&](VkCommandBuffer cmd) {
        Device::memoryBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT);
        const VkBufferCopy region{fromAt, toAt, bytes};
        vkCmdCopyBuffer(cmd, from, to, 1, &region);
    });
}

}  // namespace

Memory::Memory(Device& device, VkDeviceSize bytes)
    : m_device(device), m_buffer(device.createDeviceBuffer(std::max<VkDeviceSize>(bytes, 4), kUsage))
{
}

Memory::Memory(Device& device, const std::vector<uint32_t>& words) : Memory(device, words.size() * 4)
{
    upload(words);
}

Memory::~Memory()
{
    m_device.destroyBuffer(m_buffer);
}

void Memory::fill(VkCommandBuffer cmd, uint32_t value) const
{
    Device::memoryBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT);
    vkCmdFillBuffer(cmd, m_buffer.handle, 0, VK_WHOLE_SIZE, value);
    Device::memoryBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
}

void Memory::upload(const std::vector<uint32_t>& words)
{
    const VkDeviceSize bytes = words.size() * 4;
    if (bytes == 0)
        return;
    const Buffer staging = m_device.createReadback(std::min(bytes, kChunk));
    for (VkDeviceSize at = 0; at < bytes; at += kChunk) {
        const VkDeviceSize part = std::min(kChunk, bytes - at);
        std::memcpy(staging.mapped, words.data() + at / 4, part);
        copy(m_device, staging.handle, 0, m_buffer.handle, at, part);
    }
    m_device.destroyBuffer(staging);
}

std::vector<uint32_t> Memory::download(VkDeviceSize bytes) const
{
    bytes = std::min(bytes, m_buffer.size);
    const Buffer staging = m_device.createReadback(bytes);
    copy(m_device, m_buffer.handle, 0, staging.handle, 0, bytes);
    std::vector<uint32_t> words(staging.words(), staging.words() + bytes / 4);
    m_device.destroyBuffer(staging);
    return words;
}

struct Output::Comparison {
    struct Arguments {
        VkDeviceAddress got, expected, result;
        uint32_t count, pad;
    };
    struct Result {
        uint32_t wrong, first;
    };

    explicit Comparison(Device& device)
        : kernel(device, "raw/compare", sizeof(Arguments)),
          result(device.createBuffer(sizeof(Result), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT))
    {
    }

    Kernel kernel;
    Buffer result;
};

Output::Output(Device& device, const std::vector<uint32_t>& expected)
    : m_device(device),
      m_memory(device, expected.size() * 4),
      m_expected(device, expected),
      m_count(expected.size()),
      m_comparison(std::make_unique<Comparison>(device))
{
}

void Output::expect(const std::vector<uint32_t>& expected)
{
    if (expected.size() != m_count)
        throw harness::HarnessError("an expectation of another size");
    m_expected.upload(expected);
}

Output::~Output()
{
    m_device.destroyBuffer(m_comparison->result);
}

std::string Output::difference()
{
    constexpr uint32_t kGroups = 1024;
    auto* result = static_cast<Comparison::Result*>(m_comparison->result.mapped);
    *result = {0, UINT32_MAX};
    const Comparison::Arguments arguments{m_memory.address(), m_expected.address(), m_comparison->result.address,
                                          static_cast<uint32_t>(m_count), 0};
    harness::check(vkResetCommandPool(m_device.device, m_device.pool, 0), "vkResetCommandPool");
    m_device.submit([&](VkCommandBuffer cmd) {
        Device::memoryBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
        m_comparison->kernel.bind(cmd, argumentsOf(arguments));
        m_comparison->kernel.dispatch(cmd, argumentsOf(arguments), kGroups);
    });
    if (result->wrong == 0)
        return {};
    const uint32_t got = m_memory.download()[result->first];
    const uint32_t expected = m_expected.download()[result->first];
    return std::to_string(result->wrong) + " of " + std::to_string(m_count) + " words are wrong; word " +
           std::to_string(result->first) + " is " + std::to_string(got) + ", not " + std::to_string(expected);
}

}  // namespace millrace::bench
