// SPDX-License-Identifier: Apache-2.0
#include "compiler/solo.h"

#include <algorithm>
#include <memory>
#include <string>

#include "abi/solo.h"
#include "compiler/device_library.h"
#include "compiler/function_writer.h"
#include "compiler/globals.h"
#include "compiler/node_shader.h"
#include "compiler/non_uniform.h"
#include "compiler/prepare.h"
#include "compiler/solo/blocks.h"
#include "compiler/solo/unrestrict.h"
#include "compiler/workgroup_view.h"
#include "spirv/edit.h"
#include "spirv/library.h"

namespace millrace::compiler {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

constexpr uint32_t kMostInvocations = 256;  // that a workgroup of ours has if no node asks for more
constexpr uint32_t kOwnSharedBytes = (abi::kSoloTableWords + abi::kSoloGridPayloads + 32) * 4;  // device/solo.glsl
constexpr uint32_t kArgumentPairs = sizeof(abi::SoloArguments) / 8;                             // members of a block

Diagnostic failure(std::string where, std::string message)
{
    return {"solo", std::move(where), std::move(message)};
}

std::string nameOf(const NodeShader& node)
{
    return "node '" + node.node.id.name + "'";
}

// How the entry point wants to run, but for its size.
std::vector<std::vector<uint32_t>> modesOf(const NodeShader& node)
{
    std::vector<std::vector<uint32_t>> modes;
    for (const Instruction& i : node.module.section(Section::ExecutionModes)) {
        if (i.id(0) == node.entry && i.literal(1) != static_cast<uint32_t>(spv::ExecutionMode::LocalSize)) {
            modes.emplace_back(i.words.begin() + 1, i.words.end());
        }
    }
    std::ranges::sort(modes);
    return modes;
}

bool hasModesWithIds(const NodeShader& node)
{
    return std::ranges::any_of(node.module.section(Section::ExecutionModes),
                               [](const Instruction& i) { return i.op == spv::Op::OpExecutionModeId; });
}

bool speaksOfNeighbours(const NodeShader& node)
{
    return std::ranges::any_of(modesOf(node), [](const std::vector<uint32_t>& mode) {
        return mode[0] == static_cast<uint32_t>(spv::ExecutionMode::DerivativeGroupQuadsKHR) ||
               mode[0] == static_cast<uint32_t>(spv::ExecutionMode::DerivativeGroupLinearKHR);
    });
}

// A node's code on its way into the module.
struct Part {
    NodeShader shader;
    graph::SoloCode code;
};

class Merger {
public:
    explicit Merger(const SoloLimits& limits) : m_limits(limits) {}

    Status run(std::span<const SoloSource> sources, SoloModule& out)
    {
        Status status = lowerAll(sources);
        if (status) {
            status = checkAll();
        }
        if (status) {
            status = chooseSize();
        }
        if (status) {
            status = merge();
        }
        return status ? finish(out) : status;
    }

private:
    NodeShader& ours() { return m_parts.front().shader; }
    Module& module() { return ours().module; }

    Status lowerAll(std::span<const SoloSource> sources)
    {
        for (const SoloSource& source : sources) {
            Options options = source.options;
            options.solo = true;
            const auto prepared = prepare(source.words, options);
            if (!prepared) {
                return prepared.error();
            }
            auto lowered = lower(*prepared, options);
            if (!lowered) {
                return lowered.error();
            }
            Part part{std::move(*lowered), {}};
            const NodeShader& shader = part.shader;
            part.code.invocations = graph::invocationsOf(shader.node);
            part.code.isCollective = isCollective(shader);
            part.code.runsBeside =
                !part.code.isCollective && (shader.node.packWidth > 1 || !indexesDescriptors(shader.module));
            m_parts.push_back(std::move(part));
        }
        return {};
    }

    Status chooseSize()
    {
        uint32_t collective = 0, most = 0;
        for (const Part& part : m_parts) {
            const graph::SoloCode& code = part.code;
            most = std::max(most, code.invocations);
            if (code.isCollective && collective != 0 && collective != code.invocations) {
                return failure(nameOf(part.shader), "nodes whose invocations wait for each other have workgroups of " +
                                                        std::to_string(collective) + " and " +
                                                        std::to_string(code.invocations) + " invocations");
            }
            collective = code.isCollective ? code.invocations : collective;
        }
        if (collective != 0 && most > collective) {
            return failure("", "a node has a workgroup of " + std::to_string(most) +
                                   " invocations, and one whose invocations wait for each other has " +
                                   std::to_string(collective));
        }
        m_invocations = collective != 0 ? collective : std::max(most, std::min(kMostInvocations, m_limits.invocations));
        return {};
    }

    Status merge()
    {
        for (Part& part : m_parts) {
            makeAlone(part.shader);
        }
        m_functions.push_back(ours().entry);
        for (size_t p = 1; p < m_parts.size(); p++) {
            if (const Status status = add(m_parts[p], p); !status) {
                return status;
            }
        }
        auto block = mergePushConstants(module());
        if (!block) {
            return block.error();
        }
        m_block = *block ? *block : ours().arguments;
        writeEntry();
        return {};
    }

    Status finish(SoloModule& out)
    {
        const auto& library = getSoloLibrary(ours().vulkanMemoryModel, hasStorageImages(module()));
        if (!library) {
            return library.error();
        }
        const spirv::Library::Constant constants[] = {{kWorkgroupSizeSpecId, m_invocations}};
        if (const Status status = library->linkInto(module(), constants); !status) {
            return status;
        }
        spirv::removeUnused(module());
        if (samplesAndWritesImages(module())) {
            return failure("images", "nodes write images and others sample images, which could be the same");
        }
        unrestrict(module());
        updateInterface(module(), ours().entry);
        orderGlobals(module());
        out.words = spirv::write(module());
        out.shape.invocations = m_invocations;
        for (const Part& part : m_parts) {
            out.shape.codes.push_back(part.code);
        }
        return {};
    }

    Status checkAll()
    {
        uint64_t shared = 0;
        for (const Part& part : m_parts) {
            const NodeShader& shader = part.shader;
            shared += sharedBytesOf(shader.module);
            if (shader.vulkanMemoryModel != ours().vulkanMemoryModel) {
                return failure(nameOf(shader), "its memory model is not that of the others");
            }
            if (speaksOfNeighbours(shader)) {
                return failure(nameOf(shader), "it has derivatives");
            }
            if (hasModesWithIds(shader) || modesOf(shader) != modesOf(ours())) {
                return failure(nameOf(shader), "its execution modes are not those of the others");
            }
        }
        if (shared + kOwnSharedBytes > m_limits.sharedBytes) {
            return failure("", "the nodes have " + std::to_string(shared) + " bytes of workgroup memory");
        }
        return {};
    }

    // Workgroups of one invocation call functions that wait for nobody.
    static void makeAlone(NodeShader& shader)
    {
        if (graph::invocationsOf(shader.node) != 1) {
            return;
        }
        for (Instruction& i : shader.module.section(Section::Annotations)) {
            const bool isImport = i.op == spv::Op::OpDecorate &&
                                  i.literal(1) == static_cast<uint32_t>(spv::Decoration::LinkageAttributes);
            const std::string name = isImport ? i.string(2) : "";
            if (name == "mr_allocate_workgroup" || name == "mr_finish_writing") {
                const Id function = i.id(0);
                const std::string_view alone = name == "mr_finish_writing" ? "mr_finish_alone" : "mr_allocate_alone";
                i = linkage(function, alone, spv::LinkageType::Import);
                shader.module.setName(function, alone);
            }
        }
    }

    static Instruction linkage(Id function, std::string_view name, spv::LinkageType type)
    {
        return spirv::instruction(spv::Op::OpDecorate)
            .add(function)
            .add(static_cast<uint32_t>(spv::Decoration::LinkageAttributes))
            .add(name)
            .add(static_cast<uint32_t>(type));
    }

    // Links one more node into the first one's module.
    Status add(Part& part, size_t number)
    {
        const std::string name = "node_" + std::to_string(number);
        Module& theirs = part.shader.module;
        theirs.section(Section::Annotations).push_back(linkage(part.shader.entry, name, spv::LinkageType::Export));
        theirs.addCapability(spv::Capability::Linkage);
        // Nobody asks for them.
        theirs.section(Section::EntryPoints).clear();
        theirs.section(Section::ExecutionModes).clear();
        const auto library = spirv::Library::create(std::move(theirs));
        if (!library) {
            return library.error();
        }
        const Id voidType = module().getVoidType();
        spirv::Function function;
        function.definition = spirv::instruction(spv::Op::OpFunction, voidType, module().newId())
                                  .add(static_cast<uint32_t>(spv::FunctionControlMask::MaskNone))
                                  .add(module().getFunctionType(voidType, {}));
        m_functions.push_back(function.id());
        module().functions.push_back(std::move(function));
        module().section(Section::Annotations).push_back(linkage(m_functions.back(), name, spv::LinkageType::Import));
        module().setName(m_functions.back(), name);
        return library->linkPartInto(module());
    }

    Id loadArguments(Emitter& out, uint32_t first)
    {
        const Id uintType = module().getIntType(32, false);
        const Id pairType = module().getVectorType(uintType, 2);
        const Id pointer = module().getPointerType(spv::StorageClass::PushConstant, pairType);
        const Instruction* type = module().findDefinition(module().pointee(module().typeOf(m_block)));
        const auto member = static_cast<uint32_t>(type->operandCount()) - kArgumentPairs + first;
        Id pairs[2];
        for (uint32_t p = 0; p < 2; p++) {
            const Id where = out.emit(spv::Op::OpAccessChain, pointer, {m_block, module().getConstant(member + p)});
            pairs[p] = out.emit(spv::Op::OpLoad, pairType, {where});
        }
        return out.emit(spv::Op::OpCompositeConstruct, module().getVectorType(uintType, 4), {pairs[0], pairs[1]});
    }

    // mr_begin(...); while (mr_solo_next()) switch (mr_solo_code()) { case 0: node_0(); ... }
    void writeEntry()
    {
        FunctionWriter writer(module());
        const Id header = module().newId(), check = module().newId(), body = module().newId();
        const Id next = module().newId(), after = module().newId();
        writer.beginBlock();
        Emitter start = writer.out();
        const Id low = loadArguments(start, 0);
        const Id high = loadArguments(start, 2);
        ours().device.call(start, DeviceFunction::Begin, {low, high});
        writer.branch(header);
        writer.beginBlock(header);
        writer.out().keep(spirv::instruction(spv::Op::OpLoopMerge).add(after).add(next).add(0u));
        writer.branch(check);
        writer.beginBlock(check);
        Emitter out = writer.out();
        const Id hasNext = ours().device.call(out, DeviceFunction::SoloNext, {});
        writer.out().emitVoid(spv::Op::OpBranchConditional, {hasNext, body, after});
        writer.beginBlock(body);
        chooseNode(writer);
        writer.branch(next);
        writer.beginBlock(next);
        writer.branch(header);
        writer.beginBlock(after);
        replaceEntry(writer.finish());
    }

    void chooseNode(FunctionWriter& writer)
    {
        const Id voidType = module().getVoidType();
        if (m_functions.size() == 1) {
            writer.out().call(m_functions[0], voidType, {});
            return;
        }
        Emitter out = writer.out();
        const Id code = ours().device.call(out, DeviceFunction::SoloCode, {});
        const Id join = module().newId();
        std::vector<Id> labels;
        Instruction choice = spirv::instruction(spv::Op::OpSwitch).add(code).add(join);
        for (uint32_t f = 0; f < m_functions.size(); f++) {
            labels.push_back(module().newId());
            choice.add(f).add(labels.back());
        }
        out.keep(spirv::instruction(spv::Op::OpSelectionMerge).add(join).add(0u));
        out.keep(std::move(choice));
        for (size_t f = 0; f < m_functions.size(); f++) {
            writer.beginBlock(labels[f]);
            writer.out().call(m_functions[f], voidType, {});
            writer.branch(join);
        }
        writer.beginBlock(join);
    }

    void replaceEntry(Id created)
    {
        NodeShader& shader = ours();
        module().setName(shader.entry, "node_0");
        for (Instruction& i : module().section(Section::EntryPoints)) {
            i = spirv::instruction(i.op).add(i.literal(0)).add(created).add(std::string_view("main"));
        }
        spirv::InstructionList& modes = module().section(Section::ExecutionModes);
        std::erase_if(modes, [](const Instruction& i) {
            return i.literal(1) == static_cast<uint32_t>(spv::ExecutionMode::LocalSize);
        });
        for (Instruction& i : modes) {
            i.setId(0, created);
        }
        modes.push_back(spirv::instruction(spv::Op::OpExecutionMode)
                            .add(created)
                            .add(static_cast<uint32_t>(spv::ExecutionMode::LocalSize))
                            .add(m_invocations)
                            .add(1u)
                            .add(1u));
        module().setName(created, "main");
        shader.entry = created;
        shader.device.declare(module());
        updateInterface(module(), created);
        orderGlobals(module());
    }

    const SoloLimits m_limits;
    std::vector<Part> m_parts;  // the first one's module takes in the others
    uint32_t m_invocations = 0;
    std::vector<Id> m_functions;  // of the parts
    Id m_block;                   // push constants
};

}  // namespace

Result<SoloModule> makeSolo(std::span<const SoloSource> sources, const SoloLimits& limits)
{
    Merger merger(limits);
    SoloModule out;
    if (const Status status = merger.run(sources, out); !status) {
        return status.error();
    }
    const Options& options = sources.front().options;
    if (options.afterPass) {
        options.afterPass("solo", out.words);
    }
    if (options.validate) {
        if (const Status status = spirv::validate(out.words); !status) {
            return status.error();
        }
    }
    return out;
}

}  // namespace millrace::compiler
