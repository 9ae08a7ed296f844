// SPDX-License-Identifier: Apache-2.0
#include "tools/report/meshes.h"

#include <algorithm>
#include <cstdio>

#include "tools/console.h"

namespace millrace::tools::report {

namespace {

// Below these nothing is said.
constexpr double kManyEmpty = 0.25;
constexpr double kManyCulled = 0.5;
constexpr double kPoorFill = 0.5;
constexpr double kNothingShared = 0.95;  // vertices for each corner
constexpr double kLowAmplification = 2;
constexpr uint64_t kWorthwhileGroups = 100;

std::string decimal(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", value < 10 ? 2 : 1, value);
    return text;
}

std::string percent(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.0f %%", value * 100);
    return text;
}

class Finder {
public:
    Finder(const MeshSummary& mesh, uint32_t number) : m_mesh(mesh), m_number(number) {}

    std::vector<Finding> run()
    {
        if (m_mesh.work.groups >= kWorthwhileGroups) {
            empty();
            culled();
            fill();
            sharing();
        }
        if (m_mesh.work.taskGroups >= kWorthwhileGroups)
            amplification();
        return std::move(m_out);
    }

private:
    void hint(const std::string& text, const std::string& advice)
    {
        Finding finding;
        finding.mesh = m_number;
        finding.text = m_mesh.shape.name + ": " + text;
        finding.advice = advice;
        m_out.push_back(finding);
    }

    void empty()
    {
        if (m_mesh.emptyShare() >= kManyEmpty) {
            hint(percent(m_mesh.emptyShare()) + " of the workgroups have no primitives",
                 m_mesh.shape.hasTask ? "let the task shader emit no workgroups for what is not seen"
                                      : "cull in a task shader: a workgroup that it does not emit costs nothing");
        }
    }
    void culled()
    {
        if (m_mesh.culledShare() >= kManyCulled) {
            hint(percent(m_mesh.culledShare()) + " of the primitives are culled by the mesh shader",
                 "cull whole meshlets before they run, or set counts without what is culled: culled primitives take "
                 "memory of outputs");
        }
    }
    void fill()
    {
        const uint64_t full = m_mesh.work.groups - m_mesh.work.emptyGroups;
        const double vertices = ratio(m_mesh.work.vertices, full * m_mesh.shape.maxVertices);
        const double primitives = ratio(m_mesh.work.primitives, full * m_mesh.shape.maxPrimitives);
        if (full > 0 && std::max(vertices, primitives) < kPoorFill) {
            hint("workgroups that are not empty have " + percent(vertices) + " of the vertices and " +
                     percent(primitives) + " of the primitives that they declare",
                 "declare no more than meshlets have, or fill them: drivers keep memory for what is declared");
        }
    }
    void sharing()
    {
        if (m_mesh.shape.corners == 3 && m_mesh.vertexRatio() >= kNothingShared) {
            hint("nearly each corner of a primitive has a vertex of its own (" + decimal(m_mesh.vertexRatio()) +
                     " vertices for each corner)",
                 "let primitives of a meshlet share vertices: a vertex is computed and stored once");
        }
    }
    void amplification()
    {
        if (m_mesh.work.emittedGroups > 0 && m_mesh.amplification() < kLowAmplification) {
            hint("a workgroup of the task shader emits " + decimal(m_mesh.amplification()) + " workgroups on average",
                 "let each look at more meshlets, one for each invocation");
        }
    }

    const MeshSummary& m_mesh;
    const uint32_t m_number;
    std::vector<Finding> m_out;
};

}  // namespace

void printMeshes(std::ostream& out, const TraceSummary& trace)
{
    Table table({"mesh shader", "tasks", "emitted", "workgroups", "empty", "vertices", "primitives", "culled",
                 "vertices a corner"});
    for (const MeshSummary& mesh : trace.meshes) {
        const trace::MeshWork& work = mesh.work;
        if (!mesh.ran())
            continue;
        const auto of = [](bool isThere, const std::string& text) { return isThere ? text : "-"; };
        const bool draws = work.groups > 0;
        table.add(
            {printable(mesh.shape.name), of(mesh.shape.hasTask, std::to_string(work.taskGroups)),
             of(mesh.shape.hasTask, decimal(mesh.amplification()) + " each"),
             of(mesh.shape.hasMesh, std::to_string(work.groups)), of(draws, percent(mesh.emptyShare())),
             of(draws, decimal(ratio(work.vertices, work.groups)) + " of " + std::to_string(mesh.shape.maxVertices)),
             of(draws,
                decimal(ratio(work.primitives, work.groups)) + " of " + std::to_string(mesh.shape.maxPrimitives)),
             of(draws, percent(mesh.culledShare())), of(work.primitives > 0, decimal(mesh.vertexRatio()))});
    }
    if (table.rowCount() > 0) {
        out << "\n" << colour(Colour::Bold, "mesh shaders") << "\n";
        table.print(out, "  ");
    }
}

std::vector<Finding> findInMeshes(const TraceSummary& trace)
{
    std::vector<Finding> out;
    for (uint32_t m = 0; m < trace.meshes.size(); ++m)
        for (Finding& finding : Finder(trace.meshes[m], m).run())
            out.push_back(std::move(finding));
    return out;
}

}  // namespace millrace::tools::report
