// SPDX-License-Identifier: Apache-2.0
#include "tools/payload_warnings.h"

#include <map>
#include <set>

#include "nodes/compare_payloads.h"
#include "nodes/reflect_types.h"
#include "spirv/module.h"

namespace millrace::tools {

namespace {

struct Payloads {
    data::DataTypeRef received;
    std::vector<nodes::SentPayload> sent;
};

// Of each entry point once, however many nodes have it. Code that cannot be read has none.
class Reader {
public:
    const Payloads& read(const NodeCode& node)
    {
        const auto [found, isNew] = m_known.try_emplace({node.words, node.entryPoint});
        if (isNew) {
            if (const auto module = spirv::read(*node.words)) {
                found->second = {nodes::reflectPayload(*module, node.entryPoint),
                                 nodes::reflectSentPayloads(*module, node.entryPoint)};
            }
        }
        return found->second;
    }

private:
    std::map<std::pair<const spirv::Words*, std::string>, Payloads> m_known;
};

}  // namespace

std::vector<std::string> payloadWarnings(std::span<const NodeCode> nodes)
{
    Reader reader;
    std::multimap<std::string, data::DataTypeRef> receivers;
    for (const NodeCode& node : nodes)
        if (const data::DataTypeRef& received = reader.read(node).received)
            receivers.emplace(node.name, received);
    std::vector<std::string> out;
    std::set<std::pair<std::string, std::string>> told;
    for (const NodeCode& node : nodes) {
        for (const nodes::SentPayload& sent : reader.read(node).sent) {
            const auto [begin, end] = receivers.equal_range(sent.target);
            for (auto receiver = begin; receiver != end; ++receiver) {
                const std::string difference = nodes::differenceOf(*sent.type, *receiver->second);
                if (!difference.empty() && told.emplace(node.name, sent.target).second) {
                    out.push_back("node '" + node.name + "' sends '" + sent.target +
                                  "' other payloads than that receives: " + difference);
                }
            }
        }
    }
    return out;
}

}  // namespace millrace::tools
