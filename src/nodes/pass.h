// SPDX-License-Identifier: Apache-2.0
// A pass takes the part of the options that it looks at, and no more. In a list all are of one type.
#pragma once

#include <type_traits>
#include <variant>

#include "nodes/compile.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Of prepare() and lower(). These know nothing of what the code is for, so their work is done once for all of it.
using PassFunction = std::variant<Status (*)(NodeShader&), Status (*)(NodeShader&, const Request&),
                                  Status (*)(NodeShader&, const Target&), Status (*)(NodeShader&, const Variant&),
                                  Status (*)(NodeShader&, const Checks&), Status (*)(NodeShader&, const Options&)>;

// Of finish().
using FinishingFunction =
    std::variant<Status (*)(NodeShader&), Status (*)(NodeShader&, const Code&), Status (*)(NodeShader&, const Target&),
                 Status (*)(NodeShader&, const Code&, const Options&)>;

// The part of the options that a pass takes.
template <typename Part>
const Part& partOf(const Options& options)
{
    if constexpr (std::is_same_v<Part, Request>)
        return options.request;
    else if constexpr (std::is_same_v<Part, Target>)
        return options.target;
    else if constexpr (std::is_same_v<Part, Variant>)
        return options.variant;
    else if constexpr (std::is_same_v<Part, Checks>)
        return options.checks;
    else
        return options;
}

struct PassCall {
    NodeShader& shader;
    const Options& options;

    Status operator()(Status (*pass)(NodeShader&)) const { return pass(shader); }
    template <typename Part>
    Status operator()(Status (*pass)(NodeShader&, const Part&)) const
    {
        return pass(shader, partOf<Part>(options));
    }
};

inline Status callPass(const PassFunction& pass, NodeShader& shader, const Options& options)
{
    return std::visit(PassCall{shader, options}, pass);
}

struct FinishingCall : PassCall {
    const Code& code;

    using PassCall::operator();
    Status operator()(Status (*pass)(NodeShader&, const Code&)) const { return pass(shader, code); }
    Status operator()(Status (*pass)(NodeShader&, const Code&, const Options&)) const
    {
        return pass(shader, code, options);
    }
};

inline Status callPass(const FinishingFunction& pass, NodeShader& shader, const Code& code, const Options& options)
{
    return std::visit(FinishingCall{{shader, options}, code}, pass);
}

}  // namespace millrace::nodes
