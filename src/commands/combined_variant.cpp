// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "commands/choose_member.h"
#include "commands/draw_shaders.h"
#include "commands/implied_state.h"
#include "commands/interface_slots.h"
#include "commands/shader_variants.h"
#include "spirv/append.h"
#include "spirv/edit.h"

namespace millrace::commands {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

// More takes drivers longer to compile than it saves.
constexpr size_t kMostWords = 1u << 18;

// What a stage of the pipelines may run.
struct Group {
    spv::ExecutionModel model = spv::ExecutionModel::Vertex;
    std::vector<const StageCode*> codes;  // all different
    std::vector<std::vector<uint32_t>> members;
    size_t first = 0;  // of the codes in DrawShaders

    void add(const StageCode& code, uint32_t member)
    {
        const auto found = std::ranges::find_if(codes, [&](const StageCode* known) {
            return known->words == code.words && known->entryPoint == code.entryPoint;
        });
        if (found == codes.end()) {
            codes.push_back(&code);
            members.push_back({member});
        } else {
            members[static_cast<size_t>(found - codes.begin())].push_back(member);
        }
    }
    // The first stage also finds out whether there is a member.
    bool chooses() const { return codes.size() > 1 || model == spv::ExecutionModel::Vertex; }
};

Diagnostic refusal(std::string text)
{
    return {"commands", {}, std::move(text)};
}

Result<std::vector<Group>> groupsOf(const std::vector<std::vector<StageCode>>& members)
{
    std::vector<Group> groups;
    for (uint32_t m = 0; m < members.size(); ++m) {
        if (members[m].empty())
            continue;
        if (groups.empty())
            for (const StageCode& code : members[m])
                groups.push_back({.model = code.model, .codes = {}, .members = {}});
        if (members[m].size() != groups.size())
            return refusal("they have different stages");
        for (const StageCode& code : members[m]) {
            const auto group = std::ranges::find(groups, code.model, &Group::model);
            if (group == groups.end())
                return refusal("they have different stages");
            group->add(code, m);
        }
    }
    return groups;
}

Status checkGroups(const std::vector<Group>& groups)
{
    size_t words = 0;
    for (const Group& group : groups) {
        if (group.model != spv::ExecutionModel::Vertex && group.model != spv::ExecutionModel::Fragment)
            return refusal("they have other stages than vertex and fragment shaders");
        for (const StageCode* code : group.codes)
            words += code->words.size();
    }
    if (groups.empty() || words > kMostWords)
        return refusal("their shaders have more than " + std::to_string(kMostWords) + " words together");
    return {};
}

// In any order, without the entry point that they are of. Those that name constants count as different from all.
bool haveSameModes(const Module& a, const Module& b)
{
    const auto modesOf = [](const Module& module, bool& isPlain) {
        std::vector<std::vector<uint32_t>> modes;
        for (const Instruction& i : module.section(Section::ExecutionModes)) {
            isPlain = isPlain && i.op == spv::Op::OpExecutionMode;
            modes.emplace_back(i.words.begin() + 1, i.words.end());
        }
        std::ranges::sort(modes);
        return modes;
    };
    bool isPlain = true;
    const auto ofA = modesOf(a, isPlain), ofB = modesOf(b, isPlain);
    return isPlain && ofA == ofB;
}

// It has to be in the entry point, outside of all branches.
bool ordersFragments(const Module& module)
{
    for (const spirv::Function& function : module.functions) {
        for (const spirv::Block& block : function.blocks)
            if (std::ranges::count(block.body, spv::Op::OpBeginInvocationInterlockEXT, &Instruction::op) > 0)
                return true;
    }
    return false;
}

// Variables that have a structure's members count as such.
bool repeatsBuiltIn(const Module& module, spv::StorageClass storage)
{
    std::set<uint32_t> found;
    for (const Instruction& variable : module.section(Section::Globals)) {
        if (variable.op != spv::Op::OpVariable || variable.literal(0) != static_cast<uint32_t>(storage))
            continue;
        Id type = module.pointee(variable.type);
        while (module.findDefinition(type)->op == spv::Op::OpTypeArray)
            type = module.findDefinition(type)->id(0);
        for (const Instruction& i : module.section(Section::Annotations)) {
            const bool isMember = i.op == spv::Op::OpMemberDecorate && i.id(0) == type;
            const size_t at = isMember ? 2 : 1;
            const bool isAbout = isMember || (i.op == spv::Op::OpDecorate && i.id(0) == variable.result);
            if (isAbout && i.operandCount() > at + 1 &&
                i.literal(at) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
                !found.insert(i.literal(at + 1)).second)
                return true;
        }
    }
    return false;
}

Status checkInterface(const Variant& stage)
{
    for (const spv::StorageClass storage : {spv::StorageClass::Input, spv::StorageClass::Output}) {
        const char* const what = storage == spv::StorageClass::Input ? "inputs" : "outputs";
        const char* const where = stage.model == spv::ExecutionModel::Vertex ? "vertex" : "fragment";
        if (Slots(stage, storage, 1).overlap())
            return refusal(std::string("their ") + where + " shaders have different " + what + " at one location");
        if (repeatsBuiltIn(stage.module, storage))
            return refusal(std::string("their ") + where + " shaders declare built-in " + what + " differently");
    }
    return {};
}

Status checkImpliedState(const ImpliedState& a, const ImpliedState& b)
{
    if (a.isPerSample != b.isPerSample)
        return refusal("some of their fragment shaders run for each sample, and others do not");
    if (a.builtIns != b.builtIns)
        return refusal(
            "some of their shaders choose what others leave as it is: a size of points, layer, viewport, "
            "shading rate, sample mask, or distances that clip or cull");
    return {};
}

// All code of a group into its first stage, which chooses among them.
Status combine(DrawShaders& shaders, const Group& group, const Layout& layout)
{
    Variant& whole = shaders[group.first];
    std::vector<MemberCode> codes{{whole.entry, group.members[0]}};
    if (ordersFragments(whole.module))
        return refusal("their fragment shaders run one after another (fragment shader interlock)");
    const ImpliedState implied = impliedStateOf(whole);
    spirv::Appender appender(whole.module);
    for (size_t c = 1; c < group.codes.size(); ++c) {
        Variant& part = shaders[group.first + c];
        spirv::orderGlobals(part.module);
        if (!haveSameModes(whole.module, part.module) || ordersFragments(part.module))
            return refusal("their shaders have different execution modes");
        if (const Status status = checkImpliedState(implied, impliedStateOf(part)); !status)
            return status;
        const std::pair<Id, Id> same[] = {{part.arguments, whole.arguments}, {part.sequence, whole.sequence}};
        if (const Status status = appender.append(part.module, same); !status)
            return status;
        codes.push_back({appender.find(part.entry), group.members[c]});
    }
    chooseMember(whole, codes, layout);
    return checkInterface(whole);
}

Status changeGroup(DrawShaders& shaders, const Group& group, const Layout& layout, const VertexInput& vertexInput)
{
    for (size_t c = 0; c < group.codes.size(); ++c)
        if (const Status status = shaders.change(group.first + c, layout, vertexInput); !status)
            return status;
    if (group.chooses()) {
        if (const Status status = combine(shaders, group, layout); !status)
            return status;
    }
    return handOnSequence(shaders[group.first], shaders.route(group.first), layout);
}

Status addGroup(DrawShaders& shaders, size_t& count, Group& group, const Layout& layout, const VertexInput& vertexInput)
{
    group.first = count;
    for (const StageCode* code : group.codes) {
        if (const Status status = shaders.add(*code, layout, vertexInput); !status)
            return status;
        if (group.chooses())
            shaders.demandSequence(count);
        ++count;
    }
    return {};
}

}  // namespace

Result<std::vector<StageCode>> makeCombinedVariant(const std::vector<std::vector<StageCode>>& members,
                                                   const Layout& layout, const VariantTarget& target,
                                                   const VertexInput& vertexInput)
{
    auto groups = groupsOf(members);
    if (!groups)
        return groups.error();
    if (const Status status = checkGroups(*groups); !status)
        return status.error();
    DrawShaders shaders;
    size_t count = 0;
    for (Group& group : *groups)
        if (const Status status = addGroup(shaders, count, group, layout, vertexInput); !status)
            return status.error();
    if (const Status status = shaders.findLocation(target); !status)
        return status.error();
    std::vector<StageCode> stages;
    for (const Group& group : *groups) {
        StageCode& stage = stages.emplace_back(*group.codes[0]);
        if (!shaders.changes(group.first))
            continue;
        if (const Status status = changeGroup(shaders, group, layout, vertexInput); !status)
            return status.error();
        stage.words = finishVariant(shaders[group.first]);
    }
    return stages;
}

}  // namespace millrace::commands
