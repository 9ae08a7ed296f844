// SPDX-License-Identifier: Apache-2.0
// Which function emits which DXIL operation.
#include "dxil/emitter.h"
#include "dxil/operation_table.h"

namespace millrace::dxil {

Emitter::Handler Emitter::handlerOf(uint32_t opcode)
{
    switch (opcode) {
        case 4:  // LoadInput
            return &Emitter::opLoadInput;
        case 5:  // StoreOutput
            return &Emitter::opStoreOutput;
        case 6:   // FAbs
        case 12:  // Cos
        case 13:  // Sin
        case 14:  // Tan
        case 15:  // Acos
        case 16:  // Asin
        case 17:  // Atan
        case 18:  // Hcos
        case 19:  // Hsin
        case 20:  // Htan
        case 21:  // Exp
        case 22:  // Frc
        case 23:  // Log
        case 24:  // Sqrt
        case 25:  // Rsqrt
        case 26:  // Round_ne
        case 27:  // Round_ni
        case 28:  // Round_pi
        case 29:  // Round_z
            return &Emitter::opUnary;
        case 7:  // Saturate
            return &Emitter::opSaturate;
        case 8:   // IsNaN
        case 9:   // IsInf
        case 10:  // IsFinite
        case 11:  // IsNormal
            return &Emitter::opSpecialFloat;
        case 30:  // Bfrev
        case 31:  // Countbits
        case 32:  // FirstbitLo
        case 33:  // FirstbitHi
        case 34:  // FirstbitSHi
            return &Emitter::opBits;
        case 35:  // FMax
        case 36:  // FMin
        case 37:  // IMax
        case 38:  // IMin
        case 39:  // UMax
        case 40:  // UMin
            return &Emitter::opBinary;
        case 41:  // IMul
        case 42:  // UMul
        case 43:  // UDiv
            return &Emitter::opTwoOuts;
        case 44:  // UAddc
        case 45:  // USubb
            return &Emitter::opCarry;
        case 46:  // FMad
        case 47:  // Fma
        case 48:  // IMad
        case 49:  // UMad
            return &Emitter::opMad;
        case 50:  // Msad
            return &Emitter::opMsad;
        case 51:  // Ibfe
        case 52:  // Ubfe
            return &Emitter::opBitField;
        case 53:  // Bfi
            return &Emitter::opBitInsert;
        case 54:  // Dot2
        case 55:  // Dot3
        case 56:  // Dot4
            return &Emitter::opDot;
        case 57:  // CreateHandle
            return &Emitter::opCreateHandle;
        case 58:  // CBufferLoad
            return &Emitter::opCBufferLoad;
        case 59:  // CBufferLoadLegacy
            return &Emitter::opCBufferLoadLegacy;
        case 60:   // Sample
        case 61:   // SampleBias
        case 62:   // SampleLevel
        case 63:   // SampleGrad
        case 64:   // SampleCmp
        case 65:   // SampleCmpLevelZero
        case 224:  // SampleCmpLevel
        case 254:  // SampleCmpGrad
        case 255:  // SampleCmpBias
            return &Emitter::opSample;
        case 66:  // TextureLoad
            return &Emitter::opTextureLoad;
        case 67:   // TextureStore
        case 225:  // TextureStoreSample
            return &Emitter::opTextureStore;
        case 68:  // BufferLoad
            return &Emitter::opBufferLoad;
        case 69:  // BufferStore
            return &Emitter::opBufferStore;
        case 70:  // BufferUpdateCounter
            return &Emitter::opBufferUpdateCounter;
        case 71:  // CheckAccessFullyMapped
            return &Emitter::opCheckAccessFullyMapped;
        case 72:  // GetDimensions
            return &Emitter::opGetDimensions;
        case 73:   // TextureGather
        case 74:   // TextureGatherCmp
        case 223:  // TextureGatherRaw
            return &Emitter::opTextureGather;
        case 78:  // AtomicBinOp
            return &Emitter::opAtomicBinOp;
        case 79:  // AtomicCompareExchange
            return &Emitter::opAtomicCompareExchange;
        case 80:  // Barrier
            return &Emitter::opBarrier;
        case 81:  // CalculateLOD
            return &Emitter::opCalculateLod;
        case 82:  // Discard
            return &Emitter::opDiscard;
        case 83:  // DerivCoarseX
        case 84:  // DerivCoarseY
        case 85:  // DerivFineX
        case 86:  // DerivFineY
            return &Emitter::opDerivative;
        case 93:  // ThreadId
        case 94:  // GroupId
        case 95:  // ThreadIdInGroup
            return &Emitter::opThreadId;
        case 96:  // FlattenedThreadIdInGroup
            return &Emitter::opFlattenedId;
        case 101:  // MakeDouble
            return &Emitter::opMakeDouble;
        case 102:  // SplitDouble
            return &Emitter::opSplitDouble;
        case 110:  // WaveIsFirstLane
        case 111:  // WaveGetLaneIndex
        case 112:  // WaveGetLaneCount
            return &Emitter::opWaveQuery;
        case 113:  // WaveAnyTrue
        case 114:  // WaveAllTrue
            return &Emitter::opWaveVote;
        case 115:  // WaveActiveAllEqual
            return &Emitter::opWaveAllEqual;
        case 116:  // WaveActiveBallot
            return &Emitter::opWaveBallot;
        case 117:  // WaveReadLaneAt
        case 118:  // WaveReadLaneFirst
            return &Emitter::opWaveRead;
        case 119:  // WaveActiveOp
        case 121:  // WavePrefixOp
            return &Emitter::opWaveArithmetic;
        case 120:  // WaveActiveBit
            return &Emitter::opWaveBits;
        case 122:  // QuadReadLaneAt
            return &Emitter::opQuadRead;
        case 123:  // QuadOp
            return &Emitter::opQuad;
        case 124:  // BitcastI16toF16
        case 125:  // BitcastF16toI16
        case 126:  // BitcastI32toF32
        case 127:  // BitcastF32toI32
        case 128:  // BitcastI64toF64
        case 129:  // BitcastF64toI64
            return &Emitter::opBitcast;
        case 130:  // LegacyF32ToF16
        case 131:  // LegacyF16ToF32
            return &Emitter::opLegacyHalf;
        case 132:  // LegacyDoubleToFloat
        case 133:  // LegacyDoubleToSInt32
        case 134:  // LegacyDoubleToUInt32
            return &Emitter::opLegacyDouble;
        case 135:  // WaveAllBitCount
        case 136:  // WavePrefixBitCount
            return &Emitter::opWaveCount;
        case 138:  // ViewID
            return &Emitter::opViewId;
        case 139:  // RawBufferLoad
            return &Emitter::opRawBufferLoad;
        case 140:  // RawBufferStore
            return &Emitter::opRawBufferStore;
        case 160:  // CreateHandleForLib
            return &Emitter::opCreateHandleForLib;
        case 162:  // Dot2AddHalf
            return &Emitter::opDot2AddHalf;
        case 163:  // Dot4AddI8Packed
        case 164:  // Dot4AddU8Packed
            return &Emitter::opDot4Add;
        case 165:  // WaveMatch
            return &Emitter::opWaveMatch;
        case 166:  // WaveMultiPrefixOp
            return &Emitter::opWaveMultiPrefix;
        case 167:  // WaveMultiPrefixBitCount
            return &Emitter::opWaveMultiPrefixCount;
        case 168:  // SetMeshOutputCounts
            return &Emitter::opSetMeshOutputs;
        case 169:  // EmitIndices
            return &Emitter::opEmitIndices;
        case 170:  // GetMeshPayload
            return &Emitter::opMeshPayload;
        case 171:  // StoreVertexOutput
        case 172:  // StorePrimitiveOutput
            return &Emitter::opStoreMeshOutput;
        case 173:  // DispatchMesh
            return &Emitter::opDispatchMesh;
        case 216:  // AnnotateHandle
            return &Emitter::opAnnotateHandle;
        case 217:  // CreateHandleFromBinding
            return &Emitter::opCreateHandleFromBinding;
        case 218:  // CreateHandleFromHeap
            return &Emitter::opCreateHandleFromHeap;
        case 219:  // Unpack4x8
            return &Emitter::opUnpack;
        case 220:  // Pack4x8
            return &Emitter::opPack;
        case 222:  // QuadVote
            return &Emitter::opQuadVote;
        case 238:  // AllocateNodeOutputRecords
            return &Emitter::opAllocateRecords;
        case 239:  // GetNodeRecordPtr
            return &Emitter::opRecordPointer;
        case 240:  // IncrementOutputCount
            return &Emitter::opIncrementOutput;
        case 241:  // OutputComplete
            return &Emitter::opOutputComplete;
        case 242:  // GetInputRecordCount
            return &Emitter::opRecordCount;
        case 243:  // FinishedCrossGroupSharing
            return &Emitter::opFinishedSharing;
        case 244:  // BarrierByMemoryType
        case 245:  // BarrierByMemoryHandle
        case 246:  // BarrierByNodeRecordHandle
            return &Emitter::opBarrierByMemory;
        case 247:  // CreateNodeOutputHandle
            return &Emitter::opCreateNodeOutput;
        case 248:  // IndexNodeHandle
            return &Emitter::opIndexNode;
        case 249:  // AnnotateNodeHandle
        case 251:  // AnnotateNodeRecordHandle
            return &Emitter::opAnnotateNode;
        case 250:  // CreateNodeInputRecordHandle
            return &Emitter::opCreateNodeInput;
        case 252:  // NodeOutputIsValid
            return &Emitter::opOutputIsValid;
        case 253:  // GetRemainingRecursionLevels
            return &Emitter::opRemainingRecursion;
        case 303:  // RawBufferVectorLoad
            return &Emitter::opRawBufferVectorLoad;
        case 304:  // RawBufferVectorStore
            return &Emitter::opRawBufferVectorStore;
        case 309:  // VectorReduceAnd
        case 310:  // VectorReduceOr
            return &Emitter::opVectorReduce;
        case 311:  // FDot
            return &Emitter::opVectorDot;
        default:
            return nullptr;
    }
}

void Emitter::emitOperation(const Value& i, uint32_t opcode)
{
    const Operation* operation = findOperation(opcode);
    const Handler handler = handlerOf(opcode);
    if (!handler) {
        unsupported(operation ? std::string("the operation ") + operation->name + " is not supported"
                              : "operation " + std::to_string(opcode) + " is unknown");
        return;
    }
    if (i.operands.size() != operation->operandCount()) {
        unsupported(std::string("the operation ") + operation->name + " with " + std::to_string(i.operands.size()) +
                    " operands");
        return;
    }
    // "dx.op.unary.f32"
    const std::string_view name = std::string_view(i.function->name).substr(std::string_view("dx.op.").size());
    if (name.substr(0, name.find('.')) != operation->function) {
        unsupported(std::string("the operation ") + operation->name + " as a call of " + i.function->name);
        return;
    }
    (this->*handler)(i);
}

}  // namespace millrace::dxil
