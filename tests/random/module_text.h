// SPDX-License-Identifier: Apache-2.0
// SPIR-V assembly under construction: sections of a module, and a function body with structured control flow.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "random/graph_spec.h"
#include "random/random.h"

namespace millrace::random {

using Id = std::string;

class ModuleText {
public:
    ModuleText(Random& random, const ModuleSpec& spec) : m_random(random), m_spec(spec) {}

    Random& random() { return m_random; }
    const ModuleSpec& spec() const { return m_spec; }
    bool vulkanModel() const { return m_spec.vulkanMemoryModel; }

    Id newId(const std::string& prefix = "v") { return "%" + prefix + std::to_string(m_next++); }
    void capability(const std::string& name) { m_capabilities.insert(name); }
    void extension(const std::string& name) { m_extensions.insert(name); }
    void usePhysicalAddresses() { m_physical = true; }
    void entryPoint(const std::string& line) { m_entryPoints += line + "\n"; }
    void executionMode(const std::string& line) { m_modes += line + "\n"; }
    void decorate(const std::string& line) { m_decorations += line + "\n"; }
    void global(const std::string& line) { m_globals += line + "\n"; }
    void function(const std::string& text) { m_functions += text; }

    // Types and constants are made once.
    Id uintType(uint32_t bits = 32);
    Id floatType() { return once("float", "OpTypeFloat 32"); }
    Id boolType() { return once("bool", "OpTypeBool"); }
    Id voidType() { return once("void", "OpTypeVoid"); }
    Id vectorType(const Id& component, uint32_t count);
    Id arrayType(const Id& element, uint32_t length, uint32_t strideBytes);  // strideBytes 0: no explicit layout
    Id pointerType(const std::string& storage, const Id& pointee);
    Id functionType(const Id& result, const std::vector<Id>& parameters);
    Id constant(uint32_t value);
    Id boolConstant(bool value);
    Id longConstant(uint64_t value);
    Id stringConstant(const std::string& text);

    // A constant for an operand of the extension; may be a specialization constant with another default.
    Id operand(uint32_t value);
    const std::map<uint32_t, uint64_t>& specialization() const { return m_specialization; }

    // Variables that all nodes of the module share.
    Id outputBuffer();
    Id tableBuffer();
    Id pushConstants(uint32_t bytes);
    Id builtIn(const std::string& name, const Id& type);
    const std::set<Id>& interface() const { return m_interface; }
    void addInterface(const Id& id) { m_interface.insert(id); }
    void beginEntryPoint() { m_interface = m_sharedInterface; }

    // Library functions, written at their first use.
    Id mixFunction();
    Id reportFunction();
    Id reportAtAddressFunction(uint32_t pushConstantBytes);

    std::string text() const;

    // Memory operands and barrier semantics for workgroup memory, by memory model.
    std::string shared() const;
    Id barrierSemantics();

private:
    Id once(const std::string& key, const std::string& definition);
    Id bufferVariable(const std::string& key, uint32_t set, uint32_t binding, bool readOnly);

    Random& m_random;
    const ModuleSpec& m_spec;
    uint32_t m_next = 1;
    bool m_physical = false;
    std::set<std::string> m_capabilities, m_extensions;
    std::string m_entryPoints, m_modes, m_decorations, m_globals, m_functions;
    std::map<std::string, Id> m_known;
    std::map<uint32_t, uint64_t> m_specialization;
    std::set<Id> m_interface, m_sharedInterface;
};

// The body of one function.
class BodyText {
public:
    explicit BodyText(ModuleText& module) : m_module(module), m_block(module.newId("block")) {}

    ModuleText& module() { return m_module; }
    void line(const std::string& text) { m_text += text + "\n"; }
    Id op(const Id& type, const std::string& name, const std::string& operands);
    // 32-bit unsigned arithmetic.
    Id u(const std::string& name, const Id& a, const Id& b) { return op(m_module.uintType(), name, a + " " + b); }
    Id test(const std::string& name, const Id& a, const Id& b) { return op(m_module.boolType(), name, a + " " + b); }
    Id c(uint32_t value) { return m_module.constant(value); }
    Id mix(const Id& a, const Id& b);
    Id select(const Id& condition, const Id& a, const Id& b);
    Id load(const Id& type, const Id& pointer, const std::string& memory = "");
    void store(const Id& pointer, const Id& value, const std::string& memory = "");
    Id variable(const Id& type, const Id& initializer = "");  // Function storage; the variable's id
    Id chain(const std::string& storage, const Id& type, const Id& base, const std::string& indices);
    void atomicAdd(const Id& word, const Id& value);  // to a word of the output buffer
    void report(const Id& hash);
    void controlBarrier();

    void ifThen(const Id& condition, const std::function<void()>& then);
    void ifElse(const Id& condition, const std::function<void()>& then, const std::function<void()>& otherwise);
    // for (i = first; i < end; i += step)
    void loop(const Id& first, const Id& end, const Id& step, const std::function<void(const Id&)>& body);
    void returnIf(const Id& condition);

    // The text of the function; parameters are pairs of type and id.
    std::string finish(const Id& function, const Id& result, const std::vector<std::pair<Id, Id>>& parameters,
                       const std::string& terminator = "OpReturn");

private:
    void begin(const Id& block);

    ModuleText& m_module;
    Id m_block;
    std::string m_variables;
    std::string m_text;
    Id m_first = m_block;
};

}  // namespace millrace::random
