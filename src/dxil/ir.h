// SPDX-License-Identifier: Apache-2.0
// What the front end sees of DXIL: a small IR of our own, so that the bitcode reader can be replaced (bitcode.h), and
// so that everything behind it can be built, tested and fuzzed without LLVM. It says what DXIL says, no more: opaque
// pointers, source element types on address computations, no attributes but those that DXIL gives a meaning.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace millrace::dxil {

struct Type {
    enum class Kind : uint8_t { Void, Int, Float, Pointer, Struct, Array, Vector, Other };
    Kind kind = Kind::Void;
    uint32_t bits = 0;          // Int, Float
    uint32_t addressSpace = 0;  // Pointer
    uint64_t count = 0;         // Array, Vector
    const Type* element = nullptr;
    std::vector<const Type*> members;
    std::string name;  // named structures

    bool isVoid() const { return kind == Kind::Void; }
    bool isInt() const { return kind == Kind::Int; }
    bool isInt(uint32_t width) const { return kind == Kind::Int && bits == width; }
    bool isFloat() const { return kind == Kind::Float; }
    bool isPointer() const { return kind == Kind::Pointer; }
    bool isStruct() const { return kind == Kind::Struct; }
    bool isArray() const { return kind == Kind::Array; }
    bool isVector() const { return kind == Kind::Vector; }
    bool isAggregate() const { return isStruct() || isArray(); }
    // The element of a vector, else the type itself.
    const Type& scalar() const { return isVector() ? *element : *this; }
    std::string text() const;
};

enum class Op : uint8_t {
    // Terminators.
    Return,
    Branch,
    ConditionalBranch,
    Switch,
    Unreachable,
    // Arithmetic.
    FNeg,
    Add,
    FAdd,
    Sub,
    FSub,
    Mul,
    FMul,
    UDiv,
    SDiv,
    FDiv,
    URem,
    SRem,
    FRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    // Conversions.
    Trunc,
    ZExt,
    SExt,
    FPToUI,
    FPToSI,
    UIToFP,
    SIToFP,
    FPTrunc,
    FPExt,
    BitCast,
    AddressSpaceCast,
    // Memory.
    Alloca,
    Load,
    Store,
    GetElementPtr,
    AtomicRmw,
    CompareExchange,
    // The rest.
    ICmp,
    FCmp,
    Phi,
    Select,
    Call,
    ExtractElement,
    InsertElement,
    ShuffleVector,
    ExtractValue,
    InsertValue,
    Freeze,
    Other,  // what DXIL does not allow; `text` names it
};

enum class Predicate : uint8_t {
    // Floats, in the order and with the numbers of LLVM.
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Uno,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    True,
    // Integers.
    Eq,
    Ne,
    UGt,
    UGe,
    ULt,
    ULe,
    SGt,
    SGe,
    SLt,
    SLe,
};

enum class Rmw : uint8_t { Exchange, Add, Sub, And, Or, Xor, Max, Min, UMax, UMin, Other };

struct Block;
struct Function;

struct Value {
    enum class Kind : uint8_t {
        Int,        // bits; of a type up to 64 bits
        Float,      // bits: the pattern
        Null,       // zero of any type
        Undef,      // undef and poison
        Aggregate,  // constant structure, array or vector: operands
        Global,     // pointer to a global variable: global
        Function,   // function
        Argument,
        Instruction,  // also constant expressions, which have no block
        Metadata,     // an operand that we never look at
    };
    Kind kind = Kind::Undef;
    Op op = Op::Other;
    Predicate predicate = Predicate::False;
    Rmw rmw = Rmw::Other;
    bool fast = false;     // instruction with fast-math flags, or one that cannot be contracted
    bool precise = false;  // call with !dx.precise
    uint32_t number = 0;   // of its function's values, for tables; constants have none
    const Type* type = nullptr;
    uint64_t bits = 0;
    std::vector<Value*> operands;       // of a call: the arguments
    std::vector<Block*> blocks;         // targets of a terminator, default first; incoming blocks of a phi
    std::vector<int32_t> indices;       // ExtractValue, InsertValue; mask of ShuffleVector, -1 is undefined
    std::vector<uint64_t> cases;        // Switch: value of target 1 + i
    const Type* elementType = nullptr;  // Alloca: what; GetElementPtr: source element type
    struct Global* global = nullptr;
    Function* function = nullptr;  // Function; the callee of a call
    Block* parent = nullptr;
    std::string text;  // name of the value, or of an operation that is not allowed

    bool isInstruction(Op which) const { return kind == Kind::Instruction && op == which; }
    bool isConstantInt() const { return kind == Kind::Int || (kind == Kind::Null && type->isInt()); }
    bool isUndef() const { return kind == Kind::Undef; }
    bool isTerminator() const { return kind == Kind::Instruction && op <= Op::Unreachable; }
};

struct Global {
    std::string name;
    const Type* type = nullptr;  // of what it points to
    uint32_t addressSpace = 0;
    bool isConstant = false;
    Value* initializer = nullptr;  // none for external ones; Undef is common for groupshared
};

// Instructions in order; phis first, one terminator last.
struct Block {
    std::vector<Value*> instructions;
    uint32_t number = 0;
    Value* terminator() const { return instructions.back(); }
};

struct Function {
    std::string name;
    const Type* resultType = nullptr;
    std::vector<Value*> arguments;
    std::vector<Block*> blocks;  // empty for a declaration; the first is the entry
    uint32_t valueCount = 0;     // bound of Value::number
};

// A node of metadata. Strings and values are leaves.
struct Metadata {
    enum class Kind : uint8_t { Null, String, Value, Node };
    Kind kind = Kind::Null;
    std::string string;
    const Value* value = nullptr;
    std::vector<const Metadata*> operands;

    // Null-safe steps, so that a malformed tree reads as absent.
    const Metadata* at(size_t index) const;
    bool isNull() const { return kind == Kind::Null; }
    bool number(uint64_t& out) const;
    uint64_t numberOr(uint64_t fallback) const;
};

struct Module {
    std::vector<std::unique_ptr<Function>> functions;
    std::vector<std::unique_ptr<Global>> globals;
    std::vector<std::pair<std::string, const Type*>> structs;                // all named ones
    std::unordered_map<std::string, std::vector<const Metadata*>> metadata;  // by name, what the front end asks for
    std::vector<std::string> metadataNames;                                  // all
    bool minPrecision = false;  // 16-bit types stand for 32-bit ones of which 16 bits matter

    // Storage; pointers into them stay valid.
    std::deque<Type> types;
    std::deque<Value> values;
    std::deque<Block> blocks;
    std::deque<Metadata> nodes;

    Value* newValue(Value::Kind kind, const Type* type);
    Value* newInstruction(Function& function, Op op, const Type* type);
    Block* newBlock(Function& function);
    const Function* findFunction(std::string_view name) const;
    const Type* findStruct(std::string_view name) const;
    const Metadata* named(std::string_view name, size_t index = 0) const;  // null if absent
};

const char* opText(Op op);

}  // namespace millrace::dxil
