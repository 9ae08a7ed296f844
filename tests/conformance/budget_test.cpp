// SPDX-License-Identifier: Apache-2.0
// With the setting "validate", workgroups that allocate more payloads than NodeMaxPayloadsAMDX declares are told with
// their numbers, whether there is room for the payloads or not, and whether the nodes could be fused or not.
#include "conformance/graph_test.h"

namespace millrace::conformance {

namespace {

struct Case {
    const char* name;
    Stage from;
    std::string counted;  // in the message; none: the budget is kept
};

using Body = std::function<void(NodeWriter&, const PayloadArrayType&)>;

Stage sender(uint32_t budget, uint32_t invocations, const Body& body)
{
    return writeNode("from",
                     [&](NodeWriter& node) {
                         node.staticGrid(1);
                         OutputOptions options;
                         options.budget = budget;
                         body(node, node.output("to", {node.word()}, options));
                     },
                     {invocations, 1, 1});
}

// A number that the compiler does not know.
Id unknown(NodeWriter& node, uint32_t number)
{
    return node.plus(node.builtIn("ShaderIndexAMDX"), node.c(number));
}

Stage limitOfTwoOutputs()
{
    return writeNode("from", [](NodeWriter& node) {
        node.staticGrid(1);
        OutputOptions options;
        options.budget = 3;
        const PayloadArrayType first = node.output("to", {node.word()}, options);
        options.sharesWith = first.array;
        const PayloadArrayType second = node.output("other", {node.word()}, options);
        for (const PayloadArrayType& type : {first, second}) {
            const Id sent = node.allocate(type, node.c(2), node.c(0));
            node.writePayload(sent, node.c(0), 0, node.c(1));
            node.writePayload(sent, node.c(1), 0, node.c(1));
            node.enqueue(sent);
        }
    });
}

std::vector<Case> cases()
{
    const Body one = [](NodeWriter& node, const PayloadArrayType& type) {
        node.send(type, node.c(1), node.c(0), false);
    };
    const Body together = [](NodeWriter& node, const PayloadArrayType& type) {
        node.send(type, node.c(1), node.c(0));
        node.send(type, node.c(1), node.c(0));
    };
    const auto times = [](uint32_t count) {
        return [count](NodeWriter& node, const PayloadArrayType& type) {
            node.body().loop(node.c(0), unknown(node, count), node.c(1),
                             [&](const Id&) { node.send(type, node.c(1), node.c(0), false); });
        };
    };
    return {
        {"each invocation one", sender(1, 32, one), "allocated 32 payloads, and NodeMaxPayloadsAMDX declares 1;"},
        {"each invocation one, as declared", sender(32, 32, one), ""},
        {"a workgroup two", sender(1, 32, together), "allocated 2 payloads, and NodeMaxPayloadsAMDX declares 1;"},
        {"a workgroup two, as declared", sender(2, 32, together), ""},
        {"in a loop", sender(4, 1, times(7)), "allocated 7 payloads, and NodeMaxPayloadsAMDX declares 4;"},
        {"in a loop, as declared", sender(7, 1, times(7)), ""},
        {"in a loop of several", sender(20, 3, times(7)),
         "allocated 21 payloads, and NodeMaxPayloadsAMDX declares 20;"},
        {"two outputs", limitOfTwoOutputs(), "allocated 4 payloads, and NodeMaxPayloadsAMDX declares 3;"},
    };
}

// Adds to out[word]; may run inside who sends to it.
Stage receiver(const std::string& name, uint32_t word)
{
    return writeNode(name, [&](NodeWriter& node) {
        node.coalescing();
        node.add(word, node.readPayload(node.input(), node.c(0), 0));
    });
}

class Budgets : public GraphTest {};

TEST_F(Budgets, MoreThanDeclared_CountedUnderValidate)
{
    for (const char* fusion : {"on", "off"}) {
        DeviceOptions options;
        options.switches["validate"] = true;
        options.words["fusion"] = fusion;
        Device& used = device(options);
        for (const Case& tried : cases()) {
            Runner runner(used, {});
            const VkPipeline graph = runner.createGraph({tried.from, receiver("to", 0), receiver("other", 1)});
            for (const Scratch scratch : {Scratch::Minimum, Scratch::Maximum}) {
                SCOPED_TRACE(std::string(tried.name) + ", fusion " + fusion + ", " + nameOf(scratch));
                RunOptions run;
                run.scratch = scratch;
                runner.clearOutput();
                runner.run(graph, {launchWords("from", 0, 1, {})}, run);
                if (!tried.counted.empty())
                    expectMessage(used, tried.counted);
            }
        }
    }
}

// Thousands of workgroups that all are at their limit: each starts anew.
TEST_F(Budgets, ManyWorkgroupsAsDeclared_NothingTold)
{
    DeviceOptions options;
    options.switches["validate"] = true;
    Runner runner(device(options), {});
    const Stage from = writeNode("from",
                                 [](NodeWriter& node) {
                                     node.staticGrid(50, 20);
                                     OutputOptions output;
                                     output.budget = 12;
                                     const auto type = node.output("to", {node.word()}, output);
                                     node.body().loop(node.c(0), unknown(node, 3), node.c(1),
                                                      [&](const Id&) { node.send(type, node.c(1), node.c(0), false); });
                                 },
                                 {4, 1, 1});
    const VkPipeline graph = runner.createGraph({from, receiver("to", 0)});
    runner.run(graph, {launchWords("from", 0, 3, {})}, {});
    EXPECT_EQ(first(runner.outputWords(), 1), (std::vector<uint32_t>{3 * 1000 * 12}));
}

}  // namespace

}  // namespace millrace::conformance
