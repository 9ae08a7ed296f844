// SPDX-License-Identifier: Apache-2.0
// What SPIRV-Tools says while it works, as one Diagnostic.
#pragma once

#include <string>

#include <spirv-tools/libspirv.hpp>

#include "base/result.h"

namespace millrace::spirv {

class Messages {
public:
    // Valid as long as this object.
    spvtools::MessageConsumer consumer();

    // `what` failed; the messages say why.
    Diagnostic failure(std::string what) const;

private:
    std::string m_text;
    std::string m_where;
};

}  // namespace millrace::spirv
