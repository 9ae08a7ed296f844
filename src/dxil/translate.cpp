// SPDX-License-Identifier: Apache-2.0
#include "dxil/translate.h"

#include <algorithm>
#include <exception>
#include <unordered_map>

#include "dxil/bitcode.h"
#include "dxil/called_functions.h"
#include "dxil/container.h"
#include "dxil/control_flow.h"
#include "dxil/emitter.h"
#include "dxil/link_calls.h"
#include "dxil/registers.h"
#include "dxil/runtime_data.h"
#include "dxil/subobjects.h"
#include "spirv/edit.h"
#include "spirv/tools.h"

namespace millrace::dxil {

namespace {

using Structures = std::unordered_map<const Function*, Structure>;

// Whose a function is: it may be called by other libraries.
using Owners = std::unordered_map<const Function*, Program*>;

class Translator {
public:
    Translator(const Owners& owners, Program& program, const ProgramInfo& info, const Options& options)
        : m_owners(owners), m_program(program), m_info(info), m_options(options)
    {
    }
    Result<Shader> translate(const EntryPoint& entry, const Bindings& bindings);

private:
    Status structure(Function& function);

    const Owners& m_owners;
    Program& m_program;
    const ProgramInfo& m_info;
    const Options& m_options;
    Structures m_structures;  // of all functions so far, so that each is worked on once
    std::unordered_map<const Function*, bool> m_rebuilt;
};

Status Translator::structure(Function& function)
{
    if (m_structures.contains(&function))
        return {};
    Structure found;
    Program& owner = *m_owners.at(&function);
    if (!deriveStructure(owner.module(), function, found)) {
        if (Status status = owner.structurize(function); !status)
            return status;
        m_rebuilt[&function] = true;
        found = {};
        if (!deriveStructure(owner.module(), function, found))
            return Diagnostic{"dxil", function.name, "the control flow cannot be made structured"};
    }
    return m_structures.emplace(&function, std::move(found)), Status();
}

bool isLongVectors(const spirv::Instruction& i)
{
    return i.op == spv::Op::OpCapability && i.literal(0) == static_cast<uint32_t>(kLongVectors);
}

bool hasLongVectors(const spirv::Module& module)
{
    return std::ranges::any_of(module.section(spirv::Section::Capabilities), isLongVectors);
}

// The module without the capability, at which readers would stop.
std::vector<uint32_t> withoutLongVectors(const std::vector<uint32_t>& words)
{
    constexpr size_t kHeaderWords = 5;
    const uint32_t capability[] = {2u << 16 | static_cast<uint32_t>(spv::Op::OpCapability),
                                   static_cast<uint32_t>(kLongVectors)};
    std::vector<uint32_t> out = words;
    const auto found = std::search(out.begin() + std::min(kHeaderWords, out.size()), out.end(), std::begin(capability),
                                   std::end(capability));
    if (found != out.end())
        out.erase(found, found + 2);
    return out;
}

Result<Shader> Translator::translate(const EntryPoint& entry, const Bindings& bindings)
{
    std::vector<Function*> functions;
    if (entry.kind == ShaderKind::Library) {
        for (const auto& function : m_program.module().functions)
            if (!function->blocks.empty())
                functions.push_back(function.get());
    }
    if (Status status = addCalledFunctions(*entry.function, functions); !status)
        return status.error();
    Structures reached;
    Shader out;
    for (Function* function : functions) {
        if (Status status = structure(*function); !status)
            return status.error();
        reached.emplace(function, m_structures.at(function));
        out.wasStructurized = out.wasStructurized || m_rebuilt.contains(function);
    }
    const EmitterOptions emitterOptions{bindings, m_options.wholeVectors, m_options.splitUpTo};
    Emitter emitter(m_program.module(), m_info, entry, emitterOptions);
    if (Status status = emitter.run(reached); !status)
        return status.error();
    out.entry = entry;
    out.entry.function = nullptr;
    out.entryPoint = emitter.entryPointName();
    if (entry.kind == ShaderKind::Mesh)
        spirv::setForgottenOutputs(emitter.module());
    spirv::orderDecorationOperands(emitter.module());
    out.words = spirv::write(emitter.module());
    out.hasPayloadAtomics = emitter.hasPayloadAtomics();
    out.hasLongVectors = hasLongVectors(emitter.module());
    return out;
}

bool isSupported(ShaderKind kind)
{
    return kind == ShaderKind::Compute || kind == ShaderKind::Node || kind == ShaderKind::Mesh ||
           kind == ShaderKind::Amplification || kind == ShaderKind::Library || kind == ShaderKind::Vertex ||
           kind == ShaderKind::Pixel;
}

constexpr std::string_view kSignaturePart = "RTS0";

// A library as it was read.
struct Source {
    Container container;
    std::unique_ptr<Program> program;
    ProgramInfo info;                 // entry points: those that are used, overrides applied
    std::vector<Resource> resources;  // its own; `info` has those of all whose functions it may call
    Subobjects subobjects;
    std::optional<PipelineState> pipelineState;
};

Result<Source> readSource(const Library& library, const Options& options)
{
    Source out;
    auto container = readContainer(library.container);
    if (!container)
        return container.error();
    out.container = std::move(*container);
    auto program = readBitcode(out.container.bitcode);
    if (!program)
        return program.error();
    out.program = std::move(*program);
    auto info = readProgramInfo(out.container, out.program->module());
    if (!info)
        return info.error();
    out.info = std::move(*info);
    if (const Part* part = out.container.findPart("PSV0")) {
        auto state = readPipelineState(part->bytes);
        if (!state)
            return state.error();
        if (Status status = checkPipelineState(*state, out.container, out.info); !status)
            return status.error();
        out.pipelineState = std::move(*state);
    }
    const Part* rdat = out.container.findPart("RDAT");
    if (rdat) {
        const auto data = readRuntimeData(rdat->bytes);
        if (!data)
            return data.error();
        if (Status status = checkRuntimeData(*data, out.info); !status)
            return status.error();
    }
    if (rdat && options.useRootSignature) {
        auto subobjects = readSubobjects(rdat->bytes);
        if (!subobjects)
            return subobjects.error();
        out.subobjects = std::move(*subobjects);
    }
    if (Status status = applyExports(library.exports, out.info.entryPoints); !status)
        return status.error();
    return out;
}

std::vector<Resource> withoutGlobals(std::vector<Resource> resources)
{
    for (Resource& resource : resources)
        resource.global = nullptr;
    return resources;
}

// A library that has functions and nothing else is one module of them.
void addFunctions(Source& source)
{
    const auto& functions = source.program->module().functions;
    const auto found = std::ranges::find_if(functions, [](const auto& function) { return !function->blocks.empty(); });
    if (source.container.kind == ShaderKind::Library && source.info.entryPoints.empty() && found != functions.end()) {
        EntryPoint& all = source.info.entryPoints.emplace_back();
        all.name = "functions";
        all.function = found->get();
        all.kind = ShaderKind::Library;
    }
}

// All libraries as one graph.
class Collection {
public:
    explicit Collection(const Options& options) : m_options(options) {}
    Status read(std::span<const Library> libraries);
    Result<Translation> translate();

private:
    Status checkNames() const;
    Status linkFunctions();
    Status applyNodeOverrides();
    Status findGlobalSignature();
    Result<std::optional<RootSignature>> localSignatureOf(const Source& source, const EntryPoint& entry) const;
    Status bindLocals();
    Status bind(const Source& source, EntryPoint& entry, Bindings& out);
    void assignTableIndices();
    Status translate(Source& source, Translation& out);

    const Options& m_options;
    std::vector<Source> m_sources;
    Owners m_owners;
    std::optional<RootSignature> m_global;
    uint32_t m_localSamplers = 0;
    uint32_t m_largestRecord = 0;
    std::unordered_map<const EntryPoint*, Bindings> m_bindings;
};

Status Collection::checkNames() const
{
    std::vector<std::string> names;
    for (const Source& source : m_sources) {
        for (const EntryPoint& entry : source.info.entryPoints) {
            if (std::ranges::find(names, entry.name) != names.end()) {
                return Diagnostic{"dxil", entry.name,
                                  "two libraries have an entry point of this name; rename one by an export"};
            }
            names.push_back(entry.name);
        }
    }
    return {};
}

Status Collection::linkFunctions()
{
    std::vector<Module*> modules;
    for (const Source& source : m_sources) {
        modules.push_back(&source.program->module());
        for (const auto& function : modules.back()->functions)
            m_owners.emplace(function.get(), source.program.get());
    }
    for (Source& source : m_sources)
        source.resources = withoutGlobals(source.info.resources);
    if (m_sources.size() == 1)
        return {};
    std::vector<Resource> all;
    for (const Source& source : m_sources)
        std::ranges::copy(source.info.resources, std::back_inserter(all));
    for (Source& source : m_sources) {
        const std::vector<Resource> own = source.info.resources;
        std::ranges::copy_if(all, std::back_inserter(source.info.resources), [&](const Resource& resource) {
            return std::ranges::find(own, resource.global, &Resource::global) == own.end();
        });
    }
    return linkCalls(modules);
}

// Each library gets the overrides of its own entry points.
Status Collection::applyNodeOverrides()
{
    for (const NodeOverride& node : m_options.nodes)
        if (std::ranges::none_of(m_sources, [&](const Source& source) {
                return std::ranges::find(source.info.entryPoints, node.entry, &EntryPoint::name) !=
                       source.info.entryPoints.end();
            }))
            return Diagnostic{"dxil", "overrides", "there is no entry point \"" + node.entry + "\""};
    for (Source& source : m_sources) {
        std::vector<NodeOverride> own;
        std::ranges::copy_if(m_options.nodes, std::back_inserter(own), [&](const NodeOverride& node) {
            return std::ranges::find(source.info.entryPoints, node.entry, &EntryPoint::name) !=
                   source.info.entryPoints.end();
        });
        if (Status status = applyOverrides(own, m_options.onlyListed, source.info.entryPoints); !status)
            return status;
    }
    return {};
}

Status Collection::read(std::span<const Library> libraries)
{
    for (const Library& library : libraries) {
        auto source = readSource(library, m_options);
        if (!source)
            return source.error();
        if (libraries.size() > 1 && source->container.kind != ShaderKind::Library)
            return Diagnostic{"dxil", "", "only libraries can be put together"};
        m_sources.push_back(std::move(*source));
    }
    std::vector<std::vector<Resource>*> resources;
    for (Source& source : m_sources)
        resources.push_back(&source.info.resources);
    if (Status status = assignRegisters(resources); !status)
        return status;
    if (m_sources.size() == 1)
        addFunctions(m_sources[0]);
    if (Status status = checkNames(); !status)
        return status;
    if (Status status = linkFunctions(); !status)
        return status;
    if (Status status = applyNodeOverrides(); !status)
        return status;
    std::vector<EntryPoint*> entries;
    for (Source& source : m_sources)
        for (EntryPoint& entry : source.info.entryPoints)
            entries.push_back(&entry);
    if (Status status = checkNodeIds(entries); !status)
        return status;
    separateGrids(entries);
    return {};
}

// The one that was given; else that of the container; else the one that libraries declare, which must be one.
Status Collection::findGlobalSignature()
{
    m_global = m_options.rootSignature;
    if (m_global || !m_options.useRootSignature)
        return {};
    std::optional<Bytes> found;
    for (const Source& source : m_sources) {
        std::vector<Bytes> signatures;
        if (const Part* part = source.container.findPart(kSignaturePart))
            signatures.push_back(part->bytes);
        for (const EntryPoint& entry : source.info.entryPoints)
            if (const DeclaredSignature* declared = source.subobjects.findSignature(false, entry.function->name))
                signatures.push_back(declared->bytes);
        for (const Bytes& bytes : signatures) {
            if (found && !std::ranges::equal(*found, bytes)) {
                return Diagnostic{"dxil", "root signature",
                                  "the program has different global ones; say which by an option"};
            }
            found = bytes;
        }
    }
    if (!found)
        return {};
    auto signature = readRootSignature(*found);
    if (!signature)
        return signature.error();
    m_global = std::move(*signature);
    return {};
}

Result<std::optional<RootSignature>> Collection::localSignatureOf(const Source& source, const EntryPoint& entry) const
{
    for (const LocalSignature& given : m_options.localSignatures)
        if (given.entries.empty() || std::ranges::find(given.entries, entry.name) != given.entries.end())
            return std::optional(given.signature);
    const DeclaredSignature* declared = source.subobjects.findSignature(true, entry.function->name);
    if (!declared)
        return std::optional<RootSignature>();
    auto signature = readRootSignature(declared->bytes);
    if (!signature)
        return signature.error();
    return std::optional(std::move(*signature));
}

// What is given comes first, then the local root signature, then the global one.
Status Collection::bind(const Source& source, EntryPoint& entry, Bindings& out)
{
    out = m_options.bindings;
    if (entry.kind == ShaderKind::Node) {
        const auto local = localSignatureOf(source, entry);
        if (!local)
            return local.error();
        if (*local) {
            entry.localBytes = addLocalRootSignature(**local, m_localSamplers, out);
            m_localSamplers += static_cast<uint32_t>((*local)->staticSamplers.size());
            m_largestRecord = std::max(m_largestRecord, entry.localBytes);
        }
    }
    if (m_global)
        addRootSignature(*m_global, out);
    return {};
}

// Nodes that do not say where their record is get the first places that nobody has.
void Collection::assignTableIndices()
{
    std::vector<int32_t> taken;
    for (const Source& source : m_sources)
        for (const EntryPoint& entry : source.info.entryPoints)
            taken.push_back(entry.node.localArgumentsIndex);
    int32_t next = 0;
    for (Source& source : m_sources) {
        for (EntryPoint& entry : source.info.entryPoints) {
            if (entry.localBytes == 0 || entry.node.localArgumentsIndex >= 0)
                continue;
            while (std::ranges::find(taken, next) != taken.end())
                ++next;
            entry.node.localArgumentsIndex = next++;
        }
    }
}

Status Collection::bindLocals()
{
    for (Source& source : m_sources) {
        for (EntryPoint& entry : source.info.entryPoints)
            if (Status status = bind(source, entry, m_bindings[&entry]); !status)
                return status;
    }
    assignTableIndices();
    const uint32_t given = m_options.bindings.local.strideBytes;
    if (m_largestRecord > 0 && given != 0 && (given < m_largestRecord || given % 4 != 0)) {
        return Diagnostic{"dxil", "local root arguments",
                          "a stride of " + std::to_string(given) + " bytes is no multiple of 4 or less than the " +
                              std::to_string(m_largestRecord) + " bytes of the largest record"};
    }
    for (auto& [entry, bindings] : m_bindings)
        bindings.local.strideBytes = given != 0 ? given : (m_largestRecord + 7) / 8 * 8;
    return {};
}

Status Collection::translate(Source& source, Translation& out)
{
    Translator translator(m_owners, *source.program, source.info, m_options);
    for (const EntryPoint& entry : source.info.entryPoints) {
        if (!m_options.entryPoint.empty() && entry.name != m_options.entryPoint)
            continue;
        if (!isSupported(entry.kind)) {
            return Diagnostic{"dxil", entry.name,
                              std::string("a ") + shaderKindText(entry.kind) + " shader is not supported"};
        }
        const Bindings& bindings = m_bindings.at(&entry);
        auto shader = translator.translate(entry, bindings);
        if (!shader)
            return shader.error();
        shader->label = entry.name;
        if (std::ranges::count(source.info.entryPoints, entry.name, &EntryPoint::name) > 1)
            shader->label += "." + entry.node.id.name + "." + std::to_string(entry.node.id.index);
        shader->resources = source.resources;
        shader->bindings = bindings;
        out.shaders.push_back(std::move(*shader));
    }
    std::ranges::copy(source.resources, std::back_inserter(out.resources));
    return {};
}

Result<Translation> Collection::translate()
{
    if (Status status = findGlobalSignature(); !status)
        return status.error();
    if (Status status = bindLocals(); !status)
        return status.error();
    Translation out;
    out.pipelineState = m_sources.front().pipelineState;
    out.bindings = m_options.bindings;
    if (m_global)
        addRootSignature(*m_global, out.bindings);
    for (Source& source : m_sources)
        if (Status status = translate(source, out); !status)
            return status.error();
    if (out.shaders.empty()) {
        return Diagnostic{"dxil", "",
                          m_options.entryPoint.empty() ? "the library has no entry points"
                                                       : "no entry point \"" + m_options.entryPoint + "\""};
    }
    return out;
}

}  // namespace

Result<Translation> translate(std::span<const Library> libraries, const Options& options)
{
    try {
        Collection collection(options);
        if (Status status = collection.read(libraries); !status)
            return status.error();
        return collection.translate();
    } catch (const std::exception& problem) {
        // Operations whose operands are of types that they cannot have.
        return Diagnostic{"dxil", "", std::string("not a well-formed program: ") + problem.what()};
    }
}

Result<Translation> translate(std::span<const uint8_t> container, const Options& options)
{
    const Library library{container, {}};
    return translate(std::span(&library, 1), options);
}

Result<RootSignature> readSignatureOf(std::span<const uint8_t> container)
{
    const auto parts = readParts(container);
    if (!parts)
        return parts.error();
    const auto found = std::ranges::find(*parts, kSignaturePart, &Part::name);
    if (found == parts->end())
        return Diagnostic{"dxil", "root signature", "the container has no part RTS0"};
    return readRootSignature(found->bytes);
}

Result<std::string> disassemble(const std::vector<uint32_t>& words)
{
    const std::vector<uint32_t> known = withoutLongVectors(words);
    const auto text = spirv::disassemble(known);
    return text && known.size() < words.size() ? "               OpCapability LongVectorEXT\n" + *text : text;
}

Status validate(const Shader& shader)
{
    if (shader.hasLongVectors) {
        const auto module = spirv::read(withoutLongVectors(shader.words));
        return module ? Status() : Status(module.error());
    }
    if (shader.entry.kind == ShaderKind::Library)
        return spirv::validate(shader.words, spirv::Environment::Universal);
    if (!shader.hasPayloadAtomics)
        return spirv::validate(shader.words);
    auto module = spirv::read(shader.words);
    if (!module)
        return module.error();
    // A load and a store in place of each such operation have the same types.
    module->forEachInstruction([&](spirv::Instruction& i) {
        const spirv::Instruction* pointer = i.op >= spv::Op::OpAtomicLoad && i.op <= spv::Op::OpAtomicXor && i.result
                                                ? module->findDefinition(i.id(0))
                                                : nullptr;
        if (pointer && module->storageOf(pointer->type) == spv::StorageClass::NodePayloadAMDX)
            i = spirv::instruction(spv::Op::OpLoad, i.type, i.result).add(pointer->result);
    });
    return spirv::validate(spirv::write(*module));
}

}  // namespace millrace::dxil
