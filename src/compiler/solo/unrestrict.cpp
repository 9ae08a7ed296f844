// SPDX-License-Identifier: Apache-2.0
#include "compiler/solo/unrestrict.h"

#include <unordered_set>

#include "compiler/fusion/settle.h"

namespace millrace::compiler {

using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

// Images keep NonWritable: without it some would have to be of a format that can be written.
std::unordered_set<uint32_t> imagesOf(const Module& module)
{
    std::unordered_set<uint32_t> images;
    for (const Instruction& i : module.section(Section::Globals)) {
        if (i.op == spv::Op::OpVariable && i.literal(0) == static_cast<uint32_t>(spv::StorageClass::UniformConstant)) {
            images.insert(i.result.value);
        }
    }
    return images;
}

bool isSampling(spv::Op op)
{
    switch (op) {
        case spv::Op::OpImageFetch:
        case spv::Op::OpImageGather:
        case spv::Op::OpImageDrefGather:
        case spv::Op::OpImageSparseFetch:
        case spv::Op::OpImageSparseGather:
        case spv::Op::OpImageSparseDrefGather:
            return true;
        default:
            break;
    }
    const auto number = static_cast<uint32_t>(op);
    const auto isBetween = [number](spv::Op first, spv::Op last) {
        return number >= static_cast<uint32_t>(first) && number <= static_cast<uint32_t>(last);
    };
    return isBetween(spv::Op::OpImageSampleImplicitLod, spv::Op::OpImageSampleProjDrefExplicitLod) ||
           isBetween(spv::Op::OpImageSparseSampleImplicitLod, spv::Op::OpImageSparseSampleProjDrefExplicitLod);
}

}  // namespace

void unrestrict(Module& module)
{
    const std::unordered_set<uint32_t> images = imagesOf(module);
    for (Instruction& i : module.section(Section::Annotations)) {
        if (i.op == spv::Op::OpDecorate && i.literal(1) == static_cast<uint32_t>(spv::Decoration::RestrictPointer)) {
            i.setLiteral(1, static_cast<uint32_t>(spv::Decoration::AliasedPointer));
        }
    }
    module.removeDecorations([&](const Instruction& i) {
        const bool isMember = i.op == spv::Op::OpMemberDecorate;
        if ((i.op != spv::Op::OpDecorate && !isMember) || !i.isId(0) || images.contains(i.id(0).value)) {
            return false;
        }
        const uint32_t decoration = i.literal(isMember ? 2 : 1);
        return decoration == static_cast<uint32_t>(spv::Decoration::NonWritable) ||
               decoration == static_cast<uint32_t>(spv::Decoration::Restrict);
    });
    markAliases(module);
}

bool samplesAndWritesImages(const Module& module)
{
    bool samples = false, writes = false;
    module.forEachInstruction([&](const Instruction& i) {
        samples |= isSampling(i.op);
        writes |= i.op == spv::Op::OpImageWrite || i.op == spv::Op::OpImageTexelPointer;
    });
    return samples && writes;
}

}  // namespace millrace::compiler
