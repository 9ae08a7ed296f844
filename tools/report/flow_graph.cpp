// SPDX-License-Identifier: Apache-2.0
#include "tools/report/flow_graph.h"

#include <graphviz/gvc.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

namespace millrace::tools::report {

namespace {

// Graphs with more nodes show their arrays as one box each.
constexpr size_t kMostBoxes = 60;
// Above this, curves and many rounds of improving the layout take minutes.
constexpr size_t kLargeGraph = 300;
constexpr double kWidestLine = 6;

// The C interface takes pointers to what it does not change.
char* mutableText(const char* text)
{
    return const_cast<char*>(text);
}

void set(void* object, const char* name, const std::string& value)
{
    agsafeset(object, mutableText(name), mutableText(value.c_str()), mutableText(""));
}

// Labels have escape sequences and XML entities.
std::string labelText(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        out += c == '&' ? "&amp;" : c == '\\' ? "\\\\" : static_cast<unsigned char>(c) < 0x20 ? " " : std::string(1, c);
    }
    return out;
}

// 1234567 as "1.2 M".
std::string shortCount(uint64_t value)
{
    constexpr const char* kUnits[] = {"", " k", " M", " G", " T", " P", " E"};
    auto number = static_cast<double>(value);
    size_t unit = 0;
    for (; number >= 1000; number /= 1000) {
        unit++;
    }
    char text[32];
    std::snprintf(text, sizeof(text), unit > 0 && number < 100 ? "%.1f%s" : "%.0f%s", number, kUnits[unit]);
    return text;
}

class Drawing {
public:
    Drawing(const TraceSummary& trace, uint32_t graph)
        : m_graph(trace.graphs[graph]),
          m_prefix("g" + std::to_string(graph) + "n"),
          m_boxes(boxesOf(m_graph)),
          m_drawing(agopen(mutableText("flow"), Agdirected, nullptr), agclose)
    {
        set(m_drawing.get(), "id", m_prefix + "all");
        set(m_drawing.get(), "rankdir", "TB");
        set(m_drawing.get(), "bgcolor", "transparent");
        set(m_drawing.get(), "ranksep", "0.35");
        set(m_drawing.get(), "nodesep", "0.2");
        addBoxes();
        addFlows();
        if (m_lines > kLargeGraph) {
            set(m_drawing.get(), "splines", "line");
            set(m_drawing.get(), "nslimit", "1");
            set(m_drawing.get(), "nslimit1", "1");
            set(m_drawing.get(), "mclimit", "0.1");
        }
    }

    Result<std::string> render()
    {
        const std::unique_ptr<GVC_t, decltype(&gvFreeContext)> context(gvContext(), gvFreeContext);
        if (!context || gvLayout(context.get(), m_drawing.get(), "dot") != 0) {
            return Diagnostic{"", "", "Graphviz cannot lay out the graph"};
        }
        char* data = nullptr;
        unsigned size = 0;
        const bool rendered = gvRenderData(context.get(), m_drawing.get(), "svg", &data, &size) == 0;
        std::string svg(rendered ? data : "", rendered ? size : 0);
        if (rendered) {
            gvFreeRenderData(data);
        }
        gvFreeLayout(context.get(), m_drawing.get());
        // Without the prologue, which HTML does not have.
        const size_t start = svg.find("<svg");
        if (start == std::string::npos) {
            return Diagnostic{"", "", "Graphviz cannot write SVG; is its core plugin installed?"};
        }
        return svg.substr(start);
    }

private:
    Agnode_t* box(const std::string& id, const std::string& label, const char* shape)
    {
        Agnode_t* node = agnode(m_drawing.get(), mutableText(id.c_str()), 1);
        set(node, "id", id);
        set(node, "label", label);
        set(node, "shape", shape);
        set(node, "style", "filled");
        set(node, "fontname", "sans-serif");
        set(node, "fontsize", "11");
        set(node, "margin", "0.12,0.06");
        return node;
    }

    void addBoxes()
    {
        std::map<uint32_t, std::vector<uint32_t>> members;
        for (uint32_t n = 0; n < m_boxes.size(); n++) {
            members[m_boxes[n]].push_back(n);
        }
        for (const auto& [first, nodes] : members) {
            const trace::Node& shape = m_graph.shape.nodes[first];
            uint64_t records = 0;
            for (uint32_t n : nodes) {
                records += m_graph.nodes[n].records;
            }
            const std::string name =
                nodes.size() == 1 ? nameOf(shape) : shape.name + ", " + std::to_string(nodes.size()) + " nodes";
            const bool isCoalescing =
                shape.launch == trace::Launch::Coalescing || shape.launch == trace::Launch::Packed;
            m_nodes[first] = box(m_prefix + std::to_string(first), labelText(name) + "\\n" + shortCount(records),
                                 isCoalescing                            ? "octagon"
                                 : shape.launch == trace::Launch::Static ? "box"
                                                                         : "ellipse");
        }
    }

    void addFlows()
    {
        std::map<std::pair<std::optional<uint32_t>, uint32_t>, Flow> flows;  // between boxes
        uint64_t most = 1;
        for (const Flow& flow : m_graph.flows) {
            const auto from = flow.from ? std::optional(m_boxes[*flow.from]) : std::nullopt;
            Flow& to = flows.try_emplace({from, m_boxes[flow.to]}, Flow{from, m_boxes[flow.to], 0, true}).first->second;
            to.payloads += flow.payloads;
            to.exact &= flow.exact;
            most = std::max(most, to.payloads);
        }
        for (const auto& [key, flow] : flows) {
            Agnode_t* from = flow.from ? m_nodes[*flow.from] : api();
            Agedge_t* edge = agedge(m_drawing.get(), from, m_nodes[flow.to], nullptr, 1);
            const double width = std::log1p(static_cast<double>(flow.payloads)) / std::log1p(static_cast<double>(most));
            set(edge, "id", m_prefix + "e" + std::to_string(m_lines));
            set(edge, "penwidth", std::to_string(1 + (kWidestLine - 1) * width));
            set(edge, "arrowsize", "0.6");
            set(edge, "style", flow.exact ? "solid" : "dashed");
            set(edge, "tooltip", (flow.exact ? "" : "up to ") + std::to_string(flow.payloads) + " payloads");
            m_lines++;
        }
    }

    Agnode_t* api()
    {
        if (m_api == nullptr) {
            m_api = box(m_prefix + "api", "API", "plaintext");
        }
        return m_api;
    }

    const GraphSummary& m_graph;
    const std::string m_prefix;
    const std::vector<uint32_t> m_boxes;
    std::unique_ptr<Agraph_t, decltype(&agclose)> m_drawing;
    std::map<uint32_t, Agnode_t*> m_nodes;
    Agnode_t* m_api = nullptr;
    size_t m_lines = 0;
};

}  // namespace

std::vector<uint32_t> boxesOf(const GraphSummary& graph)
{
    std::vector<uint32_t> boxes;
    std::map<std::string, uint32_t> arrays;
    for (uint32_t n = 0; n < graph.shape.nodes.size(); n++) {
        const bool isJoined = graph.shape.nodes.size() > kMostBoxes;
        boxes.push_back(isJoined ? arrays.try_emplace(graph.shape.nodes[n].name, n).first->second : n);
    }
    return boxes;
}

Result<std::string> drawFlow(const TraceSummary& trace, uint32_t graph)
{
    return Drawing(trace, graph).render();
}

}  // namespace millrace::tools::report
