// SPDX-License-Identifier: Apache-2.0
#include "nodes/source_module.h"

#include <optional>

#include "nodes/passes/reject_unsupported.h"
#include "spirv/entry_points.h"

namespace millrace::nodes {

struct SourceModule::Contents {
    explicit Contents(std::span<const uint32_t> words)
    {
        status = rejectRevision1(words);
        if (!status)
            return;
        Result<spirv::Module> read = spirv::read(words);
        if (!read) {
            status = read.error();
            return;
        }
        module = std::move(*read);
        entryPoints.emplace(module);
        status = rejectUnsupported(module);
    }

    spirv::Module module;
    std::optional<const spirv::EntryPoints> entryPoints;  // none if it cannot be read
    Status status;
};

SourceModule::SourceModule(std::span<const uint32_t> words) : m_words(words) {}

SourceModule::~SourceModule() = default;

const SourceModule::Contents& SourceModule::contents() const
{
    const std::lock_guard lock(m_mutex);
    if (!m_contents)
        m_contents = std::make_unique<const Contents>(m_words);
    return *m_contents;
}

Result<spirv::Module> SourceModule::extract(const std::string& entryPoint, spv::ExecutionModel model) const
{
    if (const Status& status = contents().status; !status)
        return status.error();
    if (const Status status = rejectOtherEntryPoint(*contents().entryPoints, entryPoint, model); !status)
        return status.error();
    return contents().entryPoints->extract(entryPoint, model);
}

bool SourceModule::contains(const std::string& entryPoint, spv::ExecutionModel model) const
{
    return contents().entryPoints && contents().entryPoints->contains(entryPoint, model);
}

std::vector<std::string> SourceModule::entryPoints(spv::ExecutionModel model) const
{
    std::vector<std::string> names;
    for (const spirv::Instruction& i : contents().module.section(spirv::Section::EntryPoints))
        if (i.literal(0) == static_cast<uint32_t>(model))
            names.push_back(i.string(2));
    return names;
}

bool SourceModule::hasSeveral() const
{
    return contents().module.section(spirv::Section::EntryPoints).size() > 1;
}

}  // namespace millrace::nodes
