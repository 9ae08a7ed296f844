// SPDX-License-Identifier: Apache-2.0
#include "tools/run/program.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/input_file.h"
#include "glsl/compile.h"
#include "graph/diagnose.h"
#include "tools/declared_node.h"
#include "tools/dxil_modules.h"
#include "tools/dxil_options.h"
#include "tools/modules.h"
#include "tools/run/reflect_node.h"

namespace millrace::tools::run {

namespace {

constexpr std::string_view kSourceEndings[] = {".comp", ".glsl", ".mesh", ".frag"};

bool isSource(const std::string& file)
{
    const std::string ending = std::filesystem::path(file).extension().string();
    return std::ranges::find(kSourceEndings, ending) != std::end(kSourceEndings);
}

using SourceCompiler = Result<glsl::Compiled>(const std::string& source, const std::string& file,
                                              const glsl::Options& options);

glsl::Compiled compileSource(const ShaderDescription& description, SourceCompiler& compile, std::string& warnings)
{
    std::string source;
    if (const Status read = readInputFile(description.file, source); !read)
        description.place.get("file").fail(withReason("cannot read " + description.file, read));
    glsl::Options options;
    options.definitions = description.definitions;
    options.includeFolders = description.includeFolders;
    auto compiled = compile(source, description.file, options);
    if (!compiled) {
        // Names files and lines of its own.
        description.place.get("file").fail("the shader does not compile:\n" + compiled.error().text());
    }
    warnings += compiled->warnings;
    return std::move(*compiled);
}

const char* nameOf(spv::ExecutionModel model)
{
    return model == spv::ExecutionModel::GLCompute ? "compute"
           : model == spv::ExecutionModel::MeshEXT ? "mesh"
                                                   : "fragment";
}

spirv::Words readWords(const ShaderDescription& description)
{
    const Value file = description.place.get("file");
    for (const char* key : {"define", "include"})
        if (const auto value = description.place.find(key))
            value->fail(std::string("\"") + key + "\" is for GLSL (.comp, .mesh, .frag or .glsl)");
    Result<spirv::Words> words = readModule(description.file);
    if (!words)
        file.fail(words.error().text());
    return std::move(*words);
}

// The only one of this kind unless the description says which.
std::string chooseEntryPoint(const ShaderDescription& description, const spirv::Words& words, spv::ExecutionModel model)
{
    const std::vector<std::string> entryPoints = entryPointsOf(words, model);
    if (entryPoints.size() > 1 && !description.entryPoint) {
        description.place.get("file").fail(description.file + " has " + std::to_string(entryPoints.size()) + " " +
                                           nameOf(model) + " entry points; choose one with \"entry\"");
    }
    return description.entryPoint.value_or(entryPoints.empty() ? "main" : entryPoints.front());
}

FragmentShader loadFragment(const DrawDescription& draw, std::string& warnings)
{
    const ShaderDescription& description = draw.fragment;
    FragmentShader shader{&draw, description.file};
    shader.words = isSource(description.file) ? compileSource(description, glsl::compileFragment, warnings).words
                                              : readWords(description);
    shader.entryPoint = chooseEntryPoint(description, shader.words, spv::ExecutionModel::Fragment);
    const std::vector<std::string> all = entryPointsOf(shader.words, spv::ExecutionModel::Fragment);
    if (std::ranges::find(all, shader.entryPoint) == all.end())
        description.place.fail(description.file + " has no fragment entry point '" + shader.entryPoint + "'");
    // The driver gets it as it is.
    if (const Status valid = spirv::validate(shader.words); !valid)
        description.place.get("file").fail(description.file + ": " + valid.error().text());
    shader.specialization = encodeSpecialization(description, shader.words);
    return shader;
}

// A node is a mesh shader where it has a fragment shader.
void loadNode(const NodeDescription& description, ProgramNode& node, std::string& warnings)
{
    const auto model = description.draw ? spv::ExecutionModel::MeshEXT : spv::ExecutionModel::GLCompute;
    if (isSource(description.file)) {
        glsl::Compiled compiled = compileSource(description, glsl::compile, warnings);
        node.words = std::move(compiled.words);
        node.entryPoint = description.entryPoint.value_or(compiled.entryPoint);
    } else {
        node.words = readWords(description);
        node.entryPoint = chooseEntryPoint(description, node.words, model);
        warnings += codeWarnings(node.words, node.entryPoint, description.file);
    }
    const auto other = description.draw ? spv::ExecutionModel::GLCompute : spv::ExecutionModel::MeshEXT;
    const auto has = [&](spv::ExecutionModel wanted) {
        const std::vector<std::string> names = entryPointsOf(node.words, wanted);
        return std::ranges::find(names, node.entryPoint) != names.end();
    };
    if (description.draw && !has(model) && has(other)) {
        description.place.get("fragment")
            .fail("\"fragment\" is for mesh nodes, and " + description.file + " is a compute shader");
    }
    if (!description.draw && !has(model) && has(other))
        description.place.fail("a mesh node needs a \"fragment\" shader");
    if (description.draw)
        node.fragment = loadFragment(*description.draw, warnings);
}

// An object, or a file that has one.
void readOptions(const Value& value, DxilOptions& out)
{
    if (!value.json().is_string()) {
        readDxilOptions(value, out);
        return;
    }
    const Document document = Document::read(
        (std::filesystem::path(value.file()).parent_path() / value.string()).lexically_normal().string());
    readDxilOptions(document.root(), out);
}

// "entry" is the name of the function in the library; without it all nodes are meant.
std::vector<ProgramNode> translateProgram(const NodeDescription& description, const ProgramNode& common,
                                          std::string& warnings)
{
    const Value& file = description.place.get("file");
    DxilOptions prepared;
    if (const auto options = description.place.find("dxil"))
        readOptions(*options, prepared);
    DxilLibrary first{{}, prepared.exports};
    if (const Status read = readInputFile(description.file, first.content); !read)
        file.fail(withReason("cannot read " + description.file, read));
    prepared.libraries.insert(prepared.libraries.begin(), std::move(first));
    prepared.options.entryPoint = description.entryPoint.value_or("");
    auto program = translateDxil(prepared.libraries, prepared.options);
    if (!program)
        file.fail(description.file + ": " + program.error().text());
    if (program->modules.size() > 1 && (description.name || description.index || !description.indices.empty())) {
        file.fail(description.file + " has " + std::to_string(program->modules.size()) +
                  " entry points; choose the one of this name or index with \"entry\"");
    }
    std::vector<ProgramNode> out;
    for (DxilModule& module : program->modules) {
        ProgramNode& node = out.emplace_back(common);
        node.words = std::move(module.words);
        node.entryPoint = std::move(module.entryPoint);
        node.waveSizes = std::move(module.waveSizes);
        warnings += codeWarnings(node.words, node.entryPoint, description.file);
    }
    return out;
}

void completeNode(const NodeDescription& description, ProgramNode& node)
{
    node.specialization = encodeSpecialization(description, node.words);

    nodes::Options options;
    options.request.entryPoint = node.entryPoint;
    options.request.nodeName = node.name;
    options.request.shaderIndex = node.index;
    options.request.specialization = node.specialization;
    // Where push constants go is the layer's business; here only the node's declarations count.
    options.request.pushConstantsInMemory = true;
    Result<graph::Node> compiled = declaredNode(node.words, options, node.isMesh());
    if (!compiled) {
        description.place.fail(description.file + ", entry point '" + node.entryPoint +
                               "': " + compiled.error().text());
    }
    node.declared = std::move(compiled->declared);
    reflectNode(description, node);
}

// Of a library of DXIL several.
std::vector<ProgramNode> loadNodes(const GraphDescription& graph, size_t index, std::string& warnings)
{
    const NodeDescription& description = graph.nodes[index];
    ProgramNode node;
    node.description = index;
    node.file = description.file;
    node.name = description.name;
    node.index = description.index;
    const bool isDxil = std::filesystem::path(description.file).extension() == ".dxil";
    if (const auto options = description.place.find("dxil"); options && !isDxil)
        options->fail("\"dxil\" is for nodes in DXIL (.dxil)");
    if (isDxil && description.draw)
        description.place.get("fragment").fail("mesh nodes in DXIL are not supported");
    std::vector<ProgramNode> out;
    if (isDxil) {
        out = translateProgram(description, node, warnings);
    } else {
        loadNode(description, node, warnings);
        out.push_back(std::move(node));
    }
    // The same code for each node of an array.
    for (size_t i = 1; i < description.indices.size(); ++i)
        out.push_back(out.front());
    for (size_t i = 0; i < description.indices.size(); ++i)
        out[i].index = description.indices[i];
    for (ProgramNode& each : out)
        completeNode(description, each);
    return out;
}

const Value& placeOf(const GraphDescription& description, const ProgramNode& node)
{
    return description.nodes[node.description].place;
}

void checkRules(const GraphDescription& description, const Program& program)
{
    std::vector<graph::Node> nodes;
    std::map<graph::NodeId, size_t> known;
    for (size_t n = 0; n < program.nodes.size(); ++n) {
        const graph::NodeDeclaration& node = program.nodes[n].declared;
        const auto [found, isNew] = known.try_emplace(node.id, n);
        if (!isNew) {
            placeOf(description, program.nodes[n])
                .fail("node " + graph::nameOf(node.id) + " is here twice; the first is of " +
                      program.nodes[found->second].file);
        }
        nodes.push_back({node, {}});
    }
    if (const auto linked = graph::link(std::move(nodes)); !linked)
        description.nodes.front().place.fail("the nodes are no graph: " + linked.error().text());
}

void mergeBindings(const GraphDescription& description, Program& program)
{
    for (size_t n = 0; n < program.nodes.size(); ++n) {
        for (const BindingUse& use : program.nodes[n].bindings) {
            const auto found = std::ranges::find_if(program.bindings, [&](const BindingUse& each) {
                return each.set == use.set && each.binding == use.binding;
            });
            if (found == program.bindings.end()) {
                program.bindings.push_back(use);
            } else if (const auto conflict = joinUses(*found, use)) {
                placeOf(description, program.nodes[n])
                    .fail("set " + std::to_string(use.set) + ", binding " + std::to_string(use.binding) + " is " +
                          conflict->other + " in this node and " + conflict->known + " in another");
            }
        }
    }
    std::ranges::sort(program.bindings, {}, [](const BindingUse& use) { return std::pair(use.set, use.binding); });
}

void mergeConstant(const Value& place, const DataMember& member, Program& program)
{
    const auto found = std::ranges::find(program.constants, member.name, &DataMember::name);
    if (found == program.constants.end())
        program.constants.push_back(member);
    else if (found->offset != member.offset || nameOf(*found->type) != nameOf(*member.type))
        place.fail("the push constant \"" + member.name + "\" has another type or offset than in an earlier node");
    program.constantBytes = std::max(program.constantBytes, member.offset + member.type->bytes);
}

// Nodes may each declare the part that they use.
void mergeConstants(const GraphDescription& description, Program& program)
{
    for (size_t n = 0; n < program.nodes.size(); ++n) {
        for (const DataTypeRef& block : program.nodes[n].constants)
            for (const DataMember& member : block->members)
                mergeConstant(placeOf(description, program.nodes[n]), member, program);
    }
}

// Who draws needs something to draw into.
void checkTarget(const GraphDescription& description, const Program& program)
{
    const auto mesh = std::ranges::find_if(program.nodes, &ProgramNode::isMesh);
    if (mesh != program.nodes.end() && !description.target)
        placeOf(description, *mesh).fail("a mesh node draws, and the file has no \"target\"");
    if (mesh == program.nodes.end() && description.target)
        description.target->place.fail("no node of the graph is a mesh node, which would draw into it");
}

}  // namespace

bool Program::draws() const
{
    return std::ranges::any_of(nodes, &ProgramNode::isMesh);
}

Program loadProgram(const GraphDescription& description)
{
    Program program;
    for (size_t n = 0; n < description.nodes.size(); ++n)
        for (ProgramNode& node : loadNodes(description, n, program.warnings))
            program.nodes.push_back(std::move(node));
    checkRules(description, program);
    checkTarget(description, program);
    mergeBindings(description, program);
    mergeConstants(description, program);
    return program;
}

}  // namespace millrace::tools::run
