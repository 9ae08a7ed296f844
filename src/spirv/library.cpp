// SPDX-License-Identifier: Apache-2.0
// Not SPIRV-Tools' linker: it takes whole modules of words and works on all of them, ten times as long as a driver
// needs for the result.
#include "spirv/library.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "spirv/check.h"
#include "spirv/decoration_groups.h"
#include "spirv/fold.h"
#include "spirv/reach.h"

namespace millrace::spirv {

namespace {

bool isDecoration(const Instruction& i, spv::Decoration decoration)
{
    return i.op == spv::Op::OpDecorate && i.literal(1) == static_cast<uint32_t>(decoration);
}

bool isLinkage(const Instruction& i, spv::LinkageType type)
{
    return isDecoration(i, spv::Decoration::LinkageAttributes) && i.operandCount() == 4 &&
           i.literal(3) == static_cast<uint32_t>(type);
}

bool isInput(const Instruction& i)
{
    return i.op == spv::Op::OpVariable && i.literal(0) == static_cast<uint32_t>(spv::StorageClass::Input);
}

// What a module may declare only once, and what may as well be shared. Structures and arrays differ by their layout.
bool isShared(spv::Op op)
{
    switch (op) {
        case spv::Op::OpConstant:
        case spv::Op::OpConstantTrue:
        case spv::Op::OpConstantFalse:
        case spv::Op::OpConstantComposite:
        case spv::Op::OpConstantNull:
            return true;
        default:
            return isSharedType(op);
    }
}

// By id: what a decoration or an announcement makes different from all that looks the same.
std::vector<bool> findDistinct(const Module& module)
{
    std::vector<bool> distinct(module.bound);
    for (const Instruction& i : module.section(Section::Annotations))
        if (i.operandCount() > 0 && i.isId(0))
            distinct[i.id(0).value] = true;
    for (const Instruction& i : module.section(Section::Globals))
        if (i.op == spv::Op::OpTypeForwardPointer)
            distinct[i.id(0).value] = true;
    return distinct;
}

std::vector<uint32_t> closure(Reach& reach, Id function)
{
    reach.add(function);
    std::vector<uint32_t> ids;
    for (const Id id : reach.all())
        ids.push_back(id.value);
    std::ranges::sort(ids);
    (void)reach.takeIds();
    return ids;
}

Diagnostic failure(std::string message, std::string where = {})
{
    return {"link", std::move(where), std::move(message)};
}

const Instruction* findMemoryModel(const Module& module)
{
    const InstructionList& list = module.section(Section::MemoryModel);
    const auto found = std::ranges::find(list, spv::Op::OpMemoryModel, &Instruction::op);
    return found == list.end() ? nullptr : &*found;
}

}  // namespace

Result<Library> Library::create(Module module)
{
    if (Status sound = checkStructure(module); !sound)
        return sound.error();
    if (Status flat = dissolveDecorationGroups(module); !flat)
        return flat.error();
    const ReachIndex index(module);
    Reach reach(index);
    Library library;
    library.m_distinct = findDistinct(module);
    for (const Instruction& i : module.section(Section::Annotations)) {
        if (isDecoration(i, spv::Decoration::SpecId))
            library.m_specIds[i.id(0).value] = i.literal(2);
        if (isDecoration(i, spv::Decoration::BuiltIn))
            library.m_builtIns[i.id(0).value] = i.literal(2);
        if (!isLinkage(i, spv::LinkageType::Export))
            continue;
        const Function* function = module.findFunction(i.id(0));
        if (!function || function->blocks.empty())
            return failure("an export is no function with a body", i.string(2));
        if (!library.m_exports.try_emplace(i.string(2), Export{i.id(0), closure(reach, i.id(0))}).second)
            return failure("two exports of one name", i.string(2));
    }
    library.m_module = std::move(module);
    library.indexGlobals();
    return library;
}

void Library::indexGlobals()
{
    m_globals.assign(m_module.bound, 0);
    const InstructionList& globals = m_module.section(Section::Globals);
    for (uint32_t i = 0; i < globals.size(); ++i)
        if (globals[i].result)
            m_globals[globals[i].result.value] = i + 1;
}

const Instruction* Library::findGlobal(Id id) const
{
    const uint32_t place = id.value < m_globals.size() ? m_globals[id.value] : 0;
    return place == 0 ? nullptr : &m_module.section(Section::Globals)[place - 1];
}

bool Library::integerValue(Id constant, uint32_t& value) const
{
    const Instruction* i = findGlobal(constant);
    const Instruction* type = i ? findGlobal(i->type) : nullptr;
    const bool isKnown = type && type->op == spv::Op::OpTypeInt && type->literal(0) <= 32 &&
                         (i->op == spv::Op::OpConstant || i->op == spv::Op::OpSpecConstant);
    value = isKnown ? i->words[0] : 0;
    return isKnown;
}

// One linking of a library into a module. "Theirs" is the library's, "ours" the module's.
class Linker {
public:
    Linker(const Library& library, Module& module, std::span<const Library::Constant> constants)
        : m_library(library),
          m_theirs(library.m_module),
          m_ours(module),
          m_constants(constants),
          m_map(m_theirs.bound),
          m_needed(m_theirs.bound),
          m_merged(m_theirs.bound)
    {
    }

    Status run()
    {
        if (Status status = checkModels(); !status)
            return status;
        if (Status status = resolve(); !status)
            return status;
        indexOurs();
        copyList(Section::DebugStrings);
        copyImports();
        copyGlobals();
        if (Status status = checkTypes(); !status)
            return status;
        removeDeclarations();
        copyFunctions();
        copyList(Section::DebugNames);
        copyList(Section::Annotations);
        copyRequirements();
        completeInterfaces();
        if (m_mayFold)
            foldSpecConstants(m_ours);
        return {};
    }

private:
    struct Import {
        std::string name;
        Id declaration;  // ours
        Id function;     // theirs
    };

    Status checkModels() const
    {
        const Instruction* theirs = findMemoryModel(m_theirs);
        const Instruction* ours = findMemoryModel(m_ours);
        // What knows no pointers to memory can be anywhere.
        constexpr auto kLogical = static_cast<uint32_t>(spv::AddressingModel::Logical);
        const bool fits = theirs && ours && theirs->literal(1) == ours->literal(1) &&
                          (theirs->literal(0) == ours->literal(0) || theirs->literal(0) == kLogical);
        return fits ? Status() : Status(failure("the addressing or memory models differ"));
    }

    Status resolve()
    {
        for (const Instruction& i : m_ours.section(Section::Annotations)) {
            if (!isLinkage(i, spv::LinkageType::Import))
                continue;
            const std::string name = i.string(2);
            const auto found = m_library.m_exports.find(name);
            if (found == m_library.m_exports.end())
                return failure("nothing exports this function", name);
            const Library::Export& exported = found->second;
            if (m_map[exported.function.value] != 0)
                return failure("imported twice", name);
            m_map[exported.function.value] = i.id(0).value;
            m_merged[exported.function.value] = true;
            m_imports.push_back({name, i.id(0), exported.function});
            for (const uint32_t id : exported.needs)
                m_needed[id] = true;
        }
        return resolveVariables();
    }

    // Variables that they import, with the types that theirs and ours have by different ids.
    Status resolveVariables()
    {
        for (const Instruction& i : m_theirs.section(Section::Annotations)) {
            const Instruction* theirs =
                isLinkage(i, spv::LinkageType::Import) ? m_library.findGlobal(i.id(0)) : nullptr;
            if (!theirs || theirs->op != spv::Op::OpVariable || !isNeeded(theirs->result))
                continue;
            const Instruction* ours = findExported(i.string(2));
            if (!ours)
                return failure("nothing exports this variable", i.string(2));
            const Instruction* type = m_library.findGlobal(theirs->type);
            if (theirs->literal(0) != ours->literal(0) || !mergeType(type->id(1), m_ours.pointee(ours->type)))
                return failure("exported with another type", i.string(2));
            merge(theirs->result, ours->result);
        }
        return {};
    }

    const Instruction* findExported(const std::string& name) const
    {
        for (const Instruction& i : m_ours.section(Section::Annotations)) {
            const Instruction* variable = isLinkage(i, spv::LinkageType::Export) && i.string(2) == name
                                              ? m_ours.findDefinition(i.id(0))
                                              : nullptr;
            if (variable && variable->op == spv::Op::OpVariable)
                return variable;
        }
        return nullptr;
    }

    // Types of the same structure become one. Those with a layout are never the same here.
    bool mergeType(Id theirType, Id ourType)
    {
        if (m_merged[theirType.value])
            return m_map[theirType.value] == ourType.value;
        const Instruction& theirs = *m_library.findGlobal(theirType);
        const Instruction& ours = *m_ours.findDefinition(ourType);
        const bool isAlike = theirs.op == ours.op && theirs.operandCount() == ours.operandCount() &&
                             !m_library.m_distinct[theirType.value];
        for (size_t o = 0; isAlike && o < theirs.operandCount(); ++o)
            if (!mergeOperand(theirs, ours, o))
                return false;
        if (isAlike)
            merge(theirType, ourType);
        return isAlike;
    }

    bool mergeOperand(const Instruction& theirs, const Instruction& ours, size_t o)
    {
        uint32_t theirValue = 0, ourValue = 0;
        if (!theirs.isId(o))
            return theirs.literal(o) == ours.literal(o);
        if (theirs.op == spv::Op::OpTypeArray && o == 1) {
            return m_library.integerValue(theirs.id(o), theirValue) && m_ours.constantValue(ours.id(o), ourValue) &&
                   theirValue == ourValue;
        }
        return mergeType(theirs.id(o), ours.id(o));
    }

    static size_t hashOf(const Instruction& i)
    {
        size_t hash = static_cast<size_t>(i.op) * 31 + i.type.value;
        for (const uint32_t word : i.words)
            hash = hash * 0x9e3779b97f4a7c15u + word;
        return hash;
    }

    void remember(size_t index)
    {
        const Instruction& i = m_ours.section(Section::Globals)[index];
        if (isShared(i.op))
            m_known.emplace(hashOf(i), index);
    }

    void indexOurs()
    {
        const std::vector<bool> distinct = findDistinct(m_ours);
        const InstructionList& globals = m_ours.section(Section::Globals);
        m_known.reserve(globals.size() * 2);
        for (size_t g = 0; g < globals.size(); ++g)
            if (!globals[g].result || !distinct[globals[g].result.value])
                remember(g);
        for (const Instruction& i : m_ours.section(Section::Annotations))
            if (isDecoration(i, spv::Decoration::BuiltIn))
                m_builtIns.emplace(i.id(0).value, i.literal(2));
    }

    bool isNeeded(Id id) const { return m_needed[id.value]; }

    // The id that stands for one of theirs in our module, where it is defined or will be.
    Id mapped(Id theirs)
    {
        uint32_t& ours = m_map[theirs.value];
        if (ours == 0)
            ours = m_ours.newId().value;
        return Id{ours};
    }

    Instruction translated(const Instruction& theirs)
    {
        Instruction out = theirs;
        out.forEachUse([this](Id& id) { id = mapped(id); });
        return out;
    }

    void merge(Id theirs, Id ours)
    {
        m_map[theirs.value] = ours.value;
        m_merged[theirs.value] = true;
    }

    std::optional<Id> findShared(const Instruction& wanted) const
    {
        const InstructionList& globals = m_ours.section(Section::Globals);
        const auto [first, last] = m_known.equal_range(hashOf(wanted));
        std::optional<size_t> found;  // the first one, whatever the order of the table
        for (auto known = first; known != last; ++known) {
            const Instruction& i = globals[known->second];
            const bool isSame = i.op == wanted.op && i.type == wanted.type && i.words == wanted.words;
            if (isSame && (!found || known->second < *found))
                found = known->second;
        }
        return found ? std::optional(globals[*found].result) : std::nullopt;
    }

    std::optional<Id> findBuiltInInput(uint32_t builtIn, Id type) const
    {
        for (const Instruction& i : m_ours.section(Section::Globals)) {
            const auto known = isInput(i) && i.type == type ? m_builtIns.find(i.result.value) : m_builtIns.end();
            if (known != m_builtIns.end() && known->second == builtIn)
                return i.result;
        }
        return std::nullopt;
    }

    // A specialization constant that got its value; else the instruction as it is.
    void specialize(Instruction& global, Id theirs) const
    {
        const auto specId = m_library.m_specIds.find(theirs.value);
        if (specId == m_library.m_specIds.end())
            return;
        const auto constant = std::ranges::find(m_constants, specId->second, &Library::Constant::specId);
        if (constant == m_constants.end())
            return;
        if (global.op == spv::Op::OpSpecConstant) {
            global.op = spv::Op::OpConstant;
            global.setLiteral(0, constant->value);
        } else if (isBool(global.op)) {
            global.op = constant->value != 0 ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse;
        }
    }

    static bool isBool(spv::Op op) { return op == spv::Op::OpSpecConstantTrue || op == spv::Op::OpSpecConstantFalse; }

    static bool isOrdinary(spv::Op op)
    {
        return op == spv::Op::OpConstant || op == spv::Op::OpConstantTrue || op == spv::Op::OpConstantFalse;
    }

    // The id of ours that can stand for a global of theirs, already translated.
    std::optional<Id> findSame(const Instruction& global, Id theirs) const
    {
        if (const auto builtIn = m_library.m_builtIns.find(theirs.value);
            isInput(global) && builtIn != m_library.m_builtIns.end())
            return findBuiltInInput(builtIn->second, global.type);
        const bool hasDecoration = m_library.m_distinct[theirs.value] && !isOrdinary(global.op);
        return isShared(global.op) && !hasDecoration ? findShared(global) : std::nullopt;
    }

    void copyGlobal(const Instruction& theirs)
    {
        if (theirs.op == spv::Op::OpTypeForwardPointer) {
            if (isNeeded(theirs.id(0)))
                m_ours.section(Section::Globals).push_back(translated(theirs));
            return;
        }
        if (!theirs.result || !isNeeded(theirs.result))
            return;
        if (!m_merged[theirs.result.value])
            copyNewGlobal(theirs);
        if (theirs.op == spv::Op::OpVariable)
            m_variables.push_back(mapped(theirs.result));
    }

    void copyNewGlobal(const Instruction& theirs)
    {
        Instruction global = translated(theirs);
        specialize(global, theirs.result);
        m_mayFold |= global.op == spv::Op::OpSpecConstantOp || global.op == spv::Op::OpSpecConstantComposite;
        if (const std::optional<Id> same = findSame(global, theirs.result)) {
            merge(theirs.result, *same);
        } else {
            global.result = mapped(theirs.result);
            m_ours.section(Section::Globals).push_back(std::move(global));
            if (!m_library.m_distinct[theirs.result.value])
                remember(m_ours.section(Section::Globals).size() - 1);
        }
    }

    void copyGlobals()
    {
        for (const Instruction& i : m_theirs.section(Section::Globals))
            copyGlobal(i);
    }

    // Sets of extended instructions.
    void copyImports()
    {
        InstructionList& ours = m_ours.section(Section::ExtInstImports);
        for (const Instruction& i : m_theirs.section(Section::ExtInstImports)) {
            if (!isNeeded(i.result))
                continue;
            const auto same = std::ranges::find(ours, i.words, &Instruction::words);
            if (same != ours.end()) {
                merge(i.result, same->result);
            } else {
                ours.push_back(i);
                ours.back().result = mapped(i.result);
            }
        }
    }

    // What is said about ids: strings that they refer to, names, decorations.
    void copyList(Section section)
    {
        for (const Instruction& i : m_theirs.section(section)) {
            const Id subject = i.result ? i.result : i.operandCount() > 0 && i.isId(0) ? i.id(0) : Id{};
            const bool isGiven = isDecoration(i, spv::Decoration::SpecId) && isOrdinary(i.id(0));
            if (!subject || !isNeeded(subject) || m_merged[subject.value] || isGiven ||
                isLinkage(i, spv::LinkageType::Export))
                continue;
            Instruction copy = translated(i);
            if (i.result)
                copy.result = mapped(i.result);
            m_ours.section(section).push_back(std::move(copy));
        }
    }

    bool isOrdinary(Id theirs) const
    {
        const auto specId = m_library.m_specIds.find(theirs.value);
        return specId != m_library.m_specIds.end() &&
               std::ranges::find(m_constants, specId->second, &Library::Constant::specId) != m_constants.end();
    }

    Status checkTypes()
    {
        for (const Import& import : m_imports) {
            const Function* ours = m_ours.findFunction(import.declaration);
            const Function* theirs = m_theirs.findFunction(import.function);
            const bool isDeclaration = ours && ours->blocks.empty();
            if (!isDeclaration || ours->definition.id(1) != mapped(theirs->definition.id(1)))
                return failure("declared with another type than the library's", import.name);
        }
        return {};
    }

    void removeDeclarations()
    {
        const auto isImport = [this](Id id) {
            return std::ranges::any_of(m_imports, [&](const Import& import) { return import.declaration == id; });
        };
        std::erase_if(m_ours.functions, [&](const Function& f) { return isImport(f.id()); });
        m_ours.removeDecorations(
            [&](const Instruction& i) { return isLinkage(i, spv::LinkageType::Import) && isImport(i.id(0)); });
    }

    InstructionList copied(const InstructionList& theirs)
    {
        InstructionList out;
        out.reserve(theirs.size());
        for (const Instruction& i : theirs) {
            out.push_back(translated(i));
            if (i.result)
                out.back().result = mapped(i.result);
        }
        return out;
    }

    void copyFunctions()
    {
        for (const Function& theirs : m_theirs.functions) {
            if (!isNeeded(theirs.id()))
                continue;
            Function function;
            function.before = copied(theirs.before);
            function.definition = translated(theirs.definition);
            function.definition.result = mapped(theirs.id());
            function.parameters = copied(theirs.parameters);
            for (const auto& [index, loose] : theirs.beforeParameter)
                function.beforeParameter.emplace_back(index, copied({loose}).front());
            for (const Block& block : theirs.blocks)
                function.blocks.push_back({mapped(block.label), copied(block.body), copied(block.before)});
            function.after = copied(theirs.after);
            m_ours.functions.push_back(std::move(function));
        }
    }

    void copyRequirements()
    {
        m_ours.version = std::max(m_ours.version, m_theirs.version);
        for (const Instruction& i : m_theirs.section(Section::Capabilities))
            m_ours.addCapability(static_cast<spv::Capability>(i.literal(0)));
        for (const Instruction& i : m_theirs.section(Section::Extensions))
            m_ours.addExtension(i.string(0));
        const auto isLinked = [](const Instruction& i) { return isDecoration(i, spv::Decoration::LinkageAttributes); };
        if (std::ranges::none_of(m_ours.section(Section::Annotations), isLinked))
            m_ours.removeCapability(spv::Capability::Linkage);
    }

    void completeInterfaces()
    {
        for (Instruction& entryPoint : m_ours.section(Section::EntryPoints)) {
            for (const Id variable : m_variables) {
                bool listed = false;
                for (size_t o = 3; o < entryPoint.operandCount(); ++o)
                    listed = listed || entryPoint.id(o) == variable;
                if (!listed)
                    entryPoint.add(variable);
            }
        }
    }

    const Library& m_library;
    const Module& m_theirs;
    Module& m_ours;
    std::span<const Library::Constant> m_constants;
    std::vector<uint32_t> m_map;  // ids of theirs to ours, 0 if not met yet
    std::vector<bool> m_needed;   // ids of theirs
    std::vector<bool> m_merged;   // ids of theirs that stand for something that was ours already
    std::vector<Import> m_imports;
    std::unordered_multimap<size_t, size_t> m_known;    // shared globals of ours by hash
    std::unordered_map<uint32_t, uint32_t> m_builtIns;  // of ours
    std::vector<Id> m_variables;                        // of ours, that the library's functions use
    bool m_mayFold = false;
};

Status Library::linkInto(Module& module, std::span<const Constant> constants) const
{
    return Linker(*this, module, constants).run();
}

}  // namespace millrace::spirv
