// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/stream_check.h"

#include <cstring>

#include "layer/commands/generated_commands.h"
#include "layer/commands/token_faults.h"
#include "layer/loader/device.h"

namespace millrace::layer {

VkResult StreamCheck::record(VkCommandBuffer target, const abi::CheckArguments& arguments)
{
    m_told.resize(findingCount());
    m_arguments = arguments;
    const size_t tokenBytes = m_subject.tokens.size() * sizeof(abi::TokenCheck);
    const size_t memberBytes = m_subject.members.size() * sizeof(uint32_t);
    runtime::Memory& memory = m_device.generatedCommands->memory;
    VkResult result = memory.createBuffer(runtime::BufferUse::Upload, tokenBytes + memberBytes, m_input);
    if (result == VK_SUCCESS)
        result =
            memory.createBuffer(runtime::BufferUse::Readback, findingCount() * sizeof(abi::TokenFinding), m_findings);
    if (result != VK_SUCCESS)
        return result;
    for (size_t i = 0; i < m_subject.tokens.size(); ++i)
        std::memcpy(m_input.data() + i * sizeof(abi::TokenCheck), &m_subject.tokens[i].check, sizeof(abi::TokenCheck));
    if (memberBytes)
        std::memcpy(m_input.data() + tokenBytes, m_subject.members.data(), memberBytes);
    abi::TokenFinding none{};
    none.sequence = abi::kNoSequence;
    for (size_t i = 0; i < findingCount(); ++i)
        std::memcpy(m_findings.data() + i * sizeof none, &none, sizeof none);
    const TokenChecks& checks = *m_device.generatedCommands->checks;
    m_arguments.tokens = m_input.address();
    m_arguments.members = m_input.address() + tokenBytes;
    m_arguments.findings = m_findings.address();
    m_arguments.addresses = checks.addresses.address();
    m_arguments.tokenCount = static_cast<uint32_t>(m_subject.tokens.size());
    m_arguments.setSize = m_subject.setSize;
    m_arguments.setStages = m_subject.setStages;
    m_arguments.areCombined = m_subject.areCombined;
    checks.record(target, m_arguments);
    return VK_SUCCESS;
}

void StreamCheck::beforeSubmission()
{
    GeneratedCommands& commands = *m_device.generatedCommands;
    commands.checks->addresses.refresh(commands.memory, m_device.addressedBuffers);
}

// Without memory for a message there is none.
void StreamCheck::report() noexcept
{
    try {
        for (const auto& [number, finding] : takeNews())
            tell(number, finding);
    } catch (...) {
    }
}

std::vector<std::pair<size_t, abi::TokenFinding>> StreamCheck::takeNews()
{
    std::vector<std::pair<size_t, abi::TokenFinding>> news;
    const std::lock_guard lock(m_mutex);
    for (size_t i = 0; i < m_told.size(); ++i) {
        abi::TokenFinding finding;
        std::memcpy(&finding, m_findings.data() + i * sizeof finding, sizeof finding);
        if (finding.isWritten == 0 || m_told[i])
            continue;
        news.emplace_back(i, finding);
        m_told[i] = true;
    }
    return news;
}

void StreamCheck::tell(size_t number, const abi::TokenFinding& finding)
{
    const CheckedToken& token = m_subject.tokens[number / abi::kFaults];
    const FaultContext context{m_device.addressedBuffers, m_subject.chooser, m_subject.taken, m_subject.placeCount,
                               m_subject.isDispatch,      m_subject.hasTask, m_arguments};
    const TokenFault fault =
        explain(token.check, token.end, static_cast<uint32_t>(number % abi::kFaults), finding, context);
    if (fault.text.empty())
        return;
    std::string where = m_place.call + ": ";
    if (token.check.kind != abi::kTokenStream) {
        where += "sequence " + std::to_string(finding.written);
        if (finding.count > 1)
            where += " and " + std::to_string(finding.count - 1) + (finding.count > 2 ? " others" : " other");
        where += ", token " + token.name + " at " + token.place + ": ";
    }
    m_device.messages().error(fault.rule.c_str(), m_place.commandBuffer, where + fault.text, fault.advice);
}

}  // namespace millrace::layer
