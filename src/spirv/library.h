// SPDX-License-Identifier: Apache-2.0
// Linking by copying: the functions that a module imports, with all that they need.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "spirv/module.h"

namespace millrace::spirv {

// Immutable once created; any number of threads may link at the same time.
class Library {
public:
    // Value of a specialization constant of 32 bits, or of a Boolean one, which is true if the value is not 0.
    struct Constant {
        uint32_t specId;
        uint32_t value;
    };

    // Errors: a module that is not sound, two exports of one name, an export that is no function with a body.
    static Result<Library> create(Module module);

    // Gives `module` the functions that it imports. Specialization constants of the library that `constants` names
    // become ordinary ones. Ensures: types and constants that both declare are there once, and so are builtin inputs;
    // every entry point lists the variables that it may have got; a function keeps the name that the module gave it.
    // The same arguments give the same module. A variable that the library imports is the one that the module exports
    // by that name. Errors: an import that the library (or, of a variable, the module) lacks or has with another type;
    // another addressing or memory model. The module is not to be used then.
    Status linkInto(Module& module, std::span<const Constant> constants = {}) const;

private:
    friend class Linker;

    struct Export {
        Id function;
        std::vector<uint32_t> needs;  // ids, the function included
    };

    // A type, constant or global variable; null for what is none. In place of Module::findDefinition() and what uses
    // it, which several threads must not call.
    const Instruction* findGlobal(Id id) const;
    void indexGlobals();
    bool integerValue(Id constant, uint32_t& value) const;

    Module m_module;
    std::vector<uint32_t> m_globals;  // by id: one more than where it is in its section
    std::map<std::string, Export> m_exports;
    std::unordered_map<uint32_t, uint32_t> m_specIds;   // by constant
    std::unordered_map<uint32_t, uint32_t> m_builtIns;  // by input variable
    std::vector<bool> m_distinct;                       // by id: decorated or announced, never the same as another
};

}  // namespace millrace::spirv
