// SPDX-License-Identifier: Apache-2.0
// Tests of nodes::fuse(): a producer, and what receives its payloads.
#pragma once

#include <gtest/gtest.h>

#include "nodes/fuse.h"
#include "nodes/fuse_nodes.h"
#include "spirv/tools.h"

namespace millrace::nodes {

struct Receiver {
    NodeSource source;
    std::vector<uint32_t> indices = {0};
    bool isNextLevel = false;
};

class Fuse : public testing::Test {
protected:
    Result<spirv::Words> tryFuse(const NodeSource& from, const std::vector<Receiver>& to)
    {
        std::vector<spirv::Words> words;
        for (const Receiver& receiver : to)
            words.push_back(assembledConsumer(receiver.source));
        FusedOutput output;
        output.byWorkgroup = byWorkgroup;
        for (size_t r = 0; r < to.size(); ++r)
            output.consumers.push_back({words[r], options, to[r].indices, to[r].isNextLevel});
        return fuse(assembledProducer(from), options, {{output}});
    }

    // The fused module, which must be good for all that is done to nodes.
    std::string fused(const NodeSource& from, const std::vector<Receiver>& to)
    {
        const auto words = tryFuse(from, to);
        EXPECT_TRUE(words) << words.error().text();
        if (!words)
            return {};
        const auto text = spirv::disassemble(*words);
        EXPECT_TRUE(text);
        Options checked = options;
        checked.checks.validate = true;
        const auto compiled = compile(*words, checked);
        EXPECT_TRUE(compiled) << compiled.error().text() << "\n" << *text;
        if (compiled)
            node = compiled->node;
        return *text;
    }

    std::string refused(const NodeSource& from, const std::vector<Receiver>& to)
    {
        const auto words = tryFuse(from, to);
        EXPECT_FALSE(words);
        return words ? "" : words.error().text();
    }

    static size_t count(const std::string& text, std::string_view what)
    {
        size_t found = 0;
        for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
            ++found;
        return found;
    }

    static bool contains(const std::string& text, std::string_view what) { return count(text, what) > 0; }

    Options options{.request = {.argumentsOffsetBytes = 64}};
    bool byWorkgroup = false;
    graph::Node node;
};

}  // namespace millrace::nodes
