// SPDX-License-Identifier: Apache-2.0
// Which function emits which DXIL operation.
#include <algorithm>
#include <array>

#include "dxil/emitter.h"

namespace millrace::dxil {

namespace {

struct Row {
    uint32_t opcode;
    uint32_t operands;  // the opcode included
    const char* name;
};

// All operations, so that one that is missing can be named. clang-format off
constexpr Row kRows[] = {
    {0, 2, "TempRegLoad"},
    {1, 3, "TempRegStore"},
    {2, 4, "MinPrecXRegLoad"},
    {3, 5, "MinPrecXRegStore"},
    {4, 5, "LoadInput"},
    {5, 5, "StoreOutput"},
    {6, 2, "FAbs"},
    {7, 2, "Saturate"},
    {8, 2, "IsNaN"},
    {9, 2, "IsInf"},
    {10, 2, "IsFinite"},
    {11, 2, "IsNormal"},
    {12, 2, "Cos"},
    {13, 2, "Sin"},
    {14, 2, "Tan"},
    {15, 2, "Acos"},
    {16, 2, "Asin"},
    {17, 2, "Atan"},
    {18, 2, "Hcos"},
    {19, 2, "Hsin"},
    {20, 2, "Htan"},
    {21, 2, "Exp"},
    {22, 2, "Frc"},
    {23, 2, "Log"},
    {24, 2, "Sqrt"},
    {25, 2, "Rsqrt"},
    {26, 2, "Round_ne"},
    {27, 2, "Round_ni"},
    {28, 2, "Round_pi"},
    {29, 2, "Round_z"},
    {30, 2, "Bfrev"},
    {31, 2, "Countbits"},
    {32, 2, "FirstbitLo"},
    {33, 2, "FirstbitHi"},
    {34, 2, "FirstbitSHi"},
    {35, 3, "FMax"},
    {36, 3, "FMin"},
    {37, 3, "IMax"},
    {38, 3, "IMin"},
    {39, 3, "UMax"},
    {40, 3, "UMin"},
    {41, 3, "IMul"},
    {42, 3, "UMul"},
    {43, 3, "UDiv"},
    {44, 3, "UAddc"},
    {45, 3, "USubb"},
    {46, 4, "FMad"},
    {47, 4, "Fma"},
    {48, 4, "IMad"},
    {49, 4, "UMad"},
    {50, 4, "Msad"},
    {51, 4, "Ibfe"},
    {52, 4, "Ubfe"},
    {53, 5, "Bfi"},
    {54, 5, "Dot2"},
    {55, 7, "Dot3"},
    {56, 9, "Dot4"},
    {57, 5, "CreateHandle"},
    {58, 4, "CBufferLoad"},
    {59, 3, "CBufferLoadLegacy"},
    {60, 11, "Sample"},
    {61, 12, "SampleBias"},
    {62, 11, "SampleLevel"},
    {63, 17, "SampleGrad"},
    {64, 12, "SampleCmp"},
    {65, 11, "SampleCmpLevelZero"},
    {66, 9, "TextureLoad"},
    {67, 10, "TextureStore"},
    {68, 4, "BufferLoad"},
    {69, 9, "BufferStore"},
    {70, 3, "BufferUpdateCounter"},
    {71, 2, "CheckAccessFullyMapped"},
    {72, 3, "GetDimensions"},
    {73, 10, "TextureGather"},
    {74, 11, "TextureGatherCmp"},
    {75, 3, "Texture2DMSGetSamplePosition"},
    {76, 2, "RenderTargetGetSamplePosition"},
    {77, 1, "RenderTargetGetSampleCount"},
    {78, 7, "AtomicBinOp"},
    {79, 7, "AtomicCompareExchange"},
    {80, 2, "Barrier"},
    {81, 7, "CalculateLOD"},
    {82, 2, "Discard"},
    {83, 2, "DerivCoarseX"},
    {84, 2, "DerivCoarseY"},
    {85, 2, "DerivFineX"},
    {86, 2, "DerivFineY"},
    {87, 6, "EvalSnapped"},
    {88, 5, "EvalSampleIndex"},
    {89, 4, "EvalCentroid"},
    {90, 1, "SampleIndex"},
    {91, 1, "Coverage"},
    {92, 1, "InnerCoverage"},
    {93, 2, "ThreadId"},
    {94, 2, "GroupId"},
    {95, 2, "ThreadIdInGroup"},
    {96, 1, "FlattenedThreadIdInGroup"},
    {97, 2, "EmitStream"},
    {98, 2, "CutStream"},
    {99, 2, "EmitThenCutStream"},
    {100, 1, "GSInstanceID"},
    {101, 3, "MakeDouble"},
    {102, 2, "SplitDouble"},
    {103, 5, "LoadOutputControlPoint"},
    {104, 4, "LoadPatchConstant"},
    {105, 2, "DomainLocation"},
    {106, 5, "StorePatchConstant"},
    {107, 1, "OutputControlPointID"},
    {108, 1, "PrimitiveID"},
    {109, 1, "CycleCounterLegacy"},
    {110, 1, "WaveIsFirstLane"},
    {111, 1, "WaveGetLaneIndex"},
    {112, 1, "WaveGetLaneCount"},
    {113, 2, "WaveAnyTrue"},
    {114, 2, "WaveAllTrue"},
    {115, 2, "WaveActiveAllEqual"},
    {116, 2, "WaveActiveBallot"},
    {117, 3, "WaveReadLaneAt"},
    {118, 2, "WaveReadLaneFirst"},
    {119, 4, "WaveActiveOp"},
    {120, 3, "WaveActiveBit"},
    {121, 4, "WavePrefixOp"},
    {122, 3, "QuadReadLaneAt"},
    {123, 3, "QuadOp"},
    {124, 2, "BitcastI16toF16"},
    {125, 2, "BitcastF16toI16"},
    {126, 2, "BitcastI32toF32"},
    {127, 2, "BitcastF32toI32"},
    {128, 2, "BitcastI64toF64"},
    {129, 2, "BitcastF64toI64"},
    {130, 2, "LegacyF32ToF16"},
    {131, 2, "LegacyF16ToF32"},
    {132, 2, "LegacyDoubleToFloat"},
    {133, 2, "LegacyDoubleToSInt32"},
    {134, 2, "LegacyDoubleToUInt32"},
    {135, 2, "WaveAllBitCount"},
    {136, 2, "WavePrefixBitCount"},
    {137, 5, "AttributeAtVertex"},
    {138, 1, "ViewID"},
    {139, 6, "RawBufferLoad"},
    {140, 10, "RawBufferStore"},
    {141, 1, "InstanceID"},
    {142, 1, "InstanceIndex"},
    {143, 1, "HitKind"},
    {144, 1, "RayFlags"},
    {145, 2, "DispatchRaysIndex"},
    {146, 2, "DispatchRaysDimensions"},
    {147, 2, "WorldRayOrigin"},
    {148, 2, "WorldRayDirection"},
    {149, 2, "ObjectRayOrigin"},
    {150, 2, "ObjectRayDirection"},
    {151, 3, "ObjectToWorld"},
    {152, 3, "WorldToObject"},
    {153, 1, "RayTMin"},
    {154, 1, "RayTCurrent"},
    {155, 1, "IgnoreHit"},
    {156, 1, "AcceptHitAndEndSearch"},
    {157, 16, "TraceRay"},
    {158, 4, "ReportHit"},
    {159, 3, "CallShader"},
    {160, 2, "CreateHandleForLib"},
    {161, 1, "PrimitiveIndex"},
    {162, 6, "Dot2AddHalf"},
    {163, 4, "Dot4AddI8Packed"},
    {164, 4, "Dot4AddU8Packed"},
    {165, 2, "WaveMatch"},
    {166, 8, "WaveMultiPrefixOp"},
    {167, 6, "WaveMultiPrefixBitCount"},
    {168, 3, "SetMeshOutputCounts"},
    {169, 5, "EmitIndices"},
    {170, 1, "GetMeshPayload"},
    {171, 6, "StoreVertexOutput"},
    {172, 6, "StorePrimitiveOutput"},
    {173, 5, "DispatchMesh"},
    {174, 9, "WriteSamplerFeedback"},
    {175, 10, "WriteSamplerFeedbackBias"},
    {176, 9, "WriteSamplerFeedbackLevel"},
    {177, 15, "WriteSamplerFeedbackGrad"},
    {178, 2, "AllocateRayQuery"},
    {179, 13, "RayQuery_TraceRayInline"},
    {180, 2, "RayQuery_Proceed"},
    {181, 2, "RayQuery_Abort"},
    {182, 2, "RayQuery_CommitNonOpaqueTriangleHit"},
    {183, 3, "RayQuery_CommitProceduralPrimitiveHit"},
    {184, 2, "RayQuery_CommittedStatus"},
    {185, 2, "RayQuery_CandidateType"},
    {186, 4, "RayQuery_CandidateObjectToWorld3x4"},
    {187, 4, "RayQuery_CandidateWorldToObject3x4"},
    {188, 4, "RayQuery_CommittedObjectToWorld3x4"},
    {189, 4, "RayQuery_CommittedWorldToObject3x4"},
    {190, 2, "RayQuery_CandidateProceduralPrimitiveNonOpaque"},
    {191, 2, "RayQuery_CandidateTriangleFrontFace"},
    {192, 2, "RayQuery_CommittedTriangleFrontFace"},
    {193, 3, "RayQuery_CandidateTriangleBarycentrics"},
    {194, 3, "RayQuery_CommittedTriangleBarycentrics"},
    {195, 2, "RayQuery_RayFlags"},
    {196, 3, "RayQuery_WorldRayOrigin"},
    {197, 3, "RayQuery_WorldRayDirection"},
    {198, 2, "RayQuery_RayTMin"},
    {199, 2, "RayQuery_CandidateTriangleRayT"},
    {200, 2, "RayQuery_CommittedRayT"},
    {201, 2, "RayQuery_CandidateInstanceIndex"},
    {202, 2, "RayQuery_CandidateInstanceID"},
    {203, 2, "RayQuery_CandidateGeometryIndex"},
    {204, 2, "RayQuery_CandidatePrimitiveIndex"},
    {205, 3, "RayQuery_CandidateObjectRayOrigin"},
    {206, 3, "RayQuery_CandidateObjectRayDirection"},
    {207, 2, "RayQuery_CommittedInstanceIndex"},
    {208, 2, "RayQuery_CommittedInstanceID"},
    {209, 2, "RayQuery_CommittedGeometryIndex"},
    {210, 2, "RayQuery_CommittedPrimitiveIndex"},
    {211, 3, "RayQuery_CommittedObjectRayOrigin"},
    {212, 3, "RayQuery_CommittedObjectRayDirection"},
    {213, 1, "GeometryIndex"},
    {214, 2, "RayQuery_CandidateInstanceContributionToHitGroupIndex"},
    {215, 2, "RayQuery_CommittedInstanceContributionToHitGroupIndex"},
    {216, 3, "AnnotateHandle"},
    {217, 4, "CreateHandleFromBinding"},
    {218, 4, "CreateHandleFromHeap"},
    {219, 3, "Unpack4x8"},
    {220, 6, "Pack4x8"},
    {221, 1, "IsHelperLane"},
    {222, 3, "QuadVote"},
    {223, 9, "TextureGatherRaw"},
    {224, 12, "SampleCmpLevel"},
    {225, 11, "TextureStoreSample"},
    {238, 4, "AllocateNodeOutputRecords"},
    {239, 3, "GetNodeRecordPtr"},
    {240, 4, "IncrementOutputCount"},
    {241, 2, "OutputComplete"},
    {242, 2, "GetInputRecordCount"},
    {243, 2, "FinishedCrossGroupSharing"},
    {244, 3, "BarrierByMemoryType"},
    {245, 3, "BarrierByMemoryHandle"},
    {246, 3, "BarrierByNodeRecordHandle"},
    {247, 2, "CreateNodeOutputHandle"},
    {248, 3, "IndexNodeHandle"},
    {249, 3, "AnnotateNodeHandle"},
    {250, 2, "CreateNodeInputRecordHandle"},
    {251, 3, "AnnotateNodeRecordHandle"},
    {252, 2, "NodeOutputIsValid"},
    {253, 1, "GetRemainingRecursionLevels"},
    {254, 18, "SampleCmpGrad"},
    {255, 13, "SampleCmpBias"},
    {256, 1, "StartVertexLocation"},
    {257, 1, "StartInstanceLocation"},
    {258, 3, "AllocateRayQuery2"},
    {262, 16, "HitObject_TraceRay"},
    {263, 2, "HitObject_FromRayQuery"},
    {264, 4, "HitObject_FromRayQueryWithAttrs"},
    {265, 11, "HitObject_MakeMiss"},
    {266, 1, "HitObject_MakeNop"},
    {267, 3, "HitObject_Invoke"},
    {268, 4, "MaybeReorderThread"},
    {269, 2, "HitObject_IsMiss"},
    {270, 2, "HitObject_IsHit"},
    {271, 2, "HitObject_IsNop"},
    {272, 2, "HitObject_RayFlags"},
    {273, 2, "HitObject_RayTMin"},
    {274, 2, "HitObject_RayTCurrent"},
    {275, 3, "HitObject_WorldRayOrigin"},
    {276, 3, "HitObject_WorldRayDirection"},
    {277, 3, "HitObject_ObjectRayOrigin"},
    {278, 3, "HitObject_ObjectRayDirection"},
    {279, 4, "HitObject_ObjectToWorld3x4"},
    {280, 4, "HitObject_WorldToObject3x4"},
    {281, 2, "HitObject_GeometryIndex"},
    {282, 2, "HitObject_InstanceIndex"},
    {283, 2, "HitObject_InstanceID"},
    {284, 2, "HitObject_PrimitiveIndex"},
    {285, 2, "HitObject_HitKind"},
    {286, 2, "HitObject_ShaderTableIndex"},
    {287, 3, "HitObject_SetShaderTableIndex"},
    {288, 3, "HitObject_LoadLocalRootTableConstant"},
    {289, 3, "HitObject_Attributes"},
    {303, 5, "RawBufferVectorLoad"},
    {304, 6, "RawBufferVectorStore"},
    {309, 2, "VectorReduceAnd"},
    {310, 2, "VectorReduceOr"},
    {311, 3, "FDot"},
};
// clang-format on

const Row* findRow(uint32_t opcode)
{
    const auto found = std::ranges::find(kRows, opcode, &Row::opcode);
    return found == std::end(kRows) ? nullptr : found;
}

}  // namespace

Emitter::Handler Emitter::handlerOf(uint32_t opcode)
{
    switch (opcode) {
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
    const Row* row = findRow(opcode);
    const Handler handler = handlerOf(opcode);
    if (!handler) {
        unsupported(row ? std::string("the operation ") + row->name + " is not supported"
                        : "operation " + std::to_string(opcode) + " is unknown");
        return;
    }
    if (i.operands.size() != row->operands) {
        unsupported(std::string("the operation ") + row->name + " with " + std::to_string(i.operands.size()) +
                    " operands");
        return;
    }
    (this->*handler)(i);
}

}  // namespace millrace::dxil
