// SPDX-License-Identifier: Apache-2.0
// A shader on its way to a variant: what the steps share, and loads by address.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <spirv/unified1/spirv.hpp11>

#include "base/result.h"
#include "commands/layout.h"
#include "shader/diagnose.h"
#include "spirv/long_arithmetic.h"
#include "spirv/module.h"
#include "spirv/tools.h"

namespace millrace::commands {

struct Variant {
    spirv::Module module;
    spv::ExecutionModel model = spv::ExecutionModel::GLCompute;
    spirv::Id entry;      // the entry point's OpFunction
    spirv::Id arguments;  // PushConstant variable, abi::SequenceArguments; none before declareArguments()
    spirv::Id sequence;  // Private variable: the number of the sequence, from the start of the entry point on; likewise
    spirv::Id group;  // Private variable: the number of the workgroup among those of all sequences; none: nobody asks
    // Where the address of the records is, in bytes from that of the table; 0: SequenceArguments::stream is it.
    int32_t recordsOffset = 0;
    // SequenceArguments::stream is 0, or how far the push constants and the MeshWork of one sequence are from those of
    // the next (abi/mesh.h).
    bool mayBeSeries = false;
    // Private variable, a pair of words: where what the application pushed is. None: SequenceArguments say so.
    spirv::Id pushed{};
};

// Reads the module and leaves the entry point alone. Errors: no such entry point.
Result<Variant> readStage(std::span<const uint32_t> words, std::string_view entryPoint, spv::ExecutionModel model);

// Of VkShaderStageFlagBits; 0 for models that are no stage of a draw or dispatch.
uint32_t stageBit(spv::ExecutionModel model);

// The place of a stage in a draw. Stages of which a draw has one or the other have the same.
uint32_t rankOf(spv::ExecutionModel model);

// Entry point and execution modes name the new function from now on.
void replaceEntry(Variant& variant, spirv::Id created);

// The push constant block that the code uses; none if none. Errors: several.
Result<spirv::Id> findPushConstants(const spirv::Module& module);

// The Input variables with a built-in.
std::vector<spirv::Id> findInputs(const spirv::Module& module, spv::BuiltIn builtIn);

// Makes an Input variable a Private one, for a value of ours. Of its decorations RelaxedPrecision stays. Fails where
// its pointer is passed on.
bool makePrivate(spirv::Module& module, spirv::Id variable, shader::Failure& failure);

// The value of a built-in of 32-bit integers as unsigned ones. There must be one variable of each built-in, so the
// application's own is taken, whatever its signedness. `type`: unsigned integer or a vector of such.
spirv::Id loadBuiltIn(spirv::Emitter& out, spv::BuiltIn builtIn, spirv::Id type);

// Raises the module to a version that takes addresses as two words.
Status useAddresses(spirv::Module& module);

// The same, and declares what variants load from. The application's push constants stay for now: the module is invalid
// until they are gone.
Status declareArguments(Variant& variant);

// Brings definitions and interface in order and gives the finished words.
spirv::Words finishVariant(Variant& variant);

// Writes loads of abi::SequenceArguments and of what they lead to. Addresses are two words: no 64-bit integers.
class ArgumentLoads {
public:
    explicit ArgumentLoads(Variant& variant)
        : m_variant(variant), m_module(variant.module), m_math(variant.module), m_word(m_math.wordType())
    {
    }

    spirv::LongArithmetic& math() { return m_math; }
    spirv::Id wordType() const { return m_word; }

    // A member of abi::SequenceArguments by its offset.
    spirv::Id word(spirv::Emitter& out, size_t offsetBytes);
    spirv::LongWords address(spirv::Emitter& out, size_t offsetBytes);
    // Of the sequence's record, with a constant added.
    spirv::LongWords record(spirv::Emitter& out, spirv::Id sequence);
    // Where what the application pushed for the sequence is.
    spirv::LongWords pushed(spirv::Emitter& out, spirv::Id sequence);
    // Where Variant::mayBeSeries: SequenceArguments::stream, and whether it is a series.
    spirv::Id seriesStride(spirv::Emitter& out);
    spirv::Id isSeries(spirv::Emitter& out);
    // What number the vertex stage's draw has, from SequenceArguments::firstSequence on. Requires: no variable of the
    // application has the built-in DrawIndex.
    spirv::Id drawNumber(spirv::Emitter& out, const Layout& layout);
    // Of the abi::DrawEntry of that draw. Requires: hasDrawTable().
    spirv::LongWords drawEntry(spirv::Emitter& out, const Layout& layout);
    spirv::LongWords add(spirv::Emitter& out, spirv::LongWords address, int64_t bytes);

    spirv::Id pair(spirv::Emitter& out, spirv::LongWords address);
    spirv::LongWords split(spirv::Emitter& out, spirv::Id pair);
    // A PhysicalStorageBuffer pointer to a value of `type`.
    spirv::Id pointer(spirv::Emitter& out, spirv::LongWords address, spirv::Id type);
    spirv::Id load(spirv::Emitter& out, spirv::LongWords address, spirv::Id type, uint32_t alignment);
    // Memory that nobody writes meanwhile, as words: loads at constant offsets from one address leave the addition to
    // the device's instruction, and drivers know that nothing forces them to load again. Requires: a multiple of 4.
    spirv::Id readOnlyWords(spirv::Emitter& out, spirv::LongWords address);
    spirv::Id wordAt(spirv::Emitter& out, spirv::Id readOnlyWords, uint32_t number);
    // How much may be read of a buffer that a command describes so: without an address nothing, whatever size it says
    // (feature nullDescriptor).
    spirv::Id readableBytes(spirv::Emitter& out, spirv::LongWords address, spirv::Id sizeBytes);

    // The instruction set GLSL.std.450, imported if it is not yet.
    spirv::Id glslFunctions();

private:
    spirv::Id member(spirv::Emitter& out, size_t offsetBytes, spirv::Id type);
    spirv::Id readOnlyType();

    Variant& m_variant;
    spirv::Module& m_module;
    spirv::LongArithmetic m_math;
    spirv::Id m_word;
    spirv::Id m_readOnlyType;  // none before it is asked for
};

// OpLoad of PhysicalStorageBuffer memory. `result`: none makes a new id.
spirv::Id loadAligned(spirv::Emitter& out, spirv::Id pointer, spirv::Id type, uint32_t alignment,
                      spirv::Id result = {});

}  // namespace millrace::commands
