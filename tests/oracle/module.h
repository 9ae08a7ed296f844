// SPDX-License-Identifier: Apache-2.0
// A SPIR-V module as the oracle reads it: types, constants after specialization, decorations, functions.
// Shares nothing with src/: two readers that make the same mistake prove nothing.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#define SPV_ENABLE_UTILITY_CODE
#include <spirv/unified1/spirv.hpp>

namespace millrace::oracle {

// The program breaks a rule of the extension, or of SPIR-V.
struct RuleError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The oracle does not know this instruction.
struct UnsupportedError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Instruction {
    spv::Op op = spv::OpNop;
    uint32_t type = 0;                   // 0 if there is none
    uint32_t result = 0;                 // 0 if there is none
    std::span<const uint32_t> operands;  // behind type and result
};

enum class TypeKind {
    Void,
    Bool,
    Int,
    Float,
    Vector,
    Matrix,
    Array,
    RuntimeArray,
    Struct,
    Pointer,
    Function,
    PayloadArray,
    Opaque
};

struct Type {
    TypeKind kind = TypeKind::Opaque;
    uint32_t id = 0;
    uint32_t width = 0;  // bits of a number
    bool isSigned = false;
    uint32_t element = 0;           // of vectors, matrices (a column), arrays, payload arrays; pointee of pointers
    uint32_t count = 0;             // components, columns, elements
    std::vector<uint32_t> members;  // of structures; parameters of functions
    spv::StorageClass storage = spv::StorageClassMax;
};

struct Decoration {
    spv::Decoration kind;
    std::span<const uint32_t> operands;
};

struct ExecutionMode {
    spv::ExecutionMode mode;
    std::span<const uint32_t> operands;
};

struct EntryPoint {
    spv::ExecutionModel model;
    uint32_t function;
    std::string name;
    std::vector<uint32_t> interface;
};

struct ModuleVariable {
    uint32_t id;
    uint32_t type;  // pointer type
    spv::StorageClass storage;
    uint32_t initializer;  // 0 if there is none
};

struct BasicBlock {
    uint32_t label;
    std::vector<Instruction> instructions;
};

struct Function {
    uint32_t id = 0;
    uint32_t returnType = 0;
    std::vector<Instruction> parameters;
    std::vector<BasicBlock> blocks;
};

// SpecId to the bits of its value.
using Specialization = std::map<uint32_t, uint64_t>;

class Module {
public:
    Module(std::vector<uint32_t> words, const Specialization& specialization);
    Module(const Module&) = delete;

    const Type& type(uint32_t id) const;
    // Slots of a constant, see layout.h; null if the id is no constant.
    const std::vector<uint64_t>* constant(uint32_t id) const;
    uint64_t scalarConstant(uint32_t id) const;
    const std::string& string(uint32_t id) const;
    uint32_t typeOfConstant(uint32_t id) const { return m_constants.at(id).type; }

    const Decoration* decoration(uint32_t id, spv::Decoration kind) const;
    const Decoration* memberDecoration(uint32_t id, uint32_t member, spv::Decoration kind) const;
    // The constant that a decoration names by id.
    std::optional<uint32_t> decorationConstant(uint32_t id, spv::Decoration kind) const;

    const EntryPoint& entryPoint(const std::string& name) const;
    const ExecutionMode* mode(uint32_t function, spv::ExecutionMode mode) const;
    const std::vector<ModuleVariable>& variables() const { return m_variables; }
    const ModuleVariable* variable(uint32_t id) const;
    const Function& function(uint32_t id) const;
    const std::string& importedSet(uint32_t id) const { return m_imports.at(id); }
    bool isType(uint32_t id) const { return m_types.count(id) != 0; }
    bool usesCapability(spv::Capability capability) const;
    // The constant decorated BuiltIn WorkgroupSize, which overrides LocalSize.
    std::optional<std::array<uint32_t, 3>> workgroupSizeConstant() const;

private:
    struct Constant {
        uint32_t type;
        std::vector<uint64_t> slots;
    };

    void readGlobal(const Instruction& instruction);
    bool readType(const Instruction& instruction);
    bool readConstant(const Instruction& instruction);
    bool readAnnotation(const Instruction& instruction);
    void readInFunction(const Instruction& instruction);
    void readSpecConstantOp(const Instruction& instruction);
    std::vector<uint64_t> literal(const Instruction& instruction) const;
    std::optional<uint64_t> specialized(uint32_t id) const;

    std::vector<uint32_t> m_words;
    Specialization m_specialization;
    std::map<uint32_t, Type> m_types;
    std::map<uint32_t, Constant> m_constants;
    std::map<uint32_t, std::string> m_strings;
    std::map<uint32_t, std::string> m_imports;
    std::map<uint32_t, std::vector<Decoration>> m_decorations;
    std::map<std::pair<uint32_t, uint32_t>, std::vector<Decoration>> m_memberDecorations;
    std::map<std::string, EntryPoint> m_entryPoints;
    std::map<uint32_t, std::vector<ExecutionMode>> m_modes;
    std::vector<ModuleVariable> m_variables;
    std::map<uint32_t, Function> m_functions;
    std::vector<spv::Capability> m_capabilities;
    Function* m_current = nullptr;
};

}  // namespace millrace::oracle
