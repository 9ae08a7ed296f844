// SPDX-License-Identifier: Apache-2.0
#include "dxil/bindings.h"

namespace millrace::dxil {

Place Bindings::place(const Resource& resource) const
{
    for (const BindingOverride& o : overrides) {
        if (o.resourceClass == resource.resourceClass && o.space == resource.space &&
            resource.lowerBound >= o.firstRegister && resource.lowerBound - o.firstRegister < o.count) {
            Place out = o.place;
            if (out.kind == Place::Kind::Descriptor) {
                out.binding += resource.lowerBound - o.firstRegister;
            }
            return out;
        }
    }
    Place out;
    out.set = resource.space;
    out.binding = resource.lowerBound + shifts[static_cast<size_t>(resource.resourceClass)];
    out.counterBinding = resource.lowerBound + counterShift;
    return out;
}

}  // namespace millrace::dxil
