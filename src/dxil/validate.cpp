// SPDX-License-Identifier: Apache-2.0
// What concerns the module: versions, metadata, resources, variables, declarations.
#include "dxil/validate.h"

#include <algorithm>
#include <array>
#include <exception>

#include "dxil/bitcode.h"
#include "dxil/validator.h"

namespace millrace::dxil {

namespace {

constexpr uint32_t kGroupShared = 3;

const char* profileText(ShaderKind kind)
{
    static constexpr std::array kTexts = {
        "ps",           "vs",     "gs",         "hs",   "ds",       "cs", "lib", "raygeneration",
        "intersection", "anyhit", "closesthit", "miss", "callable", "ms", "as",  "node"};
    return static_cast<size_t>(kind) < kTexts.size() ? kTexts[static_cast<size_t>(kind)] : "unknown";
}

}  // namespace

std::string Violation::text() const
{
    return message + " [" + rule + "]" + (place.empty() ? "" : " (" + place + ")");
}

void Validator::report(std::string_view rule, std::string message)
{
    Violation found{std::string(rule), std::move(message), place()};
    if (m_reported.insert(found.text()).second)
        m_violations.push_back(std::move(found));
}

std::string Validator::shaderModel() const
{
    return std::string(profileText(m_container.kind)) + "_" + std::to_string(m_container.major) + "_" +
           std::to_string(m_container.minor);
}

// In a library each entry point has a kind of its own.
ShaderKind Validator::kindOf(const Function& function) const
{
    const auto found = std::ranges::find(m_info.entryPoints, &function, &EntryPoint::function);
    return found == m_info.entryPoints.end() ? m_container.kind : found->kind;
}

void Validator::checkVersion()
{
    const Metadata* model = m_module.named("dx.shaderModel");
    if (!model) {
        report("META.REQUIRED", "Required metadata missing.");
        return;
    }
    const std::string text = model->at(0)->string + "_" + std::to_string(model->at(1)->numberOr(0)) + "_" +
                             std::to_string(model->at(2)->numberOr(0));
    if (text != shaderModel()) {
        report("SM.PROGRAMVERSION",
               "Program Version is " + shaderModel() + " but Dxil Module shader model version is " + text + ".");
    }
    const Metadata* version = m_module.named("dx.version");
    if (m_container.major == 6 && version &&
        (version->at(0)->numberOr(0) != 1 || version->at(1)->numberOr(0) != m_container.minor))
        report("SM.DXILVERSION", "Shader model requires Dxil Version 1." + std::to_string(m_container.minor) + ".");
}

void Validator::checkMetadata()
{
    static constexpr std::array<std::string_view, 11> kKnown = {
        "dx.version",         "dx.valver",      "dx.shaderModel",   "dx.resources",
        "dx.typeAnnotations", "dx.entryPoints", "dx.viewIdState",   "dx.dxrPayloadAnnotations",
        "dx.targetTypes",     "llvm.ident",     "llvm.module.flags"};
    for (const std::string& name : m_module.metadataNames)
        if (std::ranges::find(kKnown, name) == kKnown.end())
            report("META.KNOWN", "Named metadata '" + name + "' is unknown.");
}

void Validator::checkResources()
{
    for (size_t r = 0; r < m_info.resources.size(); ++r) {
        const Resource& a = m_info.resources[r];
        const uint32_t align = m_module.minPrecision ? 4 : 2;
        if (a.kind == ResourceKind::StructuredBuffer && a.strideBytes % align != 0) {
            report("META.STRUCTBUFALIGNMENT", "structured buffer element size must be a multiple of " +
                                                  std::to_string(align) + " bytes (actual size " +
                                                  std::to_string(a.strideBytes) + " bytes): " + describe(a));
        }
        // Registers of libraries may be left to the linker.
        for (size_t o = 0; o < r && !isLibrary(); ++o) {
            const Resource& b = m_info.resources[o];
            const auto last = [](const Resource& x) { return uint64_t{x.lowerBound} + (x.count - 1); };
            if (a.resourceClass == b.resourceClass && a.space == b.space && a.lowerBound <= last(b) &&
                b.lowerBound <= last(a))
                report("SM.RESOURCERANGEOVERLAP", "Resource " + describe(a) + " overlaps with " + describe(b) + ".");
        }
        // Vectors of constant buffers, typed buffers and textures have at most four elements.
        const bool isMemory = a.kind == ResourceKind::RawBuffer || a.kind == ResourceKind::StructuredBuffer;
        if (isMemory || a.resourceClass == ResourceClass::Sampler)
            continue;
        if (a.global)
            checkDeclaredType(*a.global->type, describe(a));
        for (const std::string& name : {"hostlayout." + a.name, a.name})
            if (const Type* type = a.name.empty() ? nullptr : m_module.findStruct(name))
                checkDeclaredType(*type, describe(a));
    }
}

void Validator::checkGlobals()
{
    for (const auto& global : m_module.globals) {
        const bool isResource =
            std::ranges::any_of(m_info.resources, [&](const Resource& r) { return r.global == global.get(); });
        const bool isInternal = global->addressSpace == kGroupShared || global->initializer;
        if (isResource || !isInternal)
            continue;
        const size_t before = m_violations.size();
        checkType(*global->type);
        for (size_t v = before; v < m_violations.size(); ++v)
            m_violations[v].place = "variable " + global->name + ": " + global->type->text();
    }
}

void Validator::checkDeclaration(const Function& function)
{
    const bool isOperation = function.name.starts_with("dx.op.");
    if (!isOperation && !isLibrary() && !function.name.starts_with("llvm.lifetime."))
        report("DECL.DXILFNEXTERN", "External function '" + function.name + "' is not a DXIL function.");
}

void Validator::checkFunction(const Function& function)
{
    m_function = &function;
    const ShaderKind kind = kindOf(function);
    const bool hasParameters = kind >= ShaderKind::AnyHit && kind <= ShaderKind::Callable;
    const bool isEntry =
        std::ranges::find(m_info.entryPoints, &function, &EntryPoint::function) != m_info.entryPoints.end();
    if (isEntry && !hasParameters && !function.arguments.empty()) {
        report("FLOW.FUNCTIONCALL",
               "Function " + function.name + " with parameter is not permitted, it should be inlined.");
    }
    for (const Block* block : function.blocks) {
        for (const Value* i : block->instructions) {
            m_instruction = i;
            checkInstruction(*i);
        }
    }
    m_instruction = nullptr;
    m_function = nullptr;
}

std::vector<Violation> Validator::run()
{
    checkVersion();
    checkMetadata();
    checkResources();
    checkGlobals();
    for (const auto& function : m_module.functions)
        if (function->blocks.empty())
            checkDeclaration(*function);
        else
            checkFunction(*function);
    return std::move(m_violations);
}

Result<std::vector<Violation>> findViolations(std::span<const uint8_t> bytes)
{
    const auto container = readContainer(bytes);
    if (!container)
        return container.error();
    const auto program = readBitcode(container->bitcode);
    if (!program)
        return program.error();
    const auto info = readProgramInfo(*container, (*program)->module());
    if (!info)
        return info.error();
    try {
        return Validator(*container, (*program)->module(), *info).run();
    } catch (const std::exception& problem) {
        return Diagnostic{"dxil", "", std::string("not a well-formed program: ") + problem.what()};
    }
}

}  // namespace millrace::dxil
