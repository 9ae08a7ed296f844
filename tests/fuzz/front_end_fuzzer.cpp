// SPDX-License-Identifier: Apache-2.0
// Programs that are well-formed for LLVM, but that no compiler would write: the front end refuses them or emits
// something. Bitcode itself is LLVM's affair, and read in a process of its own; so the input is not bitcode but the
// number of a program of the corpus and what to change in it, as LLVM's verifier would still let pass.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "dxil/bitcode.h"
#include "dxil/container.h"
#include "dxil/control_flow.h"
#include "dxil/emitter.h"
#include "dxil/validator.h"

namespace {

using namespace millrace::dxil;
namespace fs = std::filesystem;

const std::vector<std::vector<uint8_t>>& corpus()
{
    static const std::vector<std::vector<uint8_t>> all = [] {
        std::vector<fs::path> paths;
        for (const auto& entry : fs::recursive_directory_iterator(MILLRACE_DXIL_CORPUS))
            if (entry.path().extension() == ".dxil")
                paths.push_back(entry.path());
        std::ranges::sort(paths);
        std::vector<std::vector<uint8_t>> out;
        for (const fs::path& path : paths) {
            std::ifstream file(path, std::ios::binary);
            out.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        }
        return out;
    }();
    return all;
}

// Numbers out of the input, 0 behind its end.
class Input {
public:
    Input(const uint8_t* data, size_t size) : m_data(data), m_size(size) {}
    bool isEmpty() const { return m_at >= m_size; }
    uint8_t byte() { return isEmpty() ? 0 : m_data[m_at++]; }
    size_t below(size_t count)
    {
        const size_t low = byte();
        return count == 0 ? 0 : (low | size_t{byte()} << 8) % count;
    }

private:
    const uint8_t* m_data;
    size_t m_size;
    size_t m_at = 0;
};

class Changer {
public:
    Changer(Module& module, Input& input) : m_module(module), m_input(input) {}
    void change();

private:
    void pick();
    // A value that may stand in front of the instruction; of a type, if one is given.
    Value* otherValue(const Type* type);
    void changeOperand(bool keepType);
    void changeConstant();
    void changeOperation();
    void changeMetadata();

    Module& m_module;
    Input& m_input;
    Function* m_function = nullptr;
    Block* m_block = nullptr;
    size_t m_at = 0;
};

void Changer::pick()
{
    std::vector<Function*> bodies;
    for (const auto& function : m_module.functions)
        if (!function->blocks.empty())
            bodies.push_back(function.get());
    m_function = bodies.empty() ? nullptr : bodies[m_input.below(bodies.size())];
    if (m_function) {
        m_block = m_function->blocks[m_input.below(m_function->blocks.size())];
        m_at = m_input.below(m_block->instructions.size());
    }
}

Value* Changer::otherValue(const Type* type)
{
    std::vector<Value*> found;
    for (size_t i = 0; i < m_at; ++i)
        found.push_back(m_block->instructions[i]);
    for (const Value* i : m_block->instructions) {
        for (Value* operand : i->operands) {
            const bool isConstant = operand->kind < Value::Kind::Global;
            if (isConstant)
                found.push_back(operand);
        }
    }
    std::erase_if(found, [&](const Value* v) { return v->type->isVoid() || (type && v->type != type); });
    return found.empty() ? nullptr : found[m_input.below(found.size())];
}

void Changer::changeOperand(bool keepType)
{
    Value& i = *m_block->instructions[m_at];
    const bool isOperation = i.op == Op::Call && i.function && i.function->name.starts_with("dx.op.");
    if (i.operands.empty() || i.op == Op::Phi || i.isTerminator())
        return;
    Value*& operand = i.operands[m_input.below(i.operands.size())];
    // Members of structures are named by constants, which LLVM checks.
    if (i.op == Op::GetElementPtr && operand != i.operands[0])
        return;
    if (Value* other = otherValue(keepType || !isOperation ? operand->type : nullptr))
        operand = other;
}

void Changer::changeConstant()
{
    Value& i = *m_block->instructions[m_at];
    if (i.operands.empty() || i.op == Op::GetElementPtr || i.op == Op::Switch)
        return;
    Value*& operand = i.operands[m_input.below(i.operands.size())];
    if (!operand->type || !operand->type->isInt())
        return;
    static constexpr uint64_t kBits[] = {0, 1, 2, 3, 7, 31, 32, 64, 255, 65535, 0x7fffffff, 0x80000000, ~uint64_t{0}};
    Value* changed = m_module.newValue(Value::Kind::Int, operand->type);
    const uint64_t mask = operand->type->bits == 64 ? ~uint64_t{0} : (uint64_t{1} << operand->type->bits) - 1;
    const size_t which = m_input.below(std::size(kBits) + 320);
    changed->bits = (which < std::size(kBits) ? kBits[which] : which - std::size(kBits)) & mask;
    operand = changed;
}

void Changer::changeOperation()
{
    Value& i = *m_block->instructions[m_at];
    const auto isBinary = [](Op op) { return op >= Op::Add && op <= Op::Xor; };
    if (isBinary(i.op) && i.type->scalar().isInt()) {
        static constexpr Op kOps[] = {Op::Add, Op::Sub,  Op::Mul,  Op::UDiv, Op::SDiv, Op::URem, Op::SRem,
                                      Op::Shl, Op::LShr, Op::AShr, Op::And,  Op::Or,   Op::Xor};
        i.op = kOps[m_input.below(std::size(kOps))];
    } else if (i.op == Op::ICmp) {
        i.predicate = static_cast<Predicate>(static_cast<size_t>(Predicate::Eq) + m_input.below(10));
    } else if (i.op == Op::FCmp) {
        i.predicate = static_cast<Predicate>(m_input.below(16));
    } else if (i.op == Op::AtomicRmw) {
        i.rmw = static_cast<Rmw>(m_input.below(11));
    } else if (i.op == Op::Alloca) {
        i.elementType = &m_module.types[m_input.below(m_module.types.size())];
    }
}

void Changer::changeMetadata()
{
    std::vector<Metadata*> leaves;
    for (Metadata& node : m_module.nodes)
        if (node.kind == Metadata::Kind::Value && node.value && node.value->kind == Value::Kind::Int)
            leaves.push_back(&node);
    if (!leaves.empty()) {
        Metadata* leaf = leaves[m_input.below(leaves.size())];
        Value* changed = m_module.newValue(Value::Kind::Int, leaf->value->type);
        changed->bits = m_input.below(65536);
        leaf->value = changed;
    }
}

void Changer::change()
{
    pick();
    if (!m_function)
        return;
    switch (m_input.byte() % 6) {
        case 0:
            changeOperand(true);
            break;
        case 1:
            changeOperand(false);
            break;
        case 2:
        case 3:
            changeConstant();
            break;
        case 4:
            changeOperation();
            break;
        default:
            changeMetadata();
            break;
    }
}

// Functions that are called, callees included.
void collect(Function& function, std::vector<Function*>& out)
{
    if (std::ranges::find(out, &function) != out.end())
        return;
    out.push_back(&function);
    for (const Block* block : function.blocks) {
        for (const Value* i : block->instructions)
            if (i->op == Op::Call && i->function && !i->function->blocks.empty())
                collect(*i->function, out);
    }
}

void emit(Program& program, const ProgramInfo& info, const EntryPoint& entry, bool splitsVectors)
{
    std::vector<Function*> functions;
    collect(*entry.function, functions);
    std::unordered_map<const Function*, Structure> structures;
    for (Function* function : functions) {
        Structure& structure = structures[function];
        // Rebuilding control flow would read the body again, without the changes.
        if (!deriveStructure(program.module(), *function, structure))
            return;
    }
    EmitterOptions options;
    options.splitUpTo = splitsVectors ? 16 : 4;
    Emitter emitter(program.module(), info, entry, options);
    (void)emitter.run(structures);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size < 2 || corpus().empty())
        return 0;
    Input input(data, std::min<size_t>(size, 512));
    const std::vector<uint8_t>& bytes = corpus()[input.below(corpus().size())];
    const auto container = readContainer(bytes);
    const auto program = readBitcode(container->bitcode);
    if (!program)
        return 0;
    while (!input.isEmpty())
        Changer((*program)->module(), input).change();
    try {
        const auto info = readProgramInfo(*container, (*program)->module());
        if (!info)
            return 0;
        (void)Validator(*container, (*program)->module(), *info).run();
        if (!info->entryPoints.empty()) {
            const EntryPoint& entry = info->entryPoints[input.below(info->entryPoints.size())];
            emit(**program, *info, entry, input.byte() % 2 == 0);
        }
    } catch (const std::exception&) {
        // As translate() and findViolations() have it.
    }
    return 0;
}
