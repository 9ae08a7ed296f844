// SPDX-License-Identifier: Apache-2.0
// A SPIR-V module laid out as the specification draws it (section 2.4): one list per section, then functions.
// Takes any module that the packaged SPIRV-Tools can parse; passes edit it; write() gives words again.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <spirv/unified1/spirv.hpp11>

#include "base/inline_vector.h"
#include "base/result.h"
#include "spirv/id_map.h"

namespace millrace::spirv {

// A result id; 0 is "none". A strong type, so that ids and literals cannot be confused.
struct Id {
    uint32_t value = 0;
    explicit operator bool() const { return value != 0; }
    auto operator<=>(const Id&) const = default;
};

enum class OperandKind : uint8_t {
    Id,       // a reference to a result id, memory semantics and scopes included
    Literal,  // one or more words that are no id (numbers, enumerants)
    String,   // nul-terminated, packed in words
};

struct Operand {
    OperandKind kind = OperandKind::Literal;
    uint16_t first = 0;  // word index into Instruction::words
    uint16_t count = 0;  // words
};

// One instruction. `words` holds the operands only: neither the opcode word, nor result type, nor result id.
struct Instruction {
    spv::Op op = spv::Op::OpNop;
    Id type;    // result type, if any
    Id result;  // result id, if any
    // Most instructions have no more than this.
    InlineVector<uint32_t, 4> words;
    InlineVector<Operand, 4> operands;

    size_t operandCount() const { return operands.size(); }
    bool isId(size_t operand) const { return operand < operands.size() && operands[operand].kind == OperandKind::Id; }
    // An operand that is not there, which is always a mistake of the caller, is none, 0 or empty in release builds.
    Id id(size_t operand) const;             // Requires: isId(operand)
    uint32_t literal(size_t operand) const;  // first word; Requires: a literal
    std::string string(size_t operand) const;
    void setId(size_t operand, Id id);
    void setLiteral(size_t operand, uint32_t value);

    // Appending operands; return *this, so that an instruction reads like its text.
    Instruction& add(Id id);
    Instruction& add(uint32_t literal);
    Instruction& add(std::string_view string);

    // Visits every id used as operand, result type included; the result id is not visited.
    template <typename Visit>
    void forEachUse(const Visit& visit)
    {
        if (type)
            visit(type);
        for (const Operand& operand : operands) {
            if (operand.kind == OperandKind::Id) {
                Id id{words[operand.first]};
                visit(id);
                words[operand.first] = id.value;
            }
        }
    }
    template <typename Visit>
    void forEachUse(const Visit& visit) const
    {
        if (type)
            visit(type);
        for (const Operand& operand : operands)
            if (operand.kind == OperandKind::Id)
                visit(Id{words[operand.first]});
    }
};

// Instruction(op).add(...): starts an instruction. `type` and `result` may be none.
Instruction instruction(spv::Op op, Id type = {}, Id result = {});

using InstructionList = std::vector<Instruction>;

// The sections in front of the functions, in the order of the specification.
enum class Section {
    Capabilities,
    Extensions,
    ExtInstImports,
    MemoryModel,
    EntryPoints,
    ExecutionModes,
    DebugStrings,  // OpString, OpSource..., OpSourceExtension
    DebugNames,    // OpName, OpMemberName
    DebugModules,  // OpModuleProcessed
    Annotations,   // decorations
    Globals,       // types, constants, global variables, OpUndef, OpLine, in order of appearance
    Count,
};
inline constexpr size_t kSectionCount = static_cast<size_t>(Section::Count);

// Line information (OpLine, OpNoLine) and non-semantic instructions may also stand where nothing else may: between
// functions, parameters and blocks. They are held apart, so that the lists of interest stay pure.
struct Block {
    Id label;
    InstructionList body;    // after the label, terminator included
    InstructionList before;  // loose instructions in front of the label
};

struct Function {
    Instruction definition;      // OpFunction
    InstructionList parameters;  // OpFunctionParameter
    std::vector<Block> blocks;   // empty for an imported declaration
    InstructionList before;      // loose instructions in front of OpFunction; those of the first function are globals
    InstructionList after;       // loose instructions in front of OpFunctionEnd
    // Loose instructions in front of parameter `first`, in order; those behind the last parameter belong to a block.
    std::vector<std::pair<size_t, Instruction>> beforeParameter;
    Id id() const { return definition.result; }
};

class Module {
public:
    uint32_t version = 0x00010600;
    uint32_t generator = 0;
    uint32_t bound = 1;
    std::array<InstructionList, kSectionCount> sections;
    std::vector<Function> functions;
    InstructionList trailing;  // loose instructions behind the last function

    InstructionList& section(Section s) { return sections[static_cast<size_t>(s)]; }
    const InstructionList& section(Section s) const { return sections[static_cast<size_t>(s)]; }

    Id newId() { return Id{bound++}; }

    // Definitions: everything with a result id except labels. Constant time through an index that is checked against
    // the lists at each use, so lists may be edited at will; an id that nothing defines costs a pass over the module.
    // Appending to a list invalidates pointers into it. Instructions of a rewrite in progress are not found yet.
    // Not safe from several threads, const or not.
    const Instruction* findDefinition(Id id) const;
    Instruction* findDefinition(Id id);
    const Function* findFunction(Id id) const;
    Function* findFunction(Id id);

    // find: may be none; get: makes it where there is none; create: always new. Types and constants are shared,
    // structures never. New globals go to the end of Section::Globals.
    Id findType(spv::Op op, std::span<const uint32_t> operandWords) const;
    Id getVoidType();
    Id getBoolType();
    Id getIntType(uint32_t width, bool isSigned);
    Id getFloatType(uint32_t width);
    Id getVectorType(Id component, uint32_t count);
    Id getPointerType(spv::StorageClass storage, Id pointee);
    Id getFunctionType(Id result, std::span<const Id> parameters);
    Id getConstant(uint32_t value);  // OpConstant of 32-bit unsigned int
    Id getConstantBool(bool value);
    Id createVariable(Id pointerType, spv::StorageClass storage, Id initializer = {});  // global

    // Facts. Those that return optional-like values use 0 or false for "no".
    Id typeOf(Id value) const;                          // result type of the instruction that defines it
    Id pointee(Id pointerType) const;                   // none unless it is an OpTypePointer
    spv::StorageClass storageOf(Id pointerType) const;  // Max unless it is an OpTypePointer
    bool isConstant(Id id) const;                       // OpConstant*, not specialization constants
    // Value of an integer or boolean constant up to 32 bits; specialization constants give their default.
    bool constantValue(Id id, uint32_t& value) const;
    std::string constantString(Id id) const;  // OpConstantStringAMDX, OpSpecConstantStringAMDX

    void addCapability(spv::Capability capability);
    void removeCapability(spv::Capability capability);
    bool hasCapability(spv::Capability capability) const;
    void addExtension(std::string_view name);
    void removeExtension(std::string_view name);

    void setName(Id id, std::string_view name);
    std::string name(Id id) const;  // OpName, or empty
    // Decorations of a group (OpGroupDecorate) are not seen; specialize() dissolves groups.
    void decorate(Id id, spv::Decoration decoration, std::span<const uint32_t> literals = {});
    void decorateMember(Id type, uint32_t member, spv::Decoration decoration, std::span<const uint32_t> literals = {});
    const Instruction* findDecoration(Id id, spv::Decoration decoration) const;
    const Instruction* findMemberDecoration(Id type, uint32_t member, spv::Decoration decoration) const;
    void removeDecorations(const std::function<bool(const Instruction&)>& which);

    // Visits every instruction, sections first, then functions in order (definition, parameters, labels, bodies), as
    // write() emits them, OpFunctionEnd left out.
    void forEachInstruction(const std::function<void(Instruction&)>& visit);
    void forEachInstruction(const std::function<void(const Instruction&)>& visit) const;
    // Replaces every use of a key by its value, entry point interfaces, names and decorations included. Values are not
    // looked up again. A name or decoration that the value already has is dropped.
    void replaceUses(const std::unordered_map<uint32_t, uint32_t>& map);

private:
    // Where a definition was when the index was built.
    struct Location {
        enum Kind : uint8_t { InSection, Definition, Parameter, Label, InBody, Trailing } kind;
        uint32_t list;   // section or function
        uint32_t block;  // InBody, Label
        uint32_t index;
    };
    const Instruction* at(const Location& location, Id id, bool& isLabel) const;
    void index(Id id, const Location& location) const;
    void index(const InstructionList& list, Location::Kind kind, uint32_t number, uint32_t block,
               size_t from = 0) const;
    void buildIndex() const;
    // One traversal for both forEachInstruction: M is Module or const Module.
    template <typename M, typename Visit>
    static void traverse(M& module, const Visit& visit);

    mutable IdMap<uint32_t> m_index;  // one more than the index in m_locations; 0 is none
    mutable std::vector<Location> m_locations;
    mutable size_t m_indexedGlobals = 0;
};

// Emits the new body of a block. What the visitor does not keep or emit is gone.
class Emitter {
public:
    Emitter(Module& module, InstructionList& out) : m_module(module), m_out(out) {}
    Module& module() { return m_module; }
    void keep(Instruction i) { m_out.push_back(std::move(i)); }
    Id emit(spv::Op op, Id type, std::initializer_list<Id> operands);  // new result id
    void emitVoid(spv::Op op, std::initializer_list<Id> operands);     // no result
    Id call(Id function, Id resultType, std::initializer_list<Id> arguments);

private:
    Module& m_module;
    InstructionList& m_out;
};

// Rewrites a block: `visit` sees every old instruction in order and says with the emitter what the new list holds.
// Nothing is inserted while iterating, so nothing can be invalidated: until all of the function is rewritten, its old
// instructions stay in place and can be looked up. `visit` may add globals and functions.
void rewriteBlock(Module& module, Block& block, const std::function<void(const Instruction&, Emitter&)>& visit);
void rewriteFunction(Module& module, Function& function,
                     const std::function<void(const Instruction&, Emitter&)>& visit);

// Errors: whatever SPIRV-Tools cannot parse, a bound above kMaxBound, functions and blocks that do not nest.
// Ensures: each id that is used is below the bound and defined once; each block ends with its only terminator; an
// instruction has the operands that the grammar demands, each of the right kind. Nothing else is checked.
inline constexpr uint32_t kMaxBound = 0x400000;  // the limit that the specification asks consumers to support
Result<Module> read(std::span<const uint32_t> words);

// Declarations of functions go first, as the specification demands. write(read(x)) == x for well-formed x.
// Requires: no instruction of more than 65535 words.
std::vector<uint32_t> write(const Module& module);

bool isTerminator(spv::Op op);
bool isExtendedInstruction(spv::Op op);  // OpExtInst and its variant
bool isType(spv::Op op);                 // OpType*, OpTypeForwardPointer excepted
// Declaring one of these twice is an error (specification 2.8), unlike aggregates; pointers may be, but need not.
bool isSharedType(spv::Op op);
std::string opName(spv::Op op);  // "OpIAdd"

}  // namespace millrace::spirv
