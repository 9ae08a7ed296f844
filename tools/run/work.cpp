// SPDX-License-Identifier: Apache-2.0
#include "tools/run/work.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/near_word.h"
#include "tools/files.h"
#include "tools/run/payloads.h"
#include "tools/run/resources.h"

namespace millrace::tools::run {

namespace {

const BindingUse* findUse(const Program& program, const ResourceDescription& resource)
{
    const auto found = std::ranges::find_if(program.bindings,
                                            [&](const BindingUse& use) { return resource.isAt(use.set, use.binding); });
    return found == program.bindings.end() ? nullptr : &*found;
}

std::string placeOf(uint32_t set, uint32_t binding)
{
    return "set " + std::to_string(set) + ", binding " + std::to_string(binding);
}

// Every descriptor that a node uses must be there.
void checkComplete(const GraphDescription& description, const Program& program)
{
    for (size_t n = 0; n < program.nodes.size(); ++n) {
        for (const BindingUse& use : program.nodes[n].bindings) {
            const auto isThere = [&](const ResourceDescription& r) { return r.isAt(use.set, use.binding); };
            if (std::ranges::none_of(description.resources, isThere)) {
                description.nodes[program.nodes[n].description].place.fail(
                    "the node uses " + std::string(nameOf(use.kind)) +
                    (use.name.empty() ? "" : " \"" + use.name + "\"") + " at " + placeOf(use.set, use.binding) +
                    ", and nothing among \"buffers\" and \"images\" is there");
            }
        }
    }
}

void checkTarget(const GraphDescription& description, const Program& program, const Work& work)
{
    for (const ProgramNode& node : program.nodes) {
        if (!node.isMesh() || !node.fragment->outputKind)
            continue;
        const ImageFormat& format = *work.resources[description.target->resource].format;
        if (*node.fragment->outputKind != format.shaderKind()) {
            node.fragment->description->fragment.place.fail(
                node.fragment->file + " writes other numbers than the target's format \"" + format.name + "\" holds");
        }
    }
}

std::vector<AddressUse> resolve(const std::vector<Address>& addresses, const GraphDescription& description)
{
    std::vector<AddressUse> out;
    for (const Address& address : addresses) {
        const std::string name = address.buffer.string();
        const auto found = std::ranges::find_if(description.resources, [&](const ResourceDescription& resource) {
            return !resource.isImage && resource.name == name;
        });
        if (found == description.resources.end()) {
            std::vector<std::string> names;
            for (const ResourceDescription& resource : description.resources)
                names.push_back(resource.name);
            address.buffer.fail("there is no buffer \"" + name + "\"" + suggestion(name, names));
        }
        out.push_back({address.offset, static_cast<size_t>(found - description.resources.begin())});
    }
    return out;
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
    work.target = description.target ? &*description.target : nullptr;
    for (const ResourceDescription& resource : description.resources) {
        const BindingUse* use = findUse(program, resource);
        if (use == nullptr && !resource.isTarget) {
            work.warnings.push_back("no node uses \"" + resource.name + "\" at " +
                                    placeOf(resource.set, resource.binding));
        }
        if (resource.isImage) {
            work.resources.push_back(prepareImage(resource, use));
            continue;
        }
        std::vector<Address> addresses;
        work.resources.push_back(prepareBuffer(resource, use, addresses));
        work.resources.back().addresses = resolve(addresses, description);
    }
    checkTarget(description, program, work);
    PushConstants constants{Bytes(program.constantBytes), Bytes(program.constantBytes), {}};
    if (description.pushConstants)
        encodePushConstants(*description.pushConstants, program, constants);
    for (const DispatchDescription& dispatch : description.dispatches) {
        if (dispatch.pushConstants)
            encodePushConstants(*dispatch.pushConstants, program, constants);
        if (const std::string missing = missingPushConstants(program, constants.given); !missing.empty())
            dispatch.place.fail("\"push_constants\" must say " + missing + " by this dispatch");
        Dispatch& out = work.dispatches.emplace_back();
        out.form = dispatch.form;
        out.pushConstants = constants.bytes;
        out.addresses = resolve(constants.addresses, description);
        for (const LaunchDescription& launch : dispatch.launches)
            out.launches.push_back(prepareLaunch(launch, program));
    }
    return work;
}

}  // namespace millrace::tools::run
