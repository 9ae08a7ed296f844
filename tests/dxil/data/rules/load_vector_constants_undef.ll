; INSTR.RESOURCECLASSFORLOAD
target datalayout = "e-m:e-p:32:32-i1:32-i8:8-i16:16-i32:32-i64:64-f16:16-f32:32-f64:64-n8:16:32:64"
target triple = "dxil-ms-dx"
%dx.types.Handle = type { i8* }
%dx.types.ResBind = type { i32, i32, i32, i8 }
%dx.types.ResourceProperties = type { i32, i32 }
%dx.types.ResRet.f32 = type { float, float, float, float, i32 }
%dx.types.CBufRet.f32 = type { float, float, float, float }
%dx.types.fouri32 = type { i32, i32, i32, i32 }
%dx.types.ResRet.v4f32 = type { <4 x float>, i32 }
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
  %x1 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 2 }, i32 0, i1 false)
  %x2 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %x1, %dx.types.ResourceProperties { i32 13, i32 64 })
  %x3 = call %dx.types.ResRet.v4f32 @dx.op.rawBufferVectorLoad.v4f32(i32 303, %dx.types.Handle %x2, i32 0, i32 undef, i32 4)
  %x4 = extractvalue %dx.types.ResRet.v4f32 %x3, 0
  %x5 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 1 }, i32 0, i1 false)
  %x6 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %x5, %dx.types.ResourceProperties { i32 4107, i32 0 })
  call void @dx.op.rawBufferVectorStore.v4f32(i32 304, %dx.types.Handle %x6, i32 0, i32 undef, <4 x float> %x4, i32 4)
  ret void
}
declare %dx.types.Handle @dx.op.createHandleFromBinding(i32, %dx.types.ResBind, i32, i1) #0
declare %dx.types.Handle @dx.op.annotateHandle(i32, %dx.types.Handle, %dx.types.ResourceProperties) #0
declare %dx.types.ResRet.v4f32 @dx.op.rawBufferVectorLoad.v4f32(i32, %dx.types.Handle, i32, i32, i32) #1
declare void @dx.op.rawBufferVectorStore.v4f32(i32, %dx.types.Handle, i32, i32, <4 x float>, i32) #2
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
