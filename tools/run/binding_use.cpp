// SPDX-License-Identifier: Apache-2.0
#include "tools/run/binding_use.h"

#include "tools/run/image_format.h"

namespace millrace::tools::run {

namespace {

std::string numbersOf(const BindingUse& use)
{
    const auto kind = static_cast<DataType::Kind>(use.scalarKind);
    return kind == DataType::Kind::Float    ? " of floats"
           : kind == DataType::Kind::Signed ? " of signed integers"
                                            : " of unsigned integers";
}

std::string formatOf(const BindingUse& use)
{
    const ImageFormat* format = findFormat(use.format);
    return format != nullptr ? " of format " + std::string(format->name) : " of another format";
}

}  // namespace

const char* nameOf(DescriptorKind kind)
{
    constexpr const char* kNames[] = {"a storage buffer", "a uniform buffer", "a storage image",
                                      "a uniform texel buffer", "a storage texel buffer"};
    return kNames[static_cast<size_t>(kind)];
}

bool isTexelBuffer(DescriptorKind kind)
{
    return kind == DescriptorKind::UniformTexelBuffer || kind == DescriptorKind::StorageTexelBuffer;
}

std::optional<BindingConflict> joinUses(BindingUse& known, const BindingUse& use)
{
    if (known.kind != use.kind)
        return BindingConflict{nameOf(known.kind), nameOf(use.kind)};
    if (known.scalarKind != use.scalarKind)
        return BindingConflict{nameOf(known.kind) + numbersOf(known), nameOf(use.kind) + numbersOf(use)};
    if (known.format != 0 && use.format != 0 && known.format != use.format)
        return BindingConflict{nameOf(known.kind) + formatOf(known), nameOf(use.kind) + formatOf(use)};
    known.format = use.format != 0 ? use.format : known.format;
    known.access |= use.access;
    return std::nullopt;
}

}  // namespace millrace::tools::run
