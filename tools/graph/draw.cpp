// SPDX-License-Identifier: Apache-2.0
#include "tools/graph/draw.h"

#include <graphviz/gvc.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "tools/console.h"
#include "tools/graph/node_text.h"

namespace millrace::tools {

namespace {

// Above this, curves and many rounds of improving the layout take minutes.
constexpr size_t kLargeGraph = 300;

// Graphviz takes XML entities in names and labels for what they stand for.
std::string entityText(std::string_view text)
{
    std::string out;
    for (char c : text)
        out += c == '&' ? "&amp;" : std::string(1, c);
    return out;
}

// In labels there are escape sequences as well.
std::string labelText(std::string_view text)
{
    std::string out;
    for (char c : entityText(text))
        out += c == '\\' ? "\\\\" : c == '\n' ? "\\n" : std::string(1, c);
    return out;
}

// For pages that are dark: the same shapes, in colours for light text.
constexpr std::string_view kDarkStyle = R"(
<style>
@media (prefers-color-scheme: dark) {
  polygon[fill="white"] { fill: #14171b; }
  text { fill: #e6e9ed; }
  text[fill="#666666"] { fill: #9aa4b0; }
  [stroke="black"] { stroke: #9aa4b0; }
  [fill="black"] { fill: #9aa4b0; }
  [fill="#d6e6f7"] { fill: #1f3d5c; }
  [fill="#fbe3c8"] { fill: #5a3c1b; }
  [fill="#d9f0d8"] { fill: #22492b; }
}
</style>)";

std::string withDarkStyle(std::string svg)
{
    const size_t root = svg.find("<svg");
    const size_t end = root == std::string::npos ? root : svg.find('>', root);
    return end == std::string::npos ? svg : svg.insert(end + 1, kDarkStyle);
}

// The C interface takes pointers to what it does not change.
char* mutableText(const char* text)
{
    return const_cast<char*>(text);
}

void set(void* object, const char* name, const std::string& value)
{
    agsafeset(object, mutableText(name), mutableText(value.c_str()), mutableText(""));
}

class Drawing {
public:
    explicit Drawing(const GraphReport& report)
        : m_report(report), m_graph(agopen(mutableText("millrace"), Agdirected, nullptr), agclose)
    {
        set(m_graph.get(), "rankdir", "TB");
        set(m_graph.get(), "bgcolor", "white");
        set(m_graph.get(), "fontname", "Helvetica");
        set(m_graph.get(), "labelloc", "b");
        set(m_graph.get(), "label", labelText(caption()));
        if (report.groups.groups.size() + report.groups.payloads.size() > kLargeGraph) {
            set(m_graph.get(), "splines", "line");
            set(m_graph.get(), "nslimit", "1");
            set(m_graph.get(), "nslimit1", "1");
            set(m_graph.get(), "mclimit", "0.1");
        }
        addLevels();
        addNodes();
        addEdges();
    }

    Result<std::string> render()
    {
        const std::unique_ptr<GVC_t, decltype(&gvFreeContext)> context(gvContext(), gvFreeContext);
        if (!context || gvLayout(context.get(), m_graph.get(), "dot") != 0)
            return Diagnostic{"", "", "Graphviz cannot lay out the graph"};
        char* data = nullptr;
        unsigned size = 0;
        const bool rendered = gvRenderData(context.get(), m_graph.get(), "svg", &data, &size) == 0;
        std::string svg(rendered ? data : "", rendered ? size : 0);
        if (rendered)
            gvFreeRenderData(data);
        gvFreeLayout(context.get(), m_graph.get());
        if (svg.empty())
            return Diagnostic{"", "", "Graphviz cannot write SVG; is its core plugin installed?"};
        return withDarkStyle(std::move(svg));
    }

private:
    std::string caption() const
    {
        return "scratch memory " + bytesText(m_report.scratch.minBytes) + " to " + bytesText(m_report.scratch.maxBytes);
    }

    Agnode_t* addNode(const std::string& name, const std::string& label, const std::string& shape)
    {
        Agnode_t* node = agnode(m_graph.get(), mutableText(entityText(name).c_str()), 1);
        set(node, "label", labelText(label));
        set(node, "shape", shape);
        set(node, "fontname", "Helvetica");
        set(node, "fontsize", "11");
        return node;
    }

    Agedge_t* addEdge(Agnode_t* from, Agnode_t* to, const std::string& key)
    {
        Agedge_t* edge = agedge(m_graph.get(), from, to, mutableText(key.c_str()), 1);
        set(edge, "fontname", "Helvetica");
        set(edge, "fontsize", "10");
        return edge;
    }

    // A column of names at the side, each in a subgraph that puts nodes on its rank. A deep recursion begins on one
    // level, so the others have no row.
    void addLevels()
    {
        std::set<uint32_t> levels;
        for (const NodeGroup& group : m_report.groups.groups)
            if (!group.levels.empty())
                levels.insert(group.levels.front());
        Agnode_t* previous = nullptr;
        for (const uint32_t l : levels) {
            const std::string name = "level " + std::to_string(l);
            Agnode_t* node = addNode(name, name, "plaintext");
            set(node, "fontcolor", "#666666");
            Agraph_t* rank = agsubg(m_graph.get(), mutableText(name.c_str()), 1);
            set(rank, "rank", "same");
            agsubnode(rank, node, 1);
            m_ranks[l] = rank;
            if (previous != nullptr)
                set(addEdge(previous, node, "order"), "style", "invis");
            previous = node;
        }
    }

    std::string nodeLabel(const NodeGroup& group) const
    {
        const graph::Node& node = m_report.graph.nodes[group.nodes.front()];
        std::string label = groupName(m_report.graph, group) + "\n" + launchWord(node.declared) + " " +
                            launchText(node) + "\nlocal size " + gridText(node.declared.localSize) + "\n" +
                            payloadText(node.declared);
        if (node.declared.maxRecursion > 0)
            label +=
                "\nrecursion " + std::to_string(node.declared.maxRecursion) + ", levels " + levelsText(group.levels);
        if (node.declared.sharesInputWith)
            label += "\nshares the input of " + idText(*node.declared.sharesInputWith);
        return label + (node.declared.apiEntry ? "" : "\nno API entry");
    }

    void addNodes()
    {
        for (const NodeGroup& group : m_report.groups.groups) {
            const graph::Node& node = m_report.graph.nodes[group.nodes.front()];
            const bool isStatic = node.declared.mode == graph::LaunchMode::Static;
            const bool isDynamic = node.declared.mode == graph::LaunchMode::Dynamic;
            Agnode_t* box = addNode(groupName(m_report.graph, group), nodeLabel(group),
                                    isStatic    ? "box"
                                    : isDynamic ? "hexagon"
                                                : "ellipse");
            set(box, "style", group.levels.empty() ? "filled,dashed" : "filled");
            set(box, "fillcolor", isStatic ? "#d6e6f7" : isDynamic ? "#fbe3c8" : "#d9f0d8");
            set(box, "peripheries", group.nodes.size() > 1 ? "2" : "1");
            m_boxes.push_back(box);
            if (!group.levels.empty())
                agsubnode(m_ranks.at(group.levels.front()), box, 1);
        }
    }

    // A box for a name that an output uses and no node has.
    Agnode_t* findMissing(const std::string& target)
    {
        const auto [found, isNew] = m_missing.try_emplace(target, nullptr);
        if (isNew) {
            found->second = addNode(target + " (no such node)", target + "\nno such node", "box");
            set(found->second, "style", "dotted");
        }
        return found->second;
    }

    void addPayloadEdge(uint32_t group, uint32_t output, Agnode_t* to)
    {
        const graph::Node& node = m_report.graph.nodes[m_report.groups.groups[group].nodes.front()];
        const graph::NodeOutput& out = node.declared.outputs[output];
        Agedge_t* edge = addEdge(m_boxes[group], to, "output " + std::to_string(output));
        set(edge, "label", labelText(budgetText(node.declared, output) + "\n" + bytesText(out.payloadBytes)));
        if (out.allocationSites == 0)
            set(edge, "style", "dotted");
    }

    void addEdges()
    {
        std::vector<std::vector<bool>> used;
        for (const NodeGroup& group : m_report.groups.groups)
            used.emplace_back(m_report.graph.nodes[group.nodes.front()].declared.outputs.size(), false);
        for (const PayloadEdge& edge : m_report.groups.payloads) {
            addPayloadEdge(edge.from, edge.output, m_boxes[edge.to]);
            used[edge.from][edge.output] = true;
        }
        for (uint32_t g = 0; g < used.size(); ++g) {
            const graph::Node& node = m_report.graph.nodes[m_report.groups.groups[g].nodes.front()];
            for (uint32_t o = 0; o < used[g].size(); ++o)
                if (!used[g][o])
                    addPayloadEdge(g, o, findMissing(printable(node.declared.outputs[o].targetName)));
        }
        for (const SharingEdge& sharing : m_report.groups.sharings) {
            Agedge_t* edge = addEdge(m_boxes[sharing.base], m_boxes[sharing.sharer], "shared input");
            // No label: Graphviz 2.43 corrupts its memory at labels between boxes of one rank. The box says it.
            set(edge, "style", "dashed");
            set(edge, "class", "shared-input");
        }
    }

    const GraphReport& m_report;
    std::unique_ptr<Agraph_t, decltype(&agclose)> m_graph;
    std::map<uint32_t, Agraph_t*> m_ranks;  // by level
    std::vector<Agnode_t*> m_boxes;         // per group
    std::map<std::string, Agnode_t*> m_missing;
};

}  // namespace

Result<std::string> drawGraph(const GraphReport& report)
{
    return Drawing(report).render();
}

}  // namespace millrace::tools
