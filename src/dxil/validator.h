// SPDX-License-Identifier: Apache-2.0
// The validator behind validate.h. One class over several files: validate.cpp (the module), validate_types,
// validate_instructions, validate_operations.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "dxil/container.h"
#include "dxil/operation_table.h"
#include "dxil/program.h"
#include "dxil/validate.h"

namespace millrace::dxil {

class Validator {
public:
    Validator(const Container& container, const Module& module, const ProgramInfo& info)
        : m_container(container), m_module(module), m_info(info)
    {
    }
    std::vector<Violation> run();

private:
    // validate.cpp
    void checkVersion();
    void checkMetadata();
    void checkResources();
    void checkGlobals();
    void checkDeclaration(const Function& function);
    void checkFunction(const Function& function);
    void report(std::string_view rule, std::string message);
    bool isLibrary() const { return m_container.kind == ShaderKind::Library; }
    bool isBefore(uint32_t minor) const { return m_container.major == 6 && m_container.minor < minor; }
    std::string shaderModel() const;
    ShaderKind kindOf(const Function& function) const;

    // validate_types.cpp
    // A type of memory: variables, what is loaded and stored, what addresses lead to.
    bool checkType(const Type& type, bool isInner = false);
    bool checkStruct(const Type& type);
    bool checkVector(const Type& type);
    void checkIntWidth(const Type& type);
    // The type of a value outside of memory.
    void checkValueType(const Type& type);
    void checkDeclaredType(const Type& type, const std::string& where);
    uint64_t sizeOf(const Type& type) const;
    uint64_t alignOf(const Type& type) const;
    bool isOperationStruct(const Type& type) const;

    // validate_instructions.cpp
    void checkInstruction(const Value& i);
    bool isAllowed(const Value& i);
    void checkUndef(const Value& i);
    void checkAddress(const Value& i);
    void checkSharedPointer(const Value& i);
    void checkDivision(const Value& i);
    void checkAtomic(const Value& i);
    void checkExtractValue(const Value& i);
    std::string place() const;

    // validate_operations.cpp
    void checkCall(const Value& call);
    void checkOperation(const Value& call, const Operation& operation);
    bool checkOverload(const Value& call, const Operation& operation, const Type*& overload);
    bool checkSignature(const Value& call, const Operation& operation, const Type* overload);
    bool matches(char code, const Type& type, const Type* overload) const;
    static bool isCarryRet(const Type& type, const Type& overload);
    bool isResRet(const Type& type, const Type& overload) const;
    void checkBufferAccess(const Value& call, bool isStore, size_t alignOperand);
    void checkCoordinates(ResourceKind kind, const Value& offset);
    bool resourceOf(const Value& handle, Resource& out) const;

    const Container& m_container;
    const Module& m_module;
    const ProgramInfo& m_info;
    std::vector<Violation> m_violations;
    std::unordered_set<std::string> m_reported;  // rules by place, each told once
    const Function* m_function = nullptr;
    const Value* m_instruction = nullptr;
};

}  // namespace millrace::dxil
