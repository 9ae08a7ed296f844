// SPDX-License-Identifier: Apache-2.0
// Makes a spirv::Module in order, with tables of what was made already: the module's own get... functions search lists.
#pragma once

#include <initializer_list>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include <spirv/unified1/GLSL.std.450.h>

#include "spirv/module.h"

namespace millrace::dxil {

using spirv::Id;

// Of SPV_EXT_long_vector, which the headers do not know yet.
inline constexpr spv::Capability kLongVectors = static_cast<spv::Capability>(5425);

class Builder {
public:
    Builder();
    spirv::Module& module() { return m_module; }
    Id newId() { return m_module.newId(); }

    Id voidType() { return global(spirv::instruction(spv::Op::OpTypeVoid)); }
    Id boolType() { return global(spirv::instruction(spv::Op::OpTypeBool)); }
    Id intType(uint32_t bits, bool isSigned = false);  // with the capability that it needs
    Id floatType(uint32_t bits);
    Id uintType() { return intType(32); }
    Id vectorType(Id component, uint32_t count);  // count 1: the component
    Id pointerType(spv::StorageClass storage, Id pointee);
    Id arrayType(Id element, uint32_t count, uint32_t strideBytes = 0);  // count 0: run-time sized
    Id structType(std::span<const Id> members);                          // always new
    // Dimension, depth, arrayed, multisampled, sampled, format.
    Id imageType(Id component, std::initializer_list<uint32_t> literals);
    Id sampledImageType(Id image) { return global(spirv::instruction(spv::Op::OpTypeSampledImage).add(image)); }
    Id samplerType() { return global(spirv::instruction(spv::Op::OpTypeSampler)); }
    Id functionType(Id result, std::span<const Id> parameters);
    // The scalar and the number of components of a scalar or vector type.
    Id componentOf(Id type) const;
    uint32_t countOf(Id type) const;
    uint32_t bitsOf(Id type) const;  // of the scalar; 0: bool
    bool isFloat(Id type) const;

    Id constant(Id scalarOrVectorType, uint64_t bits);  // vectors: the same in all components
    Id uintConstant(uint32_t value) { return constant(uintType(), value); }
    Id boolConstant(bool value);
    Id composite(Id type, std::span<const Id> constants);
    Id null(Id type) { return global(spirv::instruction(spv::Op::OpConstantNull, type)); }
    Id undef(Id type) { return global(spirv::instruction(spv::Op::OpUndef, type)); }
    Id string(std::string_view text);
    // The value of an integer constant made here.
    bool constantValue(Id id, uint64_t& out) const;

    Id variable(spv::StorageClass storage, Id pointee, Id initializer = {});  // global
    void capability(spv::Capability capability);
    void extension(std::string_view name);
    void name(Id id, std::string_view text);
    void decorate(Id id, spv::Decoration decoration, std::initializer_list<uint32_t> literals = {});
    void decorateId(Id id, spv::Decoration decoration, Id operand);
    void decorateMember(Id type, uint32_t member, spv::Decoration decoration,
                        std::initializer_list<uint32_t> literals = {});
    // An integer that whoever shows or fills the structure shall take for a float: it is one in the program.
    void decorateFloat(Id type, uint32_t member);

    // Where instructions go.
    void setBlock(spirv::InstructionList* block) { m_block = block; }
    void append(spirv::Instruction instruction) { m_block->push_back(std::move(instruction)); }
    Id emit(spirv::Instruction instruction);  // gives it a result id
    Id emit(spv::Op op, Id type, std::initializer_list<Id> operands);
    Id emit(spv::Op op, Id type, std::span<const Id> operands);
    void emitVoid(spv::Op op, std::initializer_list<Id> operands);
    Id ext(GLSLstd450 op, Id type, std::initializer_list<Id> operands);

    Id extract(Id type, Id composite, uint32_t index) { return extract(type, composite, {index}); }
    Id extract(Id type, Id composite, std::initializer_list<uint32_t> indices);
    Id construct(Id type, std::span<const Id> parts);
    Id bitcast(Id type, Id value, Id from);  // the value itself if the types are the same
    // Integer arithmetic with folding of constants, for addresses.
    Id add(Id a, Id b);
    Id mul(Id a, uint32_t b);
    Id shiftRight(Id a, uint32_t count);
    Id load(Id type, Id pointer, spv::MemoryAccessMask access = spv::MemoryAccessMask::MaskNone);
    void store(Id pointer, Id value);

private:
    Id global(spirv::Instruction instruction);

    spirv::Module m_module;
    spirv::InstructionList* m_block = nullptr;
    std::map<std::vector<uint32_t>, Id> m_globals;
    std::map<uint32_t, spirv::Instruction> m_definitions;  // of shared types and constants
    Id m_glsl;
};

}  // namespace millrace::dxil
