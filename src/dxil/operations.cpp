// SPDX-License-Identifier: Apache-2.0
// Which function emits which DXIL operation.
#include "dxil/emitter.h"
#include "dxil/opcodes.h"
#include "dxil/operation_table.h"

namespace millrace::dxil {

Emitter::Handler Emitter::handlerOf(uint32_t opcode)
{
    switch (opcode) {
        case opcode::LoadInput:
            return &Emitter::opLoadInput;
        case opcode::StoreOutput:
            return &Emitter::opStoreOutput;
        case opcode::FAbs:
        case opcode::Cos:
        case opcode::Sin:
        case opcode::Tan:
        case opcode::Acos:
        case opcode::Asin:
        case opcode::Atan:
        case opcode::Hcos:
        case opcode::Hsin:
        case opcode::Htan:
        case opcode::Exp:
        case opcode::Frc:
        case opcode::Log:
        case opcode::Sqrt:
        case opcode::Rsqrt:
        case opcode::RoundNe:
        case opcode::RoundNi:
        case opcode::RoundPi:
        case opcode::RoundZ:
            return &Emitter::opUnary;
        case opcode::Saturate:
            return &Emitter::opSaturate;
        case opcode::IsNaN:
        case opcode::IsInf:
        case opcode::IsFinite:
        case opcode::IsNormal:
            return &Emitter::opSpecialFloat;
        case opcode::Bfrev:
        case opcode::Countbits:
        case opcode::FirstbitLo:
        case opcode::FirstbitHi:
        case opcode::FirstbitSHi:
            return &Emitter::opBits;
        case opcode::FMax:
        case opcode::FMin:
        case opcode::IMax:
        case opcode::IMin:
        case opcode::UMax:
        case opcode::UMin:
            return &Emitter::opBinary;
        case opcode::IMul:
        case opcode::UMul:
        case opcode::UDiv:
            return &Emitter::opTwoOuts;
        case opcode::UAddc:
        case opcode::USubb:
            return &Emitter::opCarry;
        case opcode::FMad:
        case opcode::Fma:
        case opcode::IMad:
        case opcode::UMad:
            return &Emitter::opMad;
        case opcode::Msad:
            return &Emitter::opMsad;
        case opcode::Ibfe:
        case opcode::Ubfe:
            return &Emitter::opBitField;
        case opcode::Bfi:
            return &Emitter::opBitInsert;
        case opcode::Dot2:
        case opcode::Dot3:
        case opcode::Dot4:
            return &Emitter::opDot;
        case opcode::CreateHandle:
            return &Emitter::opCreateHandle;
        case opcode::CBufferLoad:
            return &Emitter::opCBufferLoad;
        case opcode::CBufferLoadLegacy:
            return &Emitter::opCBufferLoadLegacy;
        case opcode::Sample:
        case opcode::SampleBias:
        case opcode::SampleLevel:
        case opcode::SampleGrad:
        case opcode::SampleCmp:
        case opcode::SampleCmpLevelZero:
        case opcode::SampleCmpLevel:
        case opcode::SampleCmpGrad:
        case opcode::SampleCmpBias:
            return &Emitter::opSample;
        case opcode::TextureLoad:
            return &Emitter::opTextureLoad;
        case opcode::TextureStore:
        case opcode::TextureStoreSample:
            return &Emitter::opTextureStore;
        case opcode::BufferLoad:
            return &Emitter::opBufferLoad;
        case opcode::BufferStore:
            return &Emitter::opBufferStore;
        case opcode::BufferUpdateCounter:
            return &Emitter::opBufferUpdateCounter;
        case opcode::CheckAccessFullyMapped:
            return &Emitter::opCheckAccessFullyMapped;
        case opcode::GetDimensions:
            return &Emitter::opGetDimensions;
        case opcode::TextureGather:
        case opcode::TextureGatherCmp:
        case opcode::TextureGatherRaw:
            return &Emitter::opTextureGather;
        case opcode::AtomicBinOp:
            return &Emitter::opAtomicBinOp;
        case opcode::AtomicCompareExchange:
            return &Emitter::opAtomicCompareExchange;
        case opcode::Barrier:
            return &Emitter::opBarrier;
        case opcode::CalculateLOD:
            return &Emitter::opCalculateLod;
        case opcode::Discard:
            return &Emitter::opDiscard;
        case opcode::DerivCoarseX:
        case opcode::DerivCoarseY:
        case opcode::DerivFineX:
        case opcode::DerivFineY:
            return &Emitter::opDerivative;
        case opcode::ThreadId:
        case opcode::GroupId:
        case opcode::ThreadIdInGroup:
            return &Emitter::opThreadId;
        case opcode::FlattenedThreadIdInGroup:
            return &Emitter::opFlattenedId;
        case opcode::MakeDouble:
            return &Emitter::opMakeDouble;
        case opcode::SplitDouble:
            return &Emitter::opSplitDouble;
        case opcode::WaveIsFirstLane:
        case opcode::WaveGetLaneIndex:
        case opcode::WaveGetLaneCount:
            return &Emitter::opWaveQuery;
        case opcode::WaveAnyTrue:
        case opcode::WaveAllTrue:
            return &Emitter::opWaveVote;
        case opcode::WaveActiveAllEqual:
            return &Emitter::opWaveAllEqual;
        case opcode::WaveActiveBallot:
            return &Emitter::opWaveBallot;
        case opcode::WaveReadLaneAt:
        case opcode::WaveReadLaneFirst:
            return &Emitter::opWaveRead;
        case opcode::WaveActiveOp:
        case opcode::WavePrefixOp:
            return &Emitter::opWaveArithmetic;
        case opcode::WaveActiveBit:
            return &Emitter::opWaveBits;
        case opcode::QuadReadLaneAt:
            return &Emitter::opQuadRead;
        case opcode::QuadOp:
            return &Emitter::opQuad;
        case opcode::BitcastI16toF16:
        case opcode::BitcastF16toI16:
        case opcode::BitcastI32toF32:
        case opcode::BitcastF32toI32:
        case opcode::BitcastI64toF64:
        case opcode::BitcastF64toI64:
            return &Emitter::opBitcast;
        case opcode::LegacyF32ToF16:
        case opcode::LegacyF16ToF32:
            return &Emitter::opLegacyHalf;
        case opcode::LegacyDoubleToFloat:
        case opcode::LegacyDoubleToSInt32:
        case opcode::LegacyDoubleToUInt32:
            return &Emitter::opLegacyDouble;
        case opcode::WaveAllBitCount:
        case opcode::WavePrefixBitCount:
            return &Emitter::opWaveCount;
        case opcode::ViewID:
            return &Emitter::opViewId;
        case opcode::RawBufferLoad:
            return &Emitter::opRawBufferLoad;
        case opcode::RawBufferStore:
            return &Emitter::opRawBufferStore;
        case opcode::CreateHandleForLib:
            return &Emitter::opCreateHandleForLib;
        case opcode::Dot2AddHalf:
            return &Emitter::opDot2AddHalf;
        case opcode::Dot4AddI8Packed:
        case opcode::Dot4AddU8Packed:
            return &Emitter::opDot4Add;
        case opcode::WaveMatch:
            return &Emitter::opWaveMatch;
        case opcode::WaveMultiPrefixOp:
            return &Emitter::opWaveMultiPrefix;
        case opcode::WaveMultiPrefixBitCount:
            return &Emitter::opWaveMultiPrefixCount;
        case opcode::SetMeshOutputCounts:
            return &Emitter::opSetMeshOutputs;
        case opcode::EmitIndices:
            return &Emitter::opEmitIndices;
        case opcode::GetMeshPayload:
            return &Emitter::opMeshPayload;
        case opcode::StoreVertexOutput:
        case opcode::StorePrimitiveOutput:
            return &Emitter::opStoreMeshOutput;
        case opcode::DispatchMesh:
            return &Emitter::opDispatchMesh;
        case opcode::AnnotateHandle:
            return &Emitter::opAnnotateHandle;
        case opcode::CreateHandleFromBinding:
            return &Emitter::opCreateHandleFromBinding;
        case opcode::CreateHandleFromHeap:
            return &Emitter::opCreateHandleFromHeap;
        case opcode::Unpack4x8:
            return &Emitter::opUnpack;
        case opcode::Pack4x8:
            return &Emitter::opPack;
        case opcode::QuadVote:
            return &Emitter::opQuadVote;
        case opcode::AllocateNodeOutputRecords:
            return &Emitter::opAllocateRecords;
        case opcode::GetNodeRecordPtr:
            return &Emitter::opRecordPointer;
        case opcode::IncrementOutputCount:
            return &Emitter::opIncrementOutput;
        case opcode::OutputComplete:
            return &Emitter::opOutputComplete;
        case opcode::GetInputRecordCount:
            return &Emitter::opRecordCount;
        case opcode::FinishedCrossGroupSharing:
            return &Emitter::opFinishedSharing;
        case opcode::BarrierByMemoryType:
        case opcode::BarrierByMemoryHandle:
        case opcode::BarrierByNodeRecordHandle:
            return &Emitter::opBarrierByMemory;
        case opcode::CreateNodeOutputHandle:
            return &Emitter::opCreateNodeOutput;
        case opcode::IndexNodeHandle:
            return &Emitter::opIndexNode;
        case opcode::AnnotateNodeHandle:
        case opcode::AnnotateNodeRecordHandle:
            return &Emitter::opAnnotateNode;
        case opcode::CreateNodeInputRecordHandle:
            return &Emitter::opCreateNodeInput;
        case opcode::NodeOutputIsValid:
            return &Emitter::opOutputIsValid;
        case opcode::GetRemainingRecursionLevels:
            return &Emitter::opRemainingRecursion;
        case opcode::RawBufferVectorLoad:
            return &Emitter::opRawBufferVectorLoad;
        case opcode::RawBufferVectorStore:
            return &Emitter::opRawBufferVectorStore;
        case opcode::VectorReduceAnd:
        case opcode::VectorReduceOr:
            return &Emitter::opVectorReduce;
        case opcode::FDot:
            return &Emitter::opVectorDot;
        case opcode::TempRegLoad:
        case opcode::TempRegStore:
            return &Emitter::opTempRegister;
        case opcode::MinPrecXRegLoad:
        case opcode::MinPrecXRegStore:
            return &Emitter::opMinPrecisionRegister;
        case opcode::Texture2DMSGetSamplePosition:
            return &Emitter::opSamplePosition;
        case opcode::CycleCounterLegacy:
            return &Emitter::opCycleCounter;
        case opcode::IsHelperLane:
            return &Emitter::opIsHelperLane;
        case opcode::StartVertexLocation:
        case opcode::StartInstanceLocation:
            return &Emitter::opDrawStart;
        default:
            return nullptr;
    }
}

void Emitter::emitOperation(const Value& i, uint32_t opcode)
{
    const Handler handler = handlerOf(opcode);
    if (!handler) {
        const Operation* operation = findOperation(opcode);
        unsupported(operation ? std::string("the operation ") + operation->name + " is not supported"
                              : "operation " + std::to_string(opcode) + " is unknown");
        return;
    }
    (this->*handler)(i);
}

// Whether a call has the operands of its operation, of all calls before any is looked at: what is emitted for one
// depends on others.
void Emitter::checkOperation(const Value& i)
{
    const bool hasNumber = i.op == Op::Call && i.function->name.starts_with("dx.op.") && !i.operands.empty();
    const auto opcode = hasNumber ? constantOf(i.operands[0]) : std::nullopt;
    const Operation* operation = opcode ? findOperation(static_cast<uint32_t>(*opcode)) : nullptr;
    if (!operation)
        return;
    if (i.operands.size() != operation->operandCount()) {
        unsupported(std::string("the operation ") + operation->name + " with " + std::to_string(i.operands.size()) +
                    " operands");
        return;
    }
    // "dx.op.unary.f32"
    const std::string_view name = std::string_view(i.function->name).substr(std::string_view("dx.op.").size());
    if (name.substr(0, name.find('.')) != operation->function)
        unsupported(std::string("the operation ") + operation->name + " as a call of " + i.function->name);
}

}  // namespace millrace::dxil
