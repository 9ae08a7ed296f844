// SPDX-License-Identifier: Apache-2.0
// The C functions of include/millrace/millrace.h that lower nodes.
#include "millrace/millrace.h"

#include <algorithm>
#include <optional>
#include <string>

#include "abi/dispatch.h"
#include "api/guarded.h"
#include "api/reflection.h"
#include "nodes/compile.h"

struct MillraceOptions {
    millrace::nodes::Options options;
    millrace::graph::MemoryUse memory = millrace::graph::MemoryUse::Reserves;
};

struct MillraceNode {
    millrace::spirv::Words words;
    std::string reflection;
};

namespace {

using millrace::api::fail;
using millrace::api::guarded;
using millrace::api::invalid;

static_assert(MILLRACE_ARGUMENTS_BYTES == sizeof(millrace::abi::NodeArguments));

// Runs `set` on the options unless they are null.
template <typename Function>
MillraceResult change(MillraceOptions* options, const Function& set)
{
    if (!options)
        return invalid("options is null");
    return guarded([&] { return set(*options); });
}

}  // namespace

const char* millraceGetVersion(void)
{
    return MILLRACE_VERSION;
}

MillraceResult millraceOptionsCreate(MillraceOptions** options)
{
    if (!options)
        return invalid("options is null");
    *options = nullptr;
    return guarded([&] {
        *options = new MillraceOptions;
        return MILLRACE_SUCCESS;
    });
}

void millraceOptionsDestroy(MillraceOptions* options)
{
    delete options;
}

MillraceResult millraceOptionsSetEntryPoint(MillraceOptions* options, const char* name)
{
    return change(options, [&](MillraceOptions& o) {
        if (!name)
            return invalid("name is null");
        o.options.request.entryPoint = name;
        return MILLRACE_SUCCESS;
    });
}

MillraceResult millraceOptionsSetNode(MillraceOptions* options, const char* name, uint32_t index)
{
    return change(options, [&](MillraceOptions& o) {
        o.options.request.nodeName = name ? std::optional<std::string>(name) : std::nullopt;
        o.options.request.shaderIndex = index == MILLRACE_SHADER_INDEX_UNUSED ? std::nullopt : std::optional(index);
        return MILLRACE_SUCCESS;
    });
}

MillraceResult millraceOptionsSetSpecialization(MillraceOptions* options, uint32_t constantId, const void* data,
                                                size_t bytes)
{
    return change(options, [&](MillraceOptions& o) {
        if (!data || (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8))
            return invalid("a specialization constant has 1, 2, 4 or 8 bytes");
        const uint8_t* begin = static_cast<const uint8_t*>(data);
        std::erase_if(o.options.request.specialization, [&](const auto& each) { return each.specId == constantId; });
        o.options.request.specialization.push_back({constantId, {begin, begin + bytes}});
        return MILLRACE_SUCCESS;
    });
}

MillraceResult millraceOptionsSetArgumentsOffset(MillraceOptions* options, uint32_t bytes)
{
    return change(options, [&](MillraceOptions& o) {
        if (bytes % 8 != 0)
            return invalid("the offset of the arguments must be a multiple of 8");
        o.options.request.argumentsOffsetBytes = bytes;
        return MILLRACE_SUCCESS;
    });
}

MillraceResult millraceOptionsSetPushConstantsInMemory(MillraceOptions* options, int enabled)
{
    return change(options, [&](MillraceOptions& o) {
        o.options.request.pushConstantsInMemory = enabled != 0;
        return MILLRACE_SUCCESS;
    });
}

MillraceResult millraceOptionsSetMinSubgroupSize(MillraceOptions* options, uint32_t invocations)
{
    return change(options, [&](MillraceOptions& o) {
        if (invocations == 0)
            return invalid("a subgroup has at least one invocation");
        o.options.target.minSubgroupSize = invocations;
        return MILLRACE_SUCCESS;
    });
}

MillraceResult millraceOptionsSetPackWidth(MillraceOptions* options, uint32_t invocations)
{
    return change(options, [&](MillraceOptions& o) {
        o.options.target.packWidth = invocations;
        return MILLRACE_SUCCESS;
    });
}

MillraceResult millraceOptionsSetIndirect(MillraceOptions* options, int enabled)
{
    return change(options, [&](MillraceOptions& o) {
        o.options.variant.indirect = enabled != 0;
        return MILLRACE_SUCCESS;
    });
}

MillraceResult millraceOptionsSetFits(MillraceOptions* options, int enabled)
{
    return change(options, [&](MillraceOptions& o) {
        o.memory = enabled != 0 ? millrace::graph::MemoryUse::Fits : millrace::graph::MemoryUse::Reserves;
        return MILLRACE_SUCCESS;
    });
}

MillraceResult millraceOptionsSetValidation(MillraceOptions* options, int enabled)
{
    return change(options, [&](MillraceOptions& o) {
        o.options.checks.validate = enabled != 0;
        return MILLRACE_SUCCESS;
    });
}

int millraceUsesShaderEnqueue(const uint32_t* words, size_t wordCount)
{
    return words && millrace::nodes::usesShaderEnqueue({words, wordCount}) ? 1 : 0;
}

MillraceResult millraceLower(const uint32_t* words, size_t wordCount, const MillraceOptions* options,
                             MillraceNode** node)
{
    if (!node)
        return invalid("node is null");
    *node = nullptr;
    if (!words)
        return invalid("words is null");
    return guarded([&] {
        const MillraceOptions given = options ? *options : MillraceOptions();
        auto compiled = millrace::nodes::compile({words, wordCount}, given.options, given.memory);
        if (!compiled)
            return fail(MILLRACE_ERROR_INVALID_SHADER, compiled.error().text().c_str());
        std::string reflection = millrace::api::describe(compiled->node);
        *node = new MillraceNode{std::move(compiled->words), std::move(reflection)};
        return MILLRACE_SUCCESS;
    });
}

void millraceNodeDestroy(MillraceNode* node)
{
    delete node;
}

const uint32_t* millraceNodeGetWords(const MillraceNode* node, size_t* wordCount)
{
    if (wordCount)
        *wordCount = node ? node->words.size() : 0;
    return node ? node->words.data() : nullptr;
}

const char* millraceNodeGetReflection(const MillraceNode* node)
{
    return node ? node->reflection.c_str() : "";
}
