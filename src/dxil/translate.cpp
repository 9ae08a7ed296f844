// SPDX-License-Identifier: Apache-2.0
#include "dxil/translate.h"

#include <algorithm>
#include <exception>
#include <unordered_map>

#include "dxil/bitcode.h"
#include "dxil/container.h"
#include "dxil/control_flow.h"
#include "dxil/emitter.h"
#include "dxil/root_signature.h"
#include "spirv/tools.h"

namespace millrace::dxil {

namespace {

using Structures = std::unordered_map<const Function*, Structure>;

class Translator {
public:
    Translator(Program& program, const ProgramInfo& info, const Options& options)
        : m_program(program), m_info(info), m_options(options)
    {
    }
    Result<Shader> translate(const EntryPoint& entry);

private:
    Status structure(Function& function);

    Program& m_program;
    const ProgramInfo& m_info;
    const Options& m_options;
    Structures m_structures;  // of all functions so far, so that each is worked on once
    std::unordered_map<const Function*, bool> m_rebuilt;
};

Status Translator::structure(Function& function)
{
    if (m_structures.contains(&function)) {
        return {};
    }
    Structure found;
    if (!deriveStructure(m_program.module(), function, found)) {
        if (Status status = m_program.structurize(function); !status) {
            return status;
        }
        m_rebuilt[&function] = true;
        found = {};
        if (!deriveStructure(m_program.module(), function, found)) {
            return Diagnostic{"dxil", function.name, "the control flow cannot be made structured"};
        }
    }
    return m_structures.emplace(&function, std::move(found)), Status();
}

// Functions that are called, callees included; recursion is not allowed in DXIL.
Status collect(Function& function, std::vector<Function*>& out, uint32_t depth)
{
    constexpr uint32_t kMaxDepth = 64;
    if (depth > kMaxDepth) {
        return Diagnostic{"dxil", function.name, "functions call each other too deeply, or without end"};
    }
    if (std::ranges::find(out, &function) == out.end()) {
        out.push_back(&function);
    }
    for (const Block* block : function.blocks) {
        for (const Value* i : block->instructions) {
            if (i->op == Op::Call && i->function && !i->function->blocks.empty()) {
                if (Status status = collect(*i->function, out, depth + 1); !status) {
                    return status;
                }
            }
        }
    }
    return {};
}

Result<Shader> Translator::translate(const EntryPoint& entry)
{
    std::vector<Function*> functions;
    if (Status status = collect(*entry.function, functions, 0); !status) {
        return status.error();
    }
    Structures reached;
    Shader out;
    for (Function* function : functions) {
        if (Status status = structure(*function); !status) {
            return status.error();
        }
        reached.emplace(function, m_structures.at(function));
        out.wasStructurized = out.wasStructurized || m_rebuilt.contains(function);
    }
    const EmitterOptions emitterOptions{m_options.bindings};
    Emitter emitter(m_program.module(), m_info, entry, emitterOptions);
    if (Status status = emitter.run(reached); !status) {
        return status.error();
    }
    out.entry = entry;
    out.entry.function = nullptr;
    out.entryPoint = emitter.entryPointName();
    out.words = spirv::write(emitter.module());
    out.hasPayloadAtomics = emitter.hasPayloadAtomics();
    return out;
}

bool isSupported(ShaderKind kind)
{
    return kind == ShaderKind::Compute || kind == ShaderKind::Node;
}

// Explicit overrides come before what the root signature says.
Status applyRootSignature(const Container& container, Options& options)
{
    constexpr std::string_view kPart = "RTS0";
    const Part* part = options.useRootSignature ? container.findPart(kPart) : nullptr;
    Result<std::vector<Part>> given = std::vector<Part>();
    if (!options.rootSignature.empty()) {
        given = readParts(options.rootSignature);
        if (!given) {
            return given.error();
        }
        const auto found = std::ranges::find(*given, kPart, &Part::name);
        if (found == given->end()) {
            return Diagnostic{"dxil", "root signature", "the container has no part RTS0"};
        }
        part = &*found;
    }
    if (!part) {
        return {};
    }
    const auto signature = readRootSignature(part->bytes);
    if (!signature) {
        return signature.error();
    }
    addRootSignature(*signature, options.bindings);
    return {};
}

Result<Translation> translateProgram(const Container& container, const Options& options)
{
    auto program = readBitcode(container.bitcode);
    if (!program) {
        return program.error();
    }
    const auto info = readProgramInfo(container, (*program)->module());
    if (!info) {
        return info.error();
    }
    Translation out;
    Options complete = options;
    if (Status status = applyRootSignature(container, complete); !status) {
        return status.error();
    }
    out.bindings = complete.bindings;
    Translator translator(**program, *info, complete);
    for (const EntryPoint& entry : info->entryPoints) {
        if (!options.entryPoint.empty() && entry.name != options.entryPoint) {
            continue;
        }
        if (!isSupported(entry.kind)) {
            return Diagnostic{"dxil", entry.name,
                              std::string("a ") + shaderKindText(entry.kind) + " shader is not supported"};
        }
        auto shader = translator.translate(entry);
        if (!shader) {
            return shader.error();
        }
        out.shaders.push_back(std::move(*shader));
    }
    if (out.shaders.empty()) {
        return Diagnostic{"dxil", "",
                          options.entryPoint.empty() ? "the library has no entry points"
                                                     : "no entry point \"" + options.entryPoint + "\""};
    }
    out.resources = info->resources;
    for (Resource& resource : out.resources) {
        resource.global = nullptr;
    }
    return out;
}

}  // namespace

Result<Translation> translate(std::span<const uint8_t> bytes, const Options& options)
{
    const auto container = readContainer(bytes);
    if (!container) {
        return container.error();
    }
    try {
        return translateProgram(*container, options);
    } catch (const std::exception& problem) {
        // Operations whose operands are of types that they cannot have.
        return Diagnostic{"dxil", "", std::string("not a well-formed program: ") + problem.what()};
    }
}

Status validate(const Shader& shader)
{
    if (!shader.hasPayloadAtomics) {
        return spirv::validate(shader.words);
    }
    auto module = spirv::read(shader.words);
    if (!module) {
        return module.error();
    }
    // A load and a store in place of each such operation have the same types.
    module->forEachInstruction([&](spirv::Instruction& i) {
        const spirv::Instruction* pointer = i.op >= spv::Op::OpAtomicLoad && i.op <= spv::Op::OpAtomicXor && i.result
                                                ? module->findDefinition(i.id(0))
                                                : nullptr;
        if (pointer && module->storageOf(pointer->type) == spv::StorageClass::NodePayloadAMDX) {
            i = spirv::instruction(spv::Op::OpLoad, i.type, i.result).add(pointer->result);
        }
    });
    return spirv::validate(spirv::write(*module));
}

}  // namespace millrace::dxil
