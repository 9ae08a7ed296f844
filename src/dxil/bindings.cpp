// SPDX-License-Identifier: Apache-2.0
#include "dxil/bindings.h"

namespace millrace::dxil {

Place Bindings::place(const Resource& resource) const
{
    for (const BindingOverride& o : overrides) {
        const bool isInside = resource.lowerBound >= o.firstRegister &&
                              (o.count == kUnbounded || resource.lowerBound - o.firstRegister < o.count);
        if (o.resourceClass != resource.resourceClass || o.space != resource.space || !isInside)
            continue;
        Place out = o.place;
        out.firstRegister = o.isArray ? o.firstRegister : resource.lowerBound;
        out.count = o.isArray ? o.count : resource.count;
        if (out.kind == Place::Kind::Descriptor && !o.isArray)
            out.binding += resource.lowerBound - o.firstRegister;
        return out;
    }
    Place out;
    out.set = resource.space;
    out.binding = resource.lowerBound + shifts[static_cast<size_t>(resource.resourceClass)];
    out.counterBinding = resource.lowerBound + counterShift;
    out.firstRegister = resource.lowerBound;
    out.count = resource.count;
    return out;
}

}  // namespace millrace::dxil
