; Bits of vectors as elements of another width; element 1 of each becomes 0.
target datalayout = "e-m:e-p:32:32-i1:32-i8:8-i16:16-i32:32-i64:64-f16:16-f32:32-f64:64-n8:16:32:64"
target triple = "dxil-ms-dx"
%dx.types.Handle = type { i8* }
%dx.types.ResBind = type { i32, i32, i32, i8 }
%dx.types.ResourceProperties = type { i32, i32 }
%dx.types.ResRet.f32 = type { float, float, float, float, i32 }
%dx.types.CBufRet.f32 = type { float, float, float, float }
%dx.types.fouri32 = type { i32, i32, i32, i32 }
%dx.types.ResRet.v8i32 = type { <8 x i32>, i32 }
%dx.types.ResRet.v3i64 = type { <3 x i64>, i32 }
%dx.types.ResRet.v8f16 = type { <8 x half>, i32 }
%dx.types.ResRet.v5f32 = type { <5 x float>, i32 }
%dx.types.ResRet.v6i16 = type { <6 x i16>, i32 }
%struct.ByteAddressBuffer = type { i32 }
%struct.RWByteAddressBuffer = type { i32 }
%struct.RWStructured = type { [16 x float] }
%struct.RWTyped = type { float }
%struct.Structured = type { [16 x float] }
%struct.Texture = type { float }
%struct.Constants = type { [4 x <4 x float>] }
%struct.SamplerState = type { i32 }
define void @main() {
entry:
  %x1 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 0 }, i32 0, i1 false)
  %x2 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %x1, %dx.types.ResourceProperties { i32 11, i32 0 })
  %x3 = call %dx.types.ResRet.v8i32 @dx.op.rawBufferVectorLoad.v8i32(i32 303, %dx.types.Handle %x2, i32 0, i32 undef, i32 4)
  %x4 = extractvalue %dx.types.ResRet.v8i32 %x3, 0
  %x5 = bitcast <8 x i32> %x4 to <4 x i64>
  %x6 = insertelement <4 x i64> %x5, i64 0, i32 1
  %x7 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 1 }, i32 0, i1 false)
  %x8 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %x7, %dx.types.ResourceProperties { i32 4107, i32 0 })
  call void @dx.op.rawBufferVectorStore.v4i64(i32 304, %dx.types.Handle %x8, i32 0, i32 undef, <4 x i64> %x6, i32 4)
  %x9 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 0 }, i32 0, i1 false)
  %x10 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %x9, %dx.types.ResourceProperties { i32 11, i32 0 })
  %x11 = call %dx.types.ResRet.v3i64 @dx.op.rawBufferVectorLoad.v3i64(i32 303, %dx.types.Handle %x10, i32 64, i32 undef, i32 4)
  %x12 = extractvalue %dx.types.ResRet.v3i64 %x11, 0
  %x13 = bitcast <3 x i64> %x12 to <12 x i16>
  %x14 = insertelement <12 x i16> %x13, i16 0, i32 1
  %x15 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 1 }, i32 0, i1 false)
  %x16 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %x15, %dx.types.ResourceProperties { i32 4107, i32 0 })
  call void @dx.op.rawBufferVectorStore.v12i16(i32 304, %dx.types.Handle %x16, i32 64, i32 undef, <12 x i16> %x14, i32 4)
  %x17 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 0 }, i32 0, i1 false)
  %x18 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %x17, %dx.types.ResourceProperties { i32 11, i32 0 })
  %x19 = call %dx.types.ResRet.v8f16 @dx.op.rawBufferVectorLoad.v8f16(i32 303, %dx.types.Handle %x18, i32 128, i32 undef, i32 4)
  %x20 = extractvalue %dx.types.ResRet.v8f16 %x19, 0
  %x21 = bitcast <8 x half> %x20 to <2 x double>
  %x22 = insertelement <2 x double> %x21, double 0.0, i32 1
  %x23 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 1 }, i32 0, i1 false)
  %x24 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %x23, %dx.types.ResourceProperties { i32 4107, i32 0 })
  call void @dx.op.rawBufferVectorStore.v2f64(i32 304, %dx.types.Handle %x24, i32 128, i32 undef, <2 x double> %x22, i32 4)
  %x25 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 0 }, i32 0, i1 false)
  %x26 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %x25, %dx.types.ResourceProperties { i32 11, i32 0 })
  %x27 = call %dx.types.ResRet.v5f32 @dx.op.rawBufferVectorLoad.v5f32(i32 303, %dx.types.Handle %x26, i32 192, i32 undef, i32 4)
  %x28 = extractvalue %dx.types.ResRet.v5f32 %x27, 0
  %x29 = bitcast <5 x float> %x28 to <5 x i32>
  %x30 = insertelement <5 x i32> %x29, i32 0, i32 1
  %x31 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 1 }, i32 0, i1 false)
  %x32 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %x31, %dx.types.ResourceProperties { i32 4107, i32 0 })
  call void @dx.op.rawBufferVectorStore.v5i32(i32 304, %dx.types.Handle %x32, i32 192, i32 undef, <5 x i32> %x30, i32 4)
  %x33 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 0 }, i32 0, i1 false)
  %x34 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %x33, %dx.types.ResourceProperties { i32 11, i32 0 })
  %x35 = call %dx.types.ResRet.v6i16 @dx.op.rawBufferVectorLoad.v6i16(i32 303, %dx.types.Handle %x34, i32 256, i32 undef, i32 4)
  %x36 = extractvalue %dx.types.ResRet.v6i16 %x35, 0
  %x37 = bitcast <6 x i16> %x36 to <3 x i32>
  %x38 = insertelement <3 x i32> %x37, i32 0, i32 1
  %x39 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 1 }, i32 0, i1 false)
  %x40 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %x39, %dx.types.ResourceProperties { i32 4107, i32 0 })
  call void @dx.op.rawBufferVectorStore.v3i32(i32 304, %dx.types.Handle %x40, i32 256, i32 undef, <3 x i32> %x38, i32 4)
  ret void
}
declare %dx.types.Handle @dx.op.createHandleFromBinding(i32, %dx.types.ResBind, i32, i1) #0
declare %dx.types.Handle @dx.op.annotateHandle(i32, %dx.types.Handle, %dx.types.ResourceProperties) #0
declare %dx.types.ResRet.v8i32 @dx.op.rawBufferVectorLoad.v8i32(i32, %dx.types.Handle, i32, i32, i32) #1
declare void @dx.op.rawBufferVectorStore.v4i64(i32, %dx.types.Handle, i32, i32, <4 x i64>, i32) #2
declare %dx.types.ResRet.v3i64 @dx.op.rawBufferVectorLoad.v3i64(i32, %dx.types.Handle, i32, i32, i32) #1
declare void @dx.op.rawBufferVectorStore.v12i16(i32, %dx.types.Handle, i32, i32, <12 x i16>, i32) #2
declare %dx.types.ResRet.v8f16 @dx.op.rawBufferVectorLoad.v8f16(i32, %dx.types.Handle, i32, i32, i32) #1
declare void @dx.op.rawBufferVectorStore.v2f64(i32, %dx.types.Handle, i32, i32, <2 x double>, i32) #2
declare %dx.types.ResRet.v5f32 @dx.op.rawBufferVectorLoad.v5f32(i32, %dx.types.Handle, i32, i32, i32) #1
declare void @dx.op.rawBufferVectorStore.v5i32(i32, %dx.types.Handle, i32, i32, <5 x i32>, i32) #2
declare %dx.types.ResRet.v6i16 @dx.op.rawBufferVectorLoad.v6i16(i32, %dx.types.Handle, i32, i32, i32) #1
declare void @dx.op.rawBufferVectorStore.v3i32(i32, %dx.types.Handle, i32, i32, <3 x i32>, i32) #2
attributes #0 = { nounwind readnone }
attributes #1 = { nounwind readonly }
attributes #2 = { nounwind }
!dx.version = !{!0}
!dx.valver = !{!1}
!dx.shaderModel = !{!2}
!dx.resources = !{!3}
!dx.entryPoints = !{!20}
!0 = !{i32 1, i32 9}
!1 = !{i32 1, i32 9}
!2 = !{!"cs", i32 6, i32 9}
!3 = !{!4, !7, !12, !14}
!4 = !{!5, !17, !18}
!5 = !{i32 0, %struct.ByteAddressBuffer* undef, !"", i32 0, i32 0, i32 1, i32 11, i32 0, null}
!7 = !{!8, !9, !10}
!8 = !{i32 0, %struct.RWByteAddressBuffer* undef, !"", i32 0, i32 0, i32 1, i32 11, i1 false, i1 false, i1 false, null}
!9 = !{i32 1, %struct.RWStructured* undef, !"", i32 0, i32 1, i32 1, i32 12, i1 false, i1 false, i1 false, !11}
!10 = !{i32 2, %struct.RWTyped* undef, !"", i32 0, i32 2, i32 1, i32 10, i1 false, i1 false, i1 false, !15}
!11 = !{i32 1, i32 64}
!12 = !{!13}
!13 = !{i32 0, %struct.Constants* undef, !"", i32 0, i32 0, i32 1, i32 64, null}
!14 = !{!16}
!15 = !{i32 0, i32 9}
!16 = !{i32 0, %struct.SamplerState* undef, !"", i32 0, i32 0, i32 1, i32 0, null}
!17 = !{i32 1, %struct.Structured* undef, !"", i32 0, i32 1, i32 1, i32 12, i32 0, !11}
!18 = !{i32 2, %struct.Texture* undef, !"", i32 0, i32 2, i32 1, i32 2, i32 0, !15}
!20 = !{void ()* @main, !"main", null, !3, !21}
!21 = !{i32 0, i64 16, i32 4, !22}
!22 = !{i32 8, i32 8, i32 1}
