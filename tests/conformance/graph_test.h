// SPDX-License-Identifier: Apache-2.0
// Fixture of the conformance tests: a graph runs on the oracle and on the device, with every path, scratch size and
// form of dispatch; all results must be equal.
#pragma once

#include "conformance/node_writer.h"
#include "harness/vulkan_test.h"
#include "oracle/graph.h"

namespace millrace::conformance {

using harness::Device;
using harness::DeviceOptions;
using harness::Form;
using harness::GraphOptions;
using harness::Launch;
using harness::launchWords;
using harness::Runner;
using harness::RunnerOptions;
using harness::RunOptions;
using harness::Scratch;
using harness::Stage;

inline std::vector<uint32_t> first(const std::vector<uint32_t>& words, size_t count)
{
    return {words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count)};
}

class GraphTest : public harness::VulkanTest {
protected:
    struct Options {
        uint32_t words = 64;
        // Words that may differ from run to run; they are set to 0 before results are compared.
        std::vector<uint32_t> unspecified;
        std::vector<uint8_t> pushConstants;
        bool onOracle = true;
        const char* fusion = "on";  // the setting
    };

    // The result, for expectations of the test itself.
    std::vector<uint32_t> run(const std::vector<Stage>& stages, const std::vector<Launch>& launches,
                              const Options& options);
    std::vector<uint32_t> run(const std::vector<Stage>& stages, const std::vector<Launch>& launches)
    {
        return run(stages, launches, Options{});
    }

    // Fails unless no graph can be made of the stages, for a reason that contains `part`.
    static void expectRefused(const std::vector<Stage>& stages, const std::string& part);

    // Fails unless the oracle finds a rule broken, so that a test of misuse is one.
    static void expectRuleBroken(const std::vector<Stage>& stages, const std::vector<Launch>& launches,
                                 uint32_t words = 64);

    // True if the device lets nodes have integers of each of these widths, and payloads of such members: 8, 16 or 64
    // bits. What tests them skips itself elsewhere.
    static bool hasIntegers(std::initializer_list<uint32_t> widths);

    static std::vector<uint32_t> runOnOracle(const std::vector<Stage>& stages, const std::vector<Launch>& launches,
                                             const Options& options);
};

}  // namespace millrace::conformance
