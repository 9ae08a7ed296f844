// SPDX-License-Identifier: Apache-2.0
// The passes in their order.
#include "nodes/compile.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "graph/code_traits.h"
#include "nodes/node_shader.h"
#include "nodes/pass.h"
#include "nodes/passes/check_budgets.h"
#include "nodes/passes/choose_packing.h"
#include "nodes/passes/decide_branches.h"
#include "nodes/passes/drop_read_only.h"
#include "nodes/passes/enqueue_forgotten_payloads.h"
#include "nodes/passes/gather_enqueues.h"
#include "nodes/passes/inline_calls.h"
#include "nodes/passes/inline_payload_functions.h"
#include "nodes/passes/link_device_library.h"
#include "nodes/passes/lower_built_ins.h"
#include "nodes/passes/lower_payloads.h"
#include "nodes/passes/lower_push_constants.h"
#include "nodes/passes/make_payloads_coherent.h"
#include "nodes/passes/narrow_allocations.h"
#include "nodes/passes/narrow_coalescing.h"
#include "nodes/passes/narrow_enqueues.h"
#include "nodes/passes/order_payload_memory.h"
#include "nodes/passes/place_kept_payloads.h"
#include "nodes/passes/reflect_node.h"
#include "nodes/passes/reflect_outputs.h"
#include "nodes/passes/reject_unsupported.h"
#include "nodes/passes/run_once.h"
#include "nodes/passes/scan_reductions.h"
#include "nodes/passes/specialize_recursion.h"
#include "nodes/passes/split_payload_copies.h"
#include "nodes/passes/step_through_grid.h"
#include "nodes/passes/upgrade_module.h"
#include "nodes/passes/wrap_entry_point.h"
#include "nodes/prepare.h"
#include "nodes/source_module.h"
#include "shader/diagnose.h"
#include "spirv/edit.h"
#include "spirv/tools.h"

namespace millrace::nodes {

namespace {

constexpr size_t kHeaderWords = 5;

Status specialize(NodeShader& shader, const Request& request)
{
    return spirv::specialize(shader.module, request.specialization);
}

Status rejectInvalidCode(NodeShader& shader, const Checks& checks)
{
    return checks.isValid ? Status() : rejectInvalid(shader.module);
}

Status inlineFunctions(NodeShader& shader)
{
    const Status status = inlinePayloadFunctions(shader.module);
    return status ? findEntry(shader) : status;
}

struct Pass {
    std::string_view name;
    PassFunction run;
};

// extractEntryPoint comes in front of all (SourceModule): nobody has to look at what belongs to other entry points.
// rejectInvalid must come before the passes that rely on valid modules, which is all others.
// inlinePayloadFunctions must come before the passes that ask for the entry point.
// upgradeModule makes versions and storage classes uniform for those behind it.
// specializeRecursion must come before all that look at what a node allocates.
// narrowCoalescing must come before reflectNode, which finds what it made of declarations.
// reflectNode finds the input, which splitPayloadCopies and all that follow ask for.
// choosePacking must come after reflectOutputs, which finds what a node sends.
// checkBudgets must come behind choosePacking, since fuse() begins with what that leaves.
// makePayloadsCoherent needs what reflectNode found of writes, and the accesses that splitPayloadCopies makes.
// lowerBuiltIns must come before lowerPayloads, which removes the capability of the extension's built-ins.
// lowerPushConstants must come after lowerPayloads only to keep what it adds out of the way.
// orderPayloadMemory must come after lowerPayloads: barriers order what is buffer memory by then.
// wrapEntryPoint must come after them: they say what a workgroup starts and ends with.
// narrowEnqueues, narrowAllocations, placeKeptPayloads, runOnce, stepThroughGrid and linkDeviceLibrary, which finish()
// runs, look at the graph; linkDeviceLibrary must come behind them: they say which functions they call. Up to
// choosePacking a module of the extension stays one, as fuse() needs it.
// gatherEnqueues must come behind narrowEnqueues, which leaves out most.
// decideBranches must come right behind linkDeviceLibrary, which leaves what it drops.
// inlineCalls must come behind decideBranches: what never runs needs no place.
// dropReadOnly, scanReductions and splitLongIntegers must come last: they are for all code that the driver sees, the
// device functions' too.
constexpr Pass kPasses[] = {
    {"rejectInvalid", rejectInvalidCode},
    {"specialize", specialize},
    {"inlinePayloadFunctions", inlineFunctions},
    {"upgradeModule", upgradeModule},
    {"specializeRecursion", specializeRecursion},
    {"narrowCoalescing", narrowCoalescing},
    {"reflectNode", reflectNode},
    {"splitPayloadCopies", splitPayloadCopies},
    {"reflectOutputs", reflectOutputs},
    {"choosePacking", choosePacking},
    {"checkBudgets", checkBudgets},
    {"makePayloadsCoherent", makePayloadsCoherent},
    {"lowerBuiltIns", lowerBuiltIns},
    {"lowerPayloads", lowerPayloads},
    {"enqueueForgottenPayloads", enqueueForgottenPayloads},
    {"lowerPushConstants", lowerPushConstants},
    {"orderPayloadMemory", orderPayloadMemory},
    {"wrapEntryPoint", wrapEntryPoint},
};

Status splitLongIntegers(NodeShader& shader, const Target& target)
{
    return target.longIntegers ? Status() : spirv::splitLongIntegers(shader.module);
}

struct FinishingPass {
    std::string_view name;
    FinishingFunction run;
};

constexpr FinishingPass kFinishingPasses[] = {
    {"narrowEnqueues", narrowEnqueues},
    {"gatherEnqueues", gatherEnqueues},
    {"narrowAllocations", narrowAllocations},
    {"placeKeptPayloads", placeKeptPayloads},
    {"runOnce", runOnce},
    {"stepThroughGrid", stepThroughGrid},
    {"linkDeviceLibrary", linkDeviceLibrary},
    {"decideBranches", decideBranches},
    {"inlineCalls", inlineCalls},
    {"dropReadOnly", dropReadOnly},
    {"scanReductions", scanReductions},
    {"splitLongIntegers", splitLongIntegers},
};
constexpr std::string_view kFirstPass = "extractEntryPoint";
constexpr std::string_view kLastPreparingPass = "choosePacking";

constexpr size_t preparingPasses()
{
    const auto* last = std::ranges::find(kPasses, kLastPreparingPass, &Pass::name);
    return static_cast<size_t>(last - std::begin(kPasses)) + 1;
}

Status runPasses(std::span<const Pass> passes, NodeShader& shader, const Options& options)
{
    for (const Pass& pass : passes) {
        if (Status status = callPass(pass.run, shader, options); !status)
            return status;
        if (options.checks.afterPass)
            options.checks.afterPass(pass.name, spirv::write(shader.module));
    }
    return {};
}

}  // namespace

Status findEntry(NodeShader& shader)
{
    const spirv::Module& module = shader.module;
    const spirv::InstructionList& entryPoints = module.section(spirv::Section::EntryPoints);
    if (entryPoints.empty() || !module.findFunction(entryPoints[0].id(1)))
        return Diagnostic{"compile", {}, "the entry point has no function"};
    shader.entry = entryPoints[0].id(1);
    for (const spirv::Instruction& i : module.section(spirv::Section::MemoryModel)) {
        shader.vulkanMemoryModel |=
            i.op == spv::Op::OpMemoryModel && i.literal(1) == static_cast<uint32_t>(spv::MemoryModel::Vulkan);
    }
    return {};
}

Result<std::shared_ptr<NodeShader>> prepareShader(std::span<const uint32_t> words, const Options& options)
{
    auto module = SourceModule(words).extract(options.request.entryPoint);
    if (!module)
        return module.error();
    return prepareExtracted(std::move(*module), options);
}

Result<std::shared_ptr<NodeShader>> prepareShader(spirv::Module module, const Options& options)
{
    if (const Status status = rejectUnsupported(module); !status)
        return status.error();
    if (const Status status = spirv::extractEntryPoint(module, options.request.entryPoint); !status)
        return status.error();
    return prepareExtracted(std::move(module), options);
}

Result<std::shared_ptr<NodeShader>> prepareExtracted(spirv::Module module, const Options& options)
{
    auto shader = std::make_shared<NodeShader>();
    shader->module = std::move(module);
    if (options.checks.afterPass)
        options.checks.afterPass(kFirstPass, spirv::write(shader->module));
    if (const Status status = runPasses(std::span(kPasses).first(preparingPasses()), *shader, options); !status)
        return status.error();
    return shader;
}

Result<PreparedNode> prepare(const SourceModule& source, const Options& options)
{
    auto module = source.extract(options.request.entryPoint);
    if (!module)
        return module.error();
    spirv::SharedWords words;
    if (source.hasSeveral())
        words = std::make_shared<const spirv::Words>(spirv::write(*module));
    auto shader = prepareExtracted(std::move(*module), options);
    if (!shader)
        return shader.error();
    return PreparedNode{(*shader)->node, std::move(*shader), std::move(words)};
}

Result<PreparedNode> prepare(std::span<const uint32_t> words, const Options& options)
{
    return prepare(SourceModule(words), options);
}

// The passes behind those of prepare().
Result<LoweredNode> lower(const PreparedNode& prepared, const Options& options)
{
    auto shader = std::make_shared<NodeShader>(*prepared.shader);
    if (const Status status = runPasses(std::span(kPasses).subspan(preparingPasses()), *shader, options); !status)
        return status.error();
    return LoweredNode{std::move(shader)};
}

Result<spirv::Words> finish(const LoweredNode& lowered, const Code& code, const Options& options)
{
    NodeShader shader = *lowered.shader;
    for (const FinishingPass& pass : kFinishingPasses) {
        if (const Status status = callPass(pass.run, shader, code, options); !status)
            return status.error();
        if (options.checks.afterPass)
            options.checks.afterPass(pass.name, spirv::write(shader.module));
    }
    spirv::Words words = spirv::write(shader.module);
    if (options.checks.validate) {
        if (const Status status = spirv::validate(words); !status)
            return status.error();
    }
    return words;
}

Result<CompiledNode> compile(std::span<const uint32_t> words, const Options& options, graph::MemoryUse memory)
{
    auto prepared = prepare(words, options);
    if (!prepared)
        return prepared.error();
    const Code code{.memory = memory, .traits = graph::codeTraits(prepared->node.declared)};
    const auto lowered = lower(*prepared, options);
    if (!lowered)
        return lowered.error();
    auto finished = finish(*lowered, code, options);
    if (!finished)
        return finished.error();
    return CompiledNode{std::move(*finished), std::move(prepared->node)};
}

std::span<const std::string_view> passNames()
{
    static const auto names = [] {
        std::array<std::string_view, 1 + std::size(kPasses) + std::size(kFinishingPasses)> out{kFirstPass};
        const auto rest = std::ranges::transform(kPasses, out.begin() + 1, &Pass::name).out;
        std::ranges::transform(kFinishingPasses, rest, &FinishingPass::name);
        return out;
    }();
    return names;
}

namespace {

bool declares(std::span<const uint32_t> words, spv::Capability capability)
{
    for (size_t at = kHeaderWords; at + 1 < words.size() && words[0] == spv::MagicNumber;) {
        const uint32_t count = words[at] >> 16;
        if ((words[at] & 0xffff) != static_cast<uint32_t>(spv::Op::OpCapability) || count < 2)
            return false;
        if (words[at + 1] == static_cast<uint32_t>(capability))
            return true;
        at += count;
    }
    return false;
}

}  // namespace

bool usesShaderEnqueue(std::span<const uint32_t> words)
{
    return declares(words, spv::Capability::ShaderEnqueueAMDX);
}

bool usesLongIntegers(std::span<const uint32_t> words)
{
    return declares(words, spv::Capability::Int64);
}

}  // namespace millrace::nodes
