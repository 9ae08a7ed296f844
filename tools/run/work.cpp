// SPDX-License-Identifier: Apache-2.0
#include "tools/run/work.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "tools/files.h"
#include "tools/run/payloads.h"
#include "tools/run/resources.h"

namespace millrace::tools::run {

namespace {

const BindingUse* findUse(const Program& program, const ResourceDescription& resource)
{
    const auto found = std::ranges::find_if(program.bindings, [&](const BindingUse& use) {
        return use.set == resource.set && use.binding == resource.binding;
    });
    return found == program.bindings.end() ? nullptr : &*found;
}

std::string placeOf(uint32_t set, uint32_t binding)
{
    return "set " + std::to_string(set) + ", binding " + std::to_string(binding);
}

// Every descriptor that a node uses must be there.
void checkComplete(const GraphDescription& description, const Program& program)
{
    for (size_t n = 0; n < program.nodes.size(); n++) {
        for (const BindingUse& use : program.nodes[n].bindings) {
            const auto isThere = [&](const ResourceDescription& r) {
                return r.set == use.set && r.binding == use.binding;
            };
            if (std::ranges::none_of(description.resources, isThere)) {
                description.nodes[n].place.fail("the node uses " + std::string(nameOf(use.kind)) +
                                                (use.name.empty() ? "" : " \"" + use.name + "\"") + " at " +
                                                placeOf(use.set, use.binding) +
                                                ", and nothing among \"buffers\" and \"images\" is there");
            }
        }
    }
}

}  // namespace

std::string endingOf(const std::string& file)
{
    std::string ending = std::filesystem::path(file).extension().string();
    std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return ending;
}

Work prepareWork(const GraphDescription& description, const Program& program)
{
    checkComplete(description, program);
    Work work;
    for (const ResourceDescription& resource : description.resources) {
        const BindingUse* use = findUse(program, resource);
        if (use == nullptr) {
            work.warnings.push_back("no node uses \"" + resource.name + "\" at " +
                                    placeOf(resource.set, resource.binding));
        }
        work.resources.push_back(resource.isImage ? prepareImage(resource, use) : prepareBuffer(resource, use));
    }
    Bytes constants(program.constantBytes);
    Bytes given(program.constantBytes);
    if (description.pushConstants) {
        encodePushConstants(*description.pushConstants, program, constants, given);
    }
    for (const DispatchDescription& dispatch : description.dispatches) {
        if (dispatch.pushConstants) {
            encodePushConstants(*dispatch.pushConstants, program, constants, given);
        }
        if (const std::string missing = missingPushConstants(program, given); !missing.empty()) {
            dispatch.place.fail("\"push_constants\" must say " + missing + " by this dispatch");
        }
        Dispatch& out = work.dispatches.emplace_back();
        out.form = dispatch.form;
        out.pushConstants = constants;
        for (const LaunchDescription& launch : dispatch.launches) {
            out.launches.push_back(prepareLaunch(launch, program));
        }
    }
    return work;
}

}  // namespace millrace::tools::run
