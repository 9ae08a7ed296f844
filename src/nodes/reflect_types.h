// SPDX-License-Identifier: Apache-2.0
// Types of a SPIR-V module with an explicit layout as data types, under the names that the shader gives.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "data/data_type.h"
#include "shader/layout_decorations.h"
#include "spirv/module.h"

namespace millrace::nodes {

using data::DataTypeRef;

// What members without a name are called: "member2", or "@8" if that is their offset in the structure.
enum class NamelessMembers { Number, Offset };

class TypeReflection {
public:
    explicit TypeReflection(const spirv::Module& module, NamelessMembers nameless = NamelessMembers::Number);

    // Null, with the reason, for types that cannot be in memory or lack their layout.
    DataTypeRef reflect(spirv::Id type, std::string& error);

    // OpName or OpMemberName, empty if stripped.
    std::string memberName(spirv::Id structure, uint32_t member) const;

private:
    struct Decorations : shader::MemberLayout {
        bool isFloat = false;  // integers that stand for floats: decorated UserSemantic "float"
    };
    DataTypeRef reflectMember(spirv::Id type, const Decorations& member, uint32_t depth);
    DataTypeRef reflectAt(spirv::Id type, const Decorations& member, uint32_t depth);
    DataTypeRef reflectStructure(const spirv::Instruction& type, uint32_t depth);
    DataTypeRef reflectArray(const spirv::Instruction& type, const Decorations& member, uint32_t depth);
    DataTypeRef reflectMatrix(const spirv::Instruction& type, const Decorations& member, uint32_t depth);
    DataTypeRef fail(const std::string& why);

    const spirv::Module& m_module;
    const shader::LayoutDecorations m_decorations;
    const NamelessMembers m_nameless;
    // By structure and index.
    std::set<std::pair<uint32_t, uint32_t>> m_floats;
    std::map<std::pair<uint32_t, uint32_t>, std::string> m_names;
    std::string m_error;
};

// The type of the payloads that an entry point receives, nameless members by offset. Null if it receives none, or what
// it says cannot be read.
DataTypeRef reflectPayload(const spirv::Module& module, const std::string& entryPoint);

struct SentPayload {
    std::string target;  // name of the node
    DataTypeRef type;    // nameless members by offset
};
// What an entry point, or a function that it calls, allocates payloads of, each type once. Types whose layout cannot be
// read, and empty ones, are left out.
std::vector<SentPayload> reflectSentPayloads(const spirv::Module& module, const std::string& entryPoint);

}  // namespace millrace::nodes
