// SPDX-License-Identifier: Apache-2.0
// Emits one entry point as a module. One class over several files: emitter.cpp (module, functions, blocks),
// emit_values, emit_long_vectors, emit_memory, emit_aggregates, emit_math, emit_handles, emit_descriptors,
// emit_buffers, emit_textures, emit_waves, emit_nodes, emit_mesh, emit_graphics, emit_rare.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "dxil/bindings.h"
#include "dxil/builder.h"
#include "dxil/control_flow.h"
#include "dxil/kept_handles.h"
#include "dxil/program.h"

namespace millrace::dxil {

// A place in memory that SPIR-V can only tell as a variable and indices.
struct Pointer {
    Id base;
    spv::StorageClass storage = spv::StorageClass::Function;
    const Type* type = nullptr;  // at that place
    std::vector<Id> indices;
    std::vector<const Type*> within;  // the type that each index is an index of
    enum class Form : uint8_t { Plain, AsIntegers, Record } form = Form::Plain;
};

// A descriptor, or one of an array of them.
struct Handle {
    Resource resource;  // or the range of the root signature that it is a part of
    Resource declared;  // as the program has it
    Place place;
    Id index;  // into the array, if it is one
    bool nonUniform = false;
    bool isHeap = false;
    bool isPart = false;  // of an array that holds other resources too
};

// An output of a node, or one of an array.
struct OutputHandle {
    uint32_t output = 0;
    Id index;  // none: 0
};

// Records: the input, or what was allocated.
struct RecordHandle {
    bool isInput = false;
    bool isNull = false;
    uint32_t output = 0;
    Id pointer;
    bool isVariable = false;  // of the function, which stands for one of several
    Id valid;                 // whether it is not null, where that is not known
};

// What an IR value is in SPIR-V. Vectors of more than four elements are several parts of up to four, unless they stay
// whole; long ones are arrays.
struct Val {
    std::vector<Id> parts;
    Id array;                 // a variable of the function
    std::vector<Val> fields;  // of structures
    std::shared_ptr<const Pointer> pointer;
    std::shared_ptr<const Handle> handle;
    std::shared_ptr<const OutputHandle> output;
    std::shared_ptr<const RecordHandle> record;

    Val() = default;
    Val(Id id) : parts{id} {}
    Id id() const { return parts.empty() ? Id{} : parts[0]; }
};

// The operation that a call of a function of DXIL is.
inline uint32_t opcodeOf(const Value& call)
{
    return static_cast<uint32_t>(call.operands[0]->bits);
}

inline constexpr uint32_t kMaxVectorSize = 1024;  // of native vectors

struct EmitterOptions {
    Bindings bindings;
    bool wholeVectors = false;
    uint32_t splitUpTo = 16;  // elements of vectors; those of more are arrays
};

class Emitter {
public:
    Emitter(Module& module, const ProgramInfo& info, const EntryPoint& entry, const EmitterOptions& options);
    // `structures` has each function that the entry point reaches.
    Status run(const std::unordered_map<const Function*, Structure>& structures);
    spirv::Module& module() { return m_b.module(); }
    std::string entryPointName() const;
    bool hasPayloadAtomics() const { return m_hasPayloadAtomics; }

private:
    using Handler = void (Emitter::*)(const Value& call);
    using Form = Pointer::Form;

    // emitter.cpp
    Id unsupported(const std::string& what);  // the first is the result of run()
    std::string place() const;
    void prepare();
    void findUses(const Value& instruction);
    void declareEntryPoint(Id function);
    void declareExecutionModes(Id function);
    void emitLibrary();
    const Type* pointeeOf(const Function& function, const Value& argument) const;
    std::vector<Id> declareParameters(const Function& function, spirv::Function& out, std::vector<Val>& values);
    Id valueType(const Type& type);
    Id resultType(const Type& type);
    void takeArgumentsApart();
    Id emitFunction(const Function& function, const Structure& structure);
    void emitBlock(const Block& block, const Structure& structure, spirv::Function& out);
    void emitTerminator(const Block& block, const Structure& structure);
    void emitSwitch(const Value& last, Id condition, const Construct& construct);
    void emitInstruction(const Value& i);
    void dispatch(const Value& i);
    void emitCall(const Value& i);
    void copyArgument(const Pointer& to, const Pointer& from, const Type& pointee);
    void emitFunctionCall(const Value& i, const Structure& structure);
    void emitOperation(const Value& i, uint32_t opcode);  // operations.cpp
    void checkOperation(const Value& i);
    static Handler handlerOf(uint32_t opcode);
    Id builtIn(spv::BuiltIn which, Id type);  // loaded
    Id builtInVariable(spv::BuiltIn which, Id type);
    void set(const Value& i, Val value);
    Id local(Id type);  // a variable of the function in work
    // A selection in the middle of a block: openIf() begins its body, closeIf() what follows.
    Id openIf(Id condition);
    void closeIf(Id merge);
    Id beginBlock(Id label);  // a new current block

    // emit_values.cpp
    Id scalarType(const Type& type);
    Id partType(const Type& type, size_t part);
    size_t partCount(const Type& type) const;
    uint32_t partSize(const Type& type, size_t part) const;
    uint32_t registerBits(const Type& scalar) const;
    Val get(const Value* value);
    Id getId(const Value* value) { return get(value).id(); }
    Id getUint(const Value* value);  // 32 bits, zero-extended
    std::optional<uint64_t> constantOf(const Value* value) const;
    Val constantOfType(const Type& type, uint64_t bits);  // in every element
    size_t arrayFields(const Type& type);
    Val zero(const Type& type);
    Val undef(const Type& type);
    Val aggregate(const Value& value);
    Id element(const Type& type, const Val& value, uint32_t index);
    Val assemble(const Type& type, const std::vector<Id>& elements);
    Id dynamicElement(const Value& i);
    bool isIndexed(const Value& i) const;
    Id indexedCopy(const Value* vector);  // a variable that is an array
    Id storeIndexed(const Value* vector);
    Val insertDynamic(const Value& i);
    void emitBinary(const Value& i);
    void emitBooleanBinary(const Value& i);
    void emitConversion(const Value& i);
    Id convert(const Value& i, Id to, Id from, Id value);
    void emitBitcast(const Value& i);
    Val regroup(const Type& to, const Type& from, const Val& value);
    void emitCompare(const Value& i);
    Id compareOrdered(const Value& i, Id boolean, Id a, Id b);
    void emitVectorInstruction(const Value& i);
    void emitExtractValue(const Value& i);
    // Emits `op` for each part of the result, with the parts of all operands.
    void emitParts(const Value& i, spv::Op op, std::initializer_list<const Value*> operands, bool precise);
    void noContraction(Id id, bool precise);

    // emit_long_vectors.cpp
    struct LongUse {
        const Value* user = nullptr;
        uint32_t count = 0;
        uint32_t done = 0;
        bool isLocal = true;  // all users are in the block of the value
    };
    struct LongPhi {
        Id value, incoming;
    };
    bool isLong(const Type& type) const;
    bool concernsLong(const Value& i) const;
    bool isElementwise(const Value& i) const;
    bool readsInOrder(const Value& i) const;
    void findLongUses(const Value& user);
    bool isFused(const Value& i) const;
    uint32_t elementCount(const Type& type) const;  // that an instruction is about: 1 in a loop over elements
    Id longArrayType(const Type& type);
    Id longVariable(const Type& type);
    void releaseOperands(const Value& user);
    Id longArray(const Value& value);
    Id longElementPointer(Id array, const Type& scalar, Id index);
    void storeLongElement(Id array, const Type& scalar, Id value);
    Id loadLongElement(const Value& value, Id index);
    Val currentElement(const Value& value);
    Id constantElement(const Value& value);
    Id forEachElement(const Type& type, Id carriedType, Id initial, const std::function<Id(Id)>& body);
    void forEachElement(const Type& type, const std::function<void()>& body);
    void setLong(const Value& i, Id array);
    void emitLong(const Value& i);
    void longElementwise(const Value& i);
    Id longIndex(const Type& type, const Value* index);
    void longInsert(const Value& i);
    Id elementAt(const Value& vector, uint32_t index);
    void longShuffle(const Value& i);
    void longRegroup(const Value& i);
    void longMemory(const Value& i);
    void longLoaded(const Value& i);
    void longOperation(const Value& i);
    void longBufferLoad(const Value& call);
    void longBufferStore(const Value& call);
    void longReduce(const Value& call, uint32_t opcode);
    LongPhi& longPhi(const Value& phi);
    void copyLong(const Type& type, Id to, const Value& from);
    void storeLongPhis(const Block& block, const Structure& structure);
    void takeLongPhis(const Block& block, const Structure& structure);

    // emit_merges.cpp
    struct Phi {
        const Value* value;
        std::vector<uint32_t> path;  // members, of a structure
        std::vector<Id> ids;
    };
    struct Copy {  // of a handle, at the end of a block
        const Block* block;
        Id type, from, to;
    };
    Val phiOf(const Value& i, const Type& type, std::vector<uint32_t> path);
    void emitPhi(const Value& i);
    void emitSelect(const Value& i);
    bool canMerge(const std::vector<Val>& values) const;
    std::vector<Id> indicesOf(const Val& value);
    static Val withIndices(const Val& value, const std::vector<Id>& indices);
    void mergePhi(const Value& i);
    bool mergeSameHandle(const Value& i);
    bool mergeAroundLoop(const Value& i);
    void makeAgain(const Value& handle);
    void selectRecords(const Value& i, const RecordHandle& a, const RecordHandle& b);
    void mergeSelect(const Value& i);
    void mergeRecords(const Value& i, const std::vector<Val>& values, const std::vector<size_t>& edges);
    void completePhis();
    void completeCopies();

    // emit_memory.cpp
    Id memoryType(const Type& type, Form form);
    Id recordStruct(const Type& type);
    uint32_t layoutSize(const Type& type) const;  // as HLSL lays out records
    uint32_t layoutAlign(const Type& type) const;
    static bool isArrayInMemory(const Type& vector) { return vector.count == 1 || vector.count > 4; }
    Val globalPointer(const Global& global);
    Id constantInMemory(const Value& value, const Type& type);
    void emitAlloca(const Value& i);
    Val address(const Value& i);
    Val elementOfResource(const Value& i, const Handle& base);
    Pointer descend(Pointer pointer, const Type* access);
    Id chain(const Pointer& pointer, Id& type);
    void emitLoad(const Value& i);
    void emitStore(const Value& i);
    Val loadFrom(Pointer pointer, const Type& type);
    void storeTo(Pointer pointer, const Type& type, const Val& value);
    void emitRmw(const Value& i);
    void emitCompareExchange(const Value& i);
    Id atomicPointer(const Value& i, const Type& type, uint32_t& scope);

    // emit_aggregates.cpp
    bool hasFewParts(const Type& type) const;
    bool findScalarPlaces(const Pointer& from, size_t count, size_t& budget, std::vector<Pointer>& out);
    std::vector<Pointer> scalarPlaces(const Pointer& from, const Type& type, std::vector<const Type*>& scalars);
    Val fromScalars(const Type& type, std::span<const Id>& scalars);
    void toScalars(const Type& type, const Val& value, std::vector<Id>& out);
    Val loadAggregate(const Pointer& from, const Type& type);
    void storeAggregate(const Pointer& to, const Value& value);
    void copyScalars(const Pointer& to, const Pointer& from, const Type& type);
    Id compose(const Type& type, const Val& value);
    Val decompose(const Type& type, Id value);

    // emit_math.cpp
    void opUnary(const Value& call);
    void opRound(const Value& call);
    void opSpecialFloat(const Value& call);
    void opSaturate(const Value& call);
    void opBits(const Value& call);
    void opBinary(const Value& call);
    void opTwoOuts(const Value& call);
    void opCarry(const Value& call);
    void opMad(const Value& call);
    void opMsad(const Value& call);
    void opBitField(const Value& call);
    void opBitInsert(const Value& call);
    void opDot(const Value& call);
    void opVectorDot(const Value& call);
    void opVectorReduce(const Value& call);
    void opDot2AddHalf(const Value& call);
    void opDot4Add(const Value& call);
    void opMakeDouble(const Value& call);
    void opSplitDouble(const Value& call);
    void opBitcast(const Value& call);
    void opLegacyHalf(const Value& call);
    void opLegacyDouble(const Value& call);
    void opPack(const Value& call);
    void opUnpack(const Value& call);
    Id bitCount(Id type, Id value);
    Id lowestBit(Id type, Id value);
    Id highestBit(Id type, Id value, bool isSigned);
    Id reverseBits(Id type, Id value);
    Id toUint(Id type, Id value);    // a scalar or vector to 32-bit unsigned elements of the same count
    Id like(Id component, Id type);  // a type of as many components as `type`
    Val mapParts(const Value& i, const Type& operandType, const Val& operand, Id (Emitter::*map)(Id, Id));

    // emit_handles.cpp, emit_descriptors.cpp, emit_buffers.cpp
    void opCreateHandle(const Value& call);
    void opCreateHandleFromBinding(const Value& call);
    void opCreateHandleForLib(const Value& call);
    void opCreateHandleFromHeap(const Value& call);
    void opAnnotateHandle(const Value& call);
    Val handleOf(const Resource& resource, Id registerIndex, bool isRelative, bool nonUniform);
    Val handleInHeap(Id index, bool isSampler, bool nonUniform) const;
    Val loadHandle(const Pointer& from, const Value& address);
    void storeHandle(const Pointer& to, const Value& address, const Value& stored);
    bool holdsHeapHandles(const Value& address, bool& isSampler);
    Val heapHandle(const Handle& described, Id registerIndex, bool isRelative, bool nonUniform);
    std::shared_ptr<const Handle> getHandle(const Value* value);
    const Resource* findResource(ResourceClass resourceClass, uint32_t space, uint32_t lowerBound) const;
    struct Descriptor {
        Id variable;
        Id pointee;  // type of one descriptor
        bool isArray = false;
    };
    enum class View : uint8_t {
        Words16,
        Words32,
        Words64,
        Constants,
        Counter,
        Image,
        ImageAtomic,
        ImageAtomic64,
        ImageDepth,
        Sampler
    };
    static bool isImageView(View view) { return view >= View::Image; }
    Descriptor descriptor(const Handle& handle, View view);
    Id descriptorPointee(const Handle& handle, View view, spv::StorageClass& storage);
    Id descriptorPointer(const Handle& handle, View view, spv::StorageClass& storage, Id& pointee);
    Id elementPointer(const Handle& handle, View view, Id index, Id& type);
    Id loadWord(const Handle& handle, Id wordIndex);
    Id rootWord(const Place& place, Id index);
    Id addressedBuffer(const Handle& handle, View view, Id& pointee);
    Id loadThrough(const Handle& handle, Id type, Id pointer);
    void storeThrough(const Handle& handle, Id type, Id pointer, Id value);
    Id byteOffset(const Handle& handle, const Value* index, const Value* offset);
    // One element of a type at a byte offset + `extra` of a raw or structured buffer.
    Id loadElement(const Handle& handle, const Type& type, Id offset, uint32_t extra);
    void storeElement(const Handle& handle, const Type& type, Id offset, uint32_t extra, Id value);
    static uint32_t bufferBytes(const Type& type, bool minPrecision);
    void opRawBufferLoad(const Value& call);
    void opRawBufferStore(const Value& call);
    void opBufferLoad(const Value& call);
    void opBufferStore(const Value& call);
    void opRawBufferVectorLoad(const Value& call);
    void opRawBufferVectorStore(const Value& call);
    void loadFields(const Value& call, const Handle& handle, Id offset);
    void storeFields(const Value& call, const Handle& handle, Id offset, size_t firstValue, uint32_t mask);
    void opCBufferLoad(const Value& call);
    void opCBufferLoadLegacy(const Value& call);
    Id constantWord(const Handle& handle, Id row, uint32_t column);
    void opAtomicBinOp(const Value& call);
    void opAtomicCompareExchange(const Value& call);
    Id resourceAtomicPointer(const Value& call, Id& type);
    void opBufferUpdateCounter(const Value& call);
    void opCheckAccessFullyMapped(const Value& call);
    void opGetDimensions(const Value& call);
    void nonUniform(const Handle& handle, Id id);

    // emit_textures.cpp
    Id texelType(const Resource& resource);
    Id imageType(const Handle& handle, View view);
    Id loadImage(const Handle& handle, View view, Id& type);
    Id sampledImage(const Value& call, const Handle& image, bool depth);
    uint32_t coordinateCount(ResourceKind kind) const;
    Id texelFromFields(const Value& call, size_t first, const Handle& handle);
    // Emits a read of an image, in its sparse form if the program asks whether the texels are there.
    void emitTexel(const Value& call, const Handle& handle, spirv::Instruction read, bool isScalar);
    void setTexel(const Value& call, const Handle& handle, Id texel, Id status, bool isScalar);
    Id vectorOf(Id type, const Value& call, size_t first, uint32_t count);
    Id texelOffsets(const Value& call, size_t first, uint32_t count, bool& isConstant);
    void readTexel(const Value& call, const Handle& handle, Id coordinates, const Value* levelOrSample);
    void writeTexel(const Value& call, const Handle& handle, Id coordinates, size_t firstValue, const Value* sample);
    void needDerivatives();
    void typedBufferLoad(const Value& call, const Handle& handle);
    void typedBufferStore(const Value& call, const Handle& handle);
    void opTextureLoad(const Value& call);
    void opTextureStore(const Value& call);
    void opSample(const Value& call);
    void addSampleOperands(const Value& call, const Handle& handle, size_t next, spirv::Instruction& out);
    void opTextureGather(const Value& call);
    void opCalculateLod(const Value& call);
    Val imageDimensions(const Handle& handle, const Value* level);

    // emit_waves.cpp
    Id subgroup();  // the scope
    void opBarrier(const Value& call);
    void opBarrierByMemory(const Value& call);
    void emitBarrier(uint32_t memoryFlags, bool sync, spv::Scope scope);
    void opWaveQuery(const Value& call);
    void opWaveVote(const Value& call);
    void opWaveBallot(const Value& call);
    void opWaveAllEqual(const Value& call);
    void opWaveRead(const Value& call);
    void opWaveArithmetic(const Value& call);
    void opWaveBits(const Value& call);
    void opWaveCount(const Value& call);
    void opWaveMatch(const Value& call);
    void opWaveMultiPrefix(const Value& call);
    void opWaveMultiPrefixCount(const Value& call);
    void opQuadRead(const Value& call);
    void opQuad(const Value& call);
    void opQuadVote(const Value& call);
    Id waveOperation(spv::Op op, Id type, spv::GroupOperation operation, Id value);
    Id ballotOf(Id condition);
    void setBallot(const Value& call, Id ballot);
    Id countBallot(Id ballot, spv::GroupOperation operation);
    Id maskOf(const Value& call);
    Id shuffled(Id type, Id value, Id lane);
    std::vector<Id> forEachLane(const std::vector<Id>& types, const std::vector<Id>& initial,
                                const std::function<std::vector<Id>(Id, const std::vector<Id>&)>& body);
    void opDerivative(const Value& call);
    void opThreadId(const Value& call);
    void opFlattenedId(const Value& call);

    // emit_rare.cpp
    Val samplePosition(Id count, Id index);
    void opSamplePosition(const Value& call);
    void opTempRegister(const Value& call);
    void opMinPrecisionRegister(const Value& call);
    void opCycleCounter(const Value& call);
    void opIsHelperLane(const Value& call);
    void opDrawStart(const Value& call);

    // emit_nodes.cpp
    void declareNode(Id function);
    Id outputArray(uint32_t output);
    void inputVariable();
    Id payloadArray(const NodeIo& io, const Type* type);
    Id recordType(const NodeIo& io, const Type* type);
    Id opaqueRecord(const NodeIo& io);
    void decorateGrid(Id structType, const Type& type, const GridMember& grid, uint32_t baseBytes);
    bool haveSameLayout(const Type& a, const Type& b) const;
    Id allocate(const OutputHandle& output, Id count, bool perThread);
    void findRecordTypes(const Function& function);
    std::shared_ptr<const RecordHandle> recordOf(const Value* value);
    std::shared_ptr<const OutputHandle> outputOf(const Value* value);
    void opCreateNodeOutput(const Value& call);
    uint32_t outputAt(uint32_t output, std::optional<uint64_t> index);
    void opIndexNode(const Value& call);
    void opAnnotateNode(const Value& call);
    void opCreateNodeInput(const Value& call);
    void opAllocateRecords(const Value& call);
    void opRecordPointer(const Value& call);
    void opIncrementOutput(const Value& call);
    void opOutputComplete(const Value& call);
    void opRecordCount(const Value& call);
    void opFinishedSharing(const Value& call);
    void opOutputIsValid(const Value& call);
    void opRemainingRecursion(const Value& call);

    // emit_mesh.cpp
    struct MeshOutput {
        Id variable;
        Id component;                    // type of a scalar
        std::optional<uint32_t> member;  // of the block of built-ins
        uint32_t firstDistance = 0;      // of all clip or cull distances, that of the element
    };
    void declareMesh(Id function);
    Id taskMain(Id body);
    void opSetMeshOutputs(const Value& call);
    void opEmitIndices(const Value& call);
    void opMeshPayload(const Value& call);
    void opStoreMeshOutput(const Value& call);
    void opDispatchMesh(const Value& call);
    void opViewId(const Value& call);
    const SignatureElement* elementOf(const Value& call) const;
    const MeshOutput& meshOutput(const SignatureElement& element, bool isPrimitive);
    std::vector<const SignatureElement*> builtInsOf(bool isPrimitive) const;
    Id builtInMember(const SignatureElement& element);
    Id builtInBlock(bool isPrimitive);
    MeshOutput builtInOutput(const SignatureElement& element, bool isPrimitive);
    Id outputComponent(const SignatureElement& element);
    Id outputValue(const SignatureElement& element, Id component, const Value& value);
    std::vector<const Value*> storesOfRow(const Value& call, uint32_t column, uint32_t columns);
    uint32_t locationOf(const SignatureElement& element, bool isPrimitive) const;
    Id payloadVariable(const Type& type);
    void copyMemory(const Pointer& to, const Pointer& from);

    // emit_graphics.cpp
    struct StageVariable {
        Id variable;
        Id component;           // type of a scalar
        uint32_t elements = 1;  // of an array, or none
        uint32_t columns = 1;
        uint32_t first = 0;  // element that is the first of the signature's
    };
    void declareGraphicsModes(Id function);
    void opLoadInput(const Value& call);
    void opStoreOutput(const Value& call);
    void opDiscard(const Value& call);
    const StageVariable& stageVariable(const SignatureElement& element, bool isInput);
    void decorateStageVariable(const SignatureElement& element, bool isInput, Id variable);
    std::optional<spv::BuiltIn> graphicsBuiltIn(SemanticKind kind, bool isInput) const;
    Id stagePointer(const StageVariable& variable, bool isInput, Id row, uint32_t column);
    std::optional<Id> inputOfVulkan(const SignatureElement& element, uint32_t column);

    Module& m_ir;
    const ProgramInfo& m_info;
    const EntryPoint& m_entry;
    const EmitterOptions& m_options;
    const uint32_t m_partSize;  // elements of a vector that are one part
    const uint32_t m_longFrom;  // vectors of more are arrays
    Builder m_b;
    std::optional<Diagnostic> m_error;
    bool m_hasPayloadAtomics = false;

    // The function in work.
    const std::unordered_map<const Function*, Structure>* m_structures = nullptr;
    const Function* m_function = nullptr;
    const Value* m_instruction = nullptr;
    spirv::Function* m_out = nullptr;
    spirv::InstructionList m_locals;
    std::vector<Val> m_values;
    std::vector<Phi> m_phis;
    std::vector<Copy> m_copies;
    std::unordered_map<const Block*, Id> m_labels;
    std::unordered_map<const Block*, Id> m_ends;  // label of the last SPIR-V block of an IR block
    Id m_label;                                   // of the current SPIR-V block
    std::unordered_map<const Value*, uint32_t> m_usedFields;
    std::unordered_set<const Value*> m_dead;     // of all functions, see findDeadMemory()
    KeptHandles m_keptHandles;                   // likewise
    std::unordered_set<const Value*> m_indexed;  // split vectors of which elements are read by an index
    std::map<std::pair<const Value*, Id>, Id> m_indexedCopies;
    struct {
        std::map<uint32_t, std::vector<Id>> free;        // variables, by type
        std::unordered_set<const Value*> shared;         // whose variables are those of others
        std::unordered_map<const Value*, Val> elements;  // in the loop in work
        std::unordered_map<const Value*, LongPhi> phis;
    } m_long;
    Id m_element;                                          // index of the element, in a loop over those of long vectors
    std::unordered_map<const Value*, LongUse> m_longUses;  // of all functions
    std::unordered_map<const Function*, Id> m_functions;
    std::unordered_map<const Type*, Id> m_resultTypes;  // of functions

    // The module.
    std::unordered_map<const Value*, Val> m_constants;
    std::unordered_map<const Value*, Id> m_longConstants;  // variables
    std::unordered_map<const Global*, Val> m_globals;
    std::unordered_map<const Global*, bool> m_atomicGlobals;
    std::map<std::pair<const Type*, Form>, Id> m_memoryTypes;
    std::map<std::vector<uint32_t>, Descriptor> m_descriptors;
    std::map<uint32_t, std::pair<Id, Id>> m_builtIns;  // variable and type
    std::vector<Id> m_interface;
    std::map<uint64_t, Id> m_tempRegisters;
    Id m_samplePositions;
    Id m_helperInvocation;
    Id m_pushConstants;
    Id m_localArguments;
    std::map<uint32_t, Id> m_addressedTypes;    // by view
    std::unordered_set<uint32_t> m_nonUniform;  // ids so decorated
    bool m_hasUavBarrier = false;
    bool m_hasRecordAtomics = false;  // floats of records are integers, since those cannot be compared and exchanged
    bool m_needsDerivatives = false;

    // The node.
    struct Output {
        Id array;
        const Type* type = nullptr;
    };
    std::vector<Output> m_outputs;
    const Type* m_inputType = nullptr;
    Id m_input;
    Id m_inputArray;

    // The vertex or pixel shader.
    std::map<const SignatureElement*, StageVariable> m_stageVariables;
    bool m_writesDepth = false;

    // The mesh or amplification shader.
    std::map<const SignatureElement*, MeshOutput> m_meshOutputs;
    std::map<bool, Id> m_builtInBlocks;  // of vertices, of primitives
    Id m_meshIndices;
    Id m_payload;
    Id m_meshGroups;  // how many to dispatch
};

}  // namespace millrace::dxil
