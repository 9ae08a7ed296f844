// SPDX-License-Identifier: Apache-2.0
// Words to Module. SPIRV-Tools knows the grammar: which operand is what; this file knows the layout: what goes where.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <spirv-tools/libspirv.h>

#include "spirv/id_set.h"
#include "spirv/module.h"

namespace millrace::spirv {

namespace {

constexpr size_t kHeaderWords = 5;

Diagnostic failure(std::string message, std::string where = {})
{
    return {"spirv", std::move(where), std::move(message)};
}

// Loose instructions may stand nearly everywhere and mean nothing where they stand.
bool isLoose(spv::Op op)
{
    return op == spv::Op::OpLine || op == spv::Op::OpNoLine || op == spv::Op::OpNop || isExtendedInstruction(op);
}

// The section of an instruction that stands in front of the functions; none if it may not.
std::optional<Section> sectionOf(spv::Op op)
{
    switch (op) {
        case spv::Op::OpCapability:
            return Section::Capabilities;
        case spv::Op::OpExtension:
            return Section::Extensions;
        case spv::Op::OpExtInstImport:
            return Section::ExtInstImports;
        case spv::Op::OpMemoryModel:
        case spv::Op::OpSamplerImageAddressingModeNV:
            return Section::MemoryModel;
        case spv::Op::OpEntryPoint:
            return Section::EntryPoints;
        case spv::Op::OpExecutionMode:
        case spv::Op::OpExecutionModeId:
            return Section::ExecutionModes;
        case spv::Op::OpString:
        case spv::Op::OpSource:
        case spv::Op::OpSourceContinued:
        case spv::Op::OpSourceExtension:
            return Section::DebugStrings;
        case spv::Op::OpName:
        case spv::Op::OpMemberName:
            return Section::DebugNames;
        case spv::Op::OpModuleProcessed:
            return Section::DebugModules;
        case spv::Op::OpDecorate:
        case spv::Op::OpDecorateId:
        case spv::Op::OpDecorateString:
        case spv::Op::OpMemberDecorate:
        case spv::Op::OpMemberDecorateString:
        case spv::Op::OpDecorationGroup:
        case spv::Op::OpGroupDecorate:
        case spv::Op::OpGroupMemberDecorate:
            return Section::Annotations;
        case spv::Op::OpVariable:
        case spv::Op::OpUntypedVariableKHR:
        case spv::Op::OpUndef:
        case spv::Op::OpLine:
        case spv::Op::OpNoLine:
        case spv::Op::OpExtInst:
        case spv::Op::OpExtInstWithForwardRefsKHR:
            return Section::Globals;
        default:
            break;
    }
    // Vendors keep adding types and constants; all of them are named so.
    const std::string name = opName(op);
    const bool isGlobal =
        name.starts_with("OpType") || name.starts_with("OpConstant") || name.starts_with("OpSpecConstant");
    return isGlobal ? std::optional(Section::Globals) : std::nullopt;
}

OperandKind kindOf(spv_operand_type_t type)
{
    // The five id kinds that binary parsing reports; spvIsIdType is not public.
    switch (type) {
        case SPV_OPERAND_TYPE_ID:
        case SPV_OPERAND_TYPE_TYPE_ID:
        case SPV_OPERAND_TYPE_RESULT_ID:
        case SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID:
        case SPV_OPERAND_TYPE_SCOPE_ID:
            return OperandKind::Id;
        case SPV_OPERAND_TYPE_LITERAL_STRING:
            return OperandKind::String;
        default:
            return OperandKind::Literal;
    }
}

class Reader {
public:
    explicit Reader(uint32_t bound) { m_module.bound = bound; }

    // False ends parsing; error() has the reason.
    bool add(const spv_parsed_instruction_t& parsed)
    {
        ++m_number;
        Instruction i;
        return convert(parsed, i) && place(std::move(i));
    }

    bool finish()
    {
        if (m_function)
            return fail("function without OpFunctionEnd");
        std::erase_if(m_uses, [this](Id id) { return m_defined.contains(id); });
        if (!m_uses.empty())
            return fail("id " + std::to_string(std::ranges::min(m_uses).value) + " is used but never defined");
        m_module.trailing = std::move(m_loose);
        return true;
    }

    bool failed() const { return m_failed; }
    const Diagnostic& error() const { return m_error; }
    Module& module() { return m_module; }

private:
    bool fail(std::string message)
    {
        m_failed = true;
        m_error = failure(std::move(message), "instruction " + std::to_string(m_number));
        return false;
    }

    bool convert(const spv_parsed_instruction_t& parsed, Instruction& out)
    {
        out.op = static_cast<spv::Op>(parsed.opcode);
        out.type = Id{parsed.type_id};
        out.result = Id{parsed.result_id};
        const uint16_t skipped = static_cast<uint16_t>(1 + (out.type ? 1 : 0) + (out.result ? 1 : 0));
        if (parsed.num_words < skipped)
            return fail("instruction without its result");
        out.words.assign(parsed.words + skipped, parsed.words + parsed.num_words);
        out.operands.reserve(parsed.num_operands);
        for (uint16_t o = 0; o < parsed.num_operands; ++o) {
            const spv_parsed_operand_t& operand = parsed.operands[o];
            const OperandKind kind = kindOf(operand.type);
            if (kind == OperandKind::Id) {
                const uint32_t id = parsed.words[operand.offset];
                if (id >= m_module.bound)
                    return fail("id " + std::to_string(id) + " is not below the bound");
                if (operand.type == SPV_OPERAND_TYPE_RESULT_ID)
                    m_defined.insert(Id{id});
                else if (m_used.insert(Id{id}))
                    m_uses.push_back(Id{id});
            }
            if (operand.offset >= skipped)
                out.operands.push_back({kind, static_cast<uint16_t>(operand.offset - skipped), operand.num_words});
        }
        return true;
    }

    bool place(Instruction i)
    {
        switch (i.op) {
            case spv::Op::OpFunction:
                return beginFunction(std::move(i));
            case spv::Op::OpFunctionParameter:
                return addParameter(std::move(i));
            case spv::Op::OpLabel:
                return beginBlock(i);
            case spv::Op::OpFunctionEnd:
                return endFunction();
            default:
                return m_function ? placeInFunction(std::move(i)) : placeOutside(std::move(i));
        }
    }

    bool placeOutside(Instruction i)
    {
        if (!m_module.functions.empty()) {
            if (!isLoose(i.op))
                return fail(opName(i.op) + " between functions");
            m_loose.push_back(std::move(i));
            return true;
        }
        const std::optional<Section> section = sectionOf(i.op);
        if (!section)
            return fail(opName(i.op) + " outside of a function");
        m_module.section(*section).push_back(std::move(i));
        return true;
    }

    bool placeInFunction(Instruction i)
    {
        if (m_inBlock) {
            // Types, constants and undefined values in bodies are wrong but seen; the rest could not be understood.
            const std::optional<Section> section = sectionOf(i.op);
            if (section && *section != Section::Globals)
                return fail(opName(i.op) + " in a function");
            m_inBlock = !isTerminator(i.op);
            m_function->blocks.back().body.push_back(std::move(i));
            return true;
        }
        if (!isLoose(i.op))
            return fail(opName(i.op) + " outside of a block");
        m_loose.push_back(std::move(i));
        return true;
    }

    bool beginFunction(Instruction i)
    {
        if (m_function)
            return fail("OpFunction in a function");
        m_function.emplace();
        m_function->definition = std::move(i);
        m_function->before = std::exchange(m_loose, {});
        return true;
    }

    bool addParameter(Instruction i)
    {
        if (!m_function || !m_function->blocks.empty())
            return fail("OpFunctionParameter not at the start of a function");
        for (Instruction& loose : std::exchange(m_loose, {}))
            m_function->beforeParameter.emplace_back(m_function->parameters.size(), std::move(loose));
        m_function->parameters.push_back(std::move(i));
        return true;
    }

    bool beginBlock(const Instruction& i)
    {
        if (!m_function)
            return fail("OpLabel outside of a function");
        if (m_inBlock)
            return fail("OpLabel in a block that has no terminator yet");
        m_function->blocks.push_back({i.result, {}, std::exchange(m_loose, {})});
        m_inBlock = true;
        return true;
    }

    bool endFunction()
    {
        if (!m_function)
            return fail("OpFunctionEnd outside of a function");
        if (m_inBlock)
            return fail("OpFunctionEnd in a block that has no terminator");
        m_function->after = std::exchange(m_loose, {});
        m_module.functions.push_back(std::move(*m_function));
        m_function.reset();
        return true;
    }

    Module m_module;
    std::optional<Function> m_function;  // being read
    bool m_inBlock = false;
    InstructionList m_loose;  // seen since, owner not known yet
    IdSet m_defined, m_used;
    std::vector<Id> m_uses;  // each once
    size_t m_number = 0;
    bool m_failed = false;
    Diagnostic m_error;
};

}  // namespace

Result<Module> read(std::span<const uint32_t> words)
{
    if (words.size() < kHeaderWords)
        return failure("shorter than a SPIR-V header");
    if (words[0] != spv::MagicNumber)
        return failure("no SPIR-V magic number in this machine's byte order");
    const uint32_t bound = words[3];
    if (bound == 0 || bound > kMaxBound)
        return failure("id bound " + std::to_string(bound) + " is not in 1.." + std::to_string(kMaxBound));

    Reader reader(bound);
    const auto onInstruction = [](void* user, const spv_parsed_instruction_t* parsed) {
        return static_cast<Reader*>(user)->add(*parsed) ? SPV_SUCCESS : SPV_ERROR_INVALID_LAYOUT;
    };
    const std::unique_ptr<spv_context_t, void (*)(spv_context)> context(spvContextCreate(SPV_ENV_UNIVERSAL_1_6),
                                                                        spvContextDestroy);
    spv_diagnostic diagnostic = nullptr;
    const spv_result_t result =
        spvBinaryParse(context.get(), &reader, words.data(), words.size(), nullptr, onInstruction, &diagnostic);
    const std::unique_ptr<spv_diagnostic_t, void (*)(spv_diagnostic)> owned(diagnostic, spvDiagnosticDestroy);
    if (reader.failed())
        return reader.error();
    if (result != SPV_SUCCESS) {
        return owned ? failure(owned->error, "instruction " + std::to_string(owned->position.index))
                     : failure("SPIRV-Tools cannot parse it");
    }
    if (!reader.finish())
        return reader.error();
    Module& module = reader.module();
    module.version = words[1];
    module.generator = words[2];
    return std::move(module);
}

}  // namespace millrace::spirv
