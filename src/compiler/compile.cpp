// SPDX-License-Identifier: Apache-2.0
// The passes in their order.
#include "compiler/compile.h"

#include "compiler/diagnose.h"
#include "compiler/node_shader.h"
#include "compiler/passes/enqueue_forgotten_payloads.h"
#include "compiler/passes/inline_payload_functions.h"
#include "compiler/passes/link_device_library.h"
#include "compiler/passes/lower_built_ins.h"
#include "compiler/passes/lower_payloads.h"
#include "compiler/passes/lower_push_constants.h"
#include "compiler/passes/make_payloads_coherent.h"
#include "compiler/passes/order_payload_memory.h"
#include "compiler/passes/reflect_node.h"
#include "compiler/passes/reflect_outputs.h"
#include "compiler/passes/reject_unsupported.h"
#include "compiler/passes/split_payload_copies.h"
#include "compiler/passes/upgrade_module.h"
#include "compiler/passes/wrap_entry_point.h"

namespace millrace::compiler {

using spirv::Words;

namespace {

constexpr size_t kHeaderWords = 5;

struct Pass {
    std::string_view name;
    Status (*run)(NodeShader&, const Options&);
};

// upgradeModule must come first, because it makes versions and storage classes uniform.
// reflectNode finds the input, which splitPayloadCopies and all that follow ask for.
// makePayloadsCoherent needs what reflectNode found of writes, and the accesses that splitPayloadCopies makes.
// lowerBuiltIns must come before lowerPayloads, which removes the capability of the extension's built-ins.
// lowerPushConstants must come after lowerPayloads only to keep what it adds out of the way.
// orderPayloadMemory must come after lowerPayloads: barriers order what is buffer memory by then.
// wrapEntryPoint must come last: the others say what a workgroup starts and ends with.
constexpr Pass kPasses[] = {
    {"upgradeModule", upgradeModule},
    {"reflectNode", reflectNode},
    {"splitPayloadCopies", splitPayloadCopies},
    {"reflectOutputs", reflectOutputs},
    {"makePayloadsCoherent", makePayloadsCoherent},
    {"lowerBuiltIns", lowerBuiltIns},
    {"lowerPayloads", lowerPayloads},
    {"enqueueForgottenPayloads", enqueueForgottenPayloads},
    {"lowerPushConstants", lowerPushConstants},
    {"orderPayloadMemory", orderPayloadMemory},
    {"wrapEntryPoint", wrapEntryPoint},
};

void report(const Options& options, std::string_view pass, const Words& words)
{
    if (options.afterPass) {
        options.afterPass(pass, words);
    }
}

// Steps on words, before there is a module to edit.
Result<Words> prepare(std::span<const uint32_t> words, const Options& options)
{
    if (const Status status = rejectUnsupported(words, options); !status) {
        return status.error();
    }
    auto specialized = spirv::specialize(words, options.specialization);
    if (!specialized) {
        return specialized;
    }
    report(options, "specialize", *specialized);
    auto extracted = spirv::extractEntryPoint(*specialized, options.entryPoint);
    if (!extracted) {
        return extracted;
    }
    report(options, "extractEntryPoint", *extracted);
    auto inlined = inlinePayloadFunctions(*extracted);
    if (inlined) {
        report(options, "inlinePayloadFunctions", *inlined);
    }
    return inlined;
}

Result<NodeShader> begin(const Words& words)
{
    auto module = spirv::read(words);
    if (!module) {
        return module.error();
    }
    NodeShader shader;
    shader.module = std::move(*module);
    const spirv::InstructionList& entryPoints = shader.module.section(spirv::Section::EntryPoints);
    if (entryPoints.empty() || !shader.module.findFunction(entryPoints[0].id(1))) {
        return Diagnostic{"compile", {}, "the entry point has no function"};
    }
    shader.entry = entryPoints[0].id(1);
    for (const spirv::Instruction& i : shader.module.section(spirv::Section::MemoryModel)) {
        shader.vulkanMemoryModel |=
            i.op == spv::Op::OpMemoryModel && i.literal(1) == static_cast<uint32_t>(spv::MemoryModel::Vulkan);
    }
    return shader;
}

}  // namespace

Result<CompiledNode> compile(std::span<const uint32_t> words, const Options& options)
{
    const auto prepared = prepare(words, options);
    if (!prepared) {
        return prepared.error();
    }
    auto shader = begin(*prepared);
    if (!shader) {
        return shader.error();
    }
    for (const Pass& pass : kPasses) {
        if (const Status status = pass.run(*shader, options); !status) {
            return status.error();
        }
        if (options.afterPass) {
            report(options, pass.name, spirv::write(shader->module));
        }
    }
    auto linked = linkDeviceLibrary(*shader, options);
    if (!linked) {
        return linked.error();
    }
    report(options, "linkDeviceLibrary", *linked);
    if (options.validate) {
        if (const Status status = spirv::validate(*linked); !status) {
            return status.error();
        }
    }
    return CompiledNode{std::move(*linked), std::move(shader->node)};
}

bool usesShaderEnqueue(std::span<const uint32_t> words)
{
    for (size_t at = kHeaderWords; at + 1 < words.size() && words[0] == spv::MagicNumber;) {
        const uint32_t count = words[at] >> 16;
        if ((words[at] & 0xffff) != static_cast<uint32_t>(spv::Op::OpCapability) || count < 2) {
            return false;
        }
        if (words[at + 1] == static_cast<uint32_t>(spv::Capability::ShaderEnqueueAMDX)) {
            return true;
        }
        at += count;
    }
    return false;
}

}  // namespace millrace::compiler
