// SPDX-License-Identifier: Apache-2.0
#include "glsl/complete.h"

#include "glsl/declared.h"
#include "glsl/payload_code.h"
#include "glsl/payload_declarations.h"
#include "glsl/warnings.h"
#include "spirv/edit.h"
#include "spirv/module.h"

namespace millrace::glsl {

namespace {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

// glslang names it "main" whatever the node is called.
std::string nameEntryPoint(Module& module, const std::vector<Declared>& declared)
{
    std::string name = "main";
    for (const Declared& d : declared) {
        const auto given = d.source->strings.find(Attribute::Name);
        name = given == d.source->strings.end() ? name : given->second;
    }
    Instruction& old = module.section(Section::EntryPoints).at(0);
    Instruction entryPoint = spirv::instruction(old.op).add(old.literal(0)).add(old.id(1)).add(name);
    for (size_t o = 3; o < old.operandCount(); ++o)
        entryPoint.add(old.id(o));
    old = std::move(entryPoint);
    return name;
}

bool isLine(const Instruction& i)
{
    return i.op == spv::Op::OpLine || i.op == spv::Op::OpNoLine;
}

void dropLines(Module& module)
{
    std::erase_if(module.section(Section::Globals), isLine);
    for (spirv::Function& function : module.functions) {
        std::erase_if(function.before, isLine);
        std::erase_if(function.after, isLine);
        function.beforeParameter.clear();
        for (spirv::Block& block : function.blocks) {
            std::erase_if(block.before, isLine);
            std::erase_if(block.body, isLine);
        }
    }
    std::erase_if(module.trailing, isLine);
    module.section(Section::DebugStrings).clear();
    module.section(Section::DebugModules).clear();
}

void dropOurNames(Module& module)
{
    std::erase_if(module.section(Section::DebugNames),
                  [](const Instruction& i) { return i.op == spv::Op::OpName && i.string(1).starts_with(kReserved); });
}

// PayloadDispatchIndirectAMDX where the structure is that of a local variable: without offsets, and no payload.
void dropGridsOfLocals(Module& module)
{
    module.removeDecorations([&](const Instruction& i) {
        return i.op == spv::Op::OpMemberDecorate &&
               i.literal(2) == static_cast<uint32_t>(spv::Decoration::PayloadDispatchIndirectAMDX) &&
               !module.findMemberDecoration(i.id(0), i.literal(1), spv::Decoration::Offset);
    });
}

}  // namespace

Result<Completed> completeModule(const spirv::Words& words, const Declarations& declarations, bool keepLines)
{
    auto module = spirv::read(words);
    if (!module)
        return module.error();
    const std::vector<Declared> declared = takeDeclared(*module, declarations);
    if (Status status = checkDeclared(*module, declared); !status)
        return status.error();
    // Payloads cannot be reached from other functions than the entry point: a handle is a variable of it.
    const auto inlined = spirv::inlineAll(spirv::write(*module));
    module = inlined ? spirv::read(*inlined) : inlined.error();
    if (!module)
        return module.error();
    const Id entry = module->section(Section::EntryPoints).at(0).id(1);
    std::erase_if(module->functions, [&](const spirv::Function& f) { return f.id() != entry; });
    module->addCapability(spv::Capability::ShaderEnqueueAMDX);
    module->addExtension("SPV_AMDX_shader_enqueue");
    declareNode(*module, declared);
    auto payloads = declarePayloads(*module, declared);
    if (!payloads)
        return payloads.error();
    const std::string warnings = findWarnings(*module, declared, *payloads);
    const auto notes = completeCode(*module, *payloads);
    if (!notes)
        return notes.error();
    if (Status status = checkGrid(*module, declared, *payloads); !status)
        return status.error();
    const std::string entryPoint = nameEntryPoint(*module, declared);
    dropOurNames(*module);
    dropGridsOfLocals(*module);
    if (!keepLines)
        dropLines(*module);
    spirv::removeUnused(*module);
    spirv::orderDecorationOperands(*module);
    return Completed{spirv::write(*module), entryPoint, notes->payloadAtomic, warnings};
}

}  // namespace millrace::glsl
