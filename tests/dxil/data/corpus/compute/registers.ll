; Registers of converted DXBC, which no compiler writes: assembled.
target datalayout = "e-m:e-p:32:32-i1:32-i8:32-i16:32-i32:32-i64:64-f16:32-f32:32-f64:64-n8:16:32:64"
target triple = "dxil-ms-dx"

%dx.types.Handle = type { i8* }
%dx.types.ResBind = type { i32, i32, i32, i8 }
%dx.types.ResourceProperties = type { i32, i32 }
%dx.types.ResRet.i32 = type { i32, i32, i32, i32, i32 }
%struct.RWByteAddressBuffer = type { i32 }

define void @main() {
  %1 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 1 }, i32 0, i1 false)
  %2 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %1, %dx.types.ResourceProperties { i32 4107, i32 0 })
  %3 = call %dx.types.ResRet.i32 @dx.op.rawBufferLoad.i32(i32 139, %dx.types.Handle %2, i32 0, i32 undef, i8 1, i32 4)
  %4 = extractvalue %dx.types.ResRet.i32 %3, 0
  call void @dx.op.tempRegStore.i32(i32 1, i32 3, i32 %4)
  call void @dx.op.tempRegStore.f32(i32 1, i32 7, float 1.500000e+00)
  %5 = call float @dx.op.tempRegLoad.f32(i32 0, i32 3)
  %6 = fadd float %5, 1.000000e+00
  call void @dx.op.tempRegStore.f32(i32 1, i32 3, float %6)
  %7 = call i32 @dx.op.tempRegLoad.i32(i32 0, i32 3)
  %8 = call i32 @dx.op.tempRegLoad.i32(i32 0, i32 7)
  call void @dx.op.rawBufferStore.i32(i32 140, %dx.types.Handle %2, i32 4, i32 undef, i32 %7, i32 %8, i32 undef, i32 undef, i8 3, i32 4)
  ret void
}

; Function Attrs: nounwind readonly
declare %dx.types.ResRet.i32 @dx.op.rawBufferLoad.i32(i32, %dx.types.Handle, i32, i32, i8, i32) #0

; Function Attrs: nounwind
declare void @dx.op.rawBufferStore.i32(i32, %dx.types.Handle, i32, i32, i32, i32, i32, i32, i8, i32) #1

; Function Attrs: nounwind readnone
declare %dx.types.Handle @dx.op.annotateHandle(i32, %dx.types.Handle, %dx.types.ResourceProperties) #2

; Function Attrs: nounwind readnone
declare %dx.types.Handle @dx.op.createHandleFromBinding(i32, %dx.types.ResBind, i32, i1) #2

declare void @dx.op.tempRegStore.i32(i32, i32, i32) #1
declare void @dx.op.tempRegStore.f32(i32, i32, float) #1
declare i32 @dx.op.tempRegLoad.i32(i32, i32) #0
declare float @dx.op.tempRegLoad.f32(i32, i32) #0

attributes #0 = { nounwind readonly }
attributes #1 = { nounwind }
attributes #2 = { nounwind readnone }

!llvm.ident = !{!0}
!dx.version = !{!1}
!dx.valver = !{!2}
!dx.shaderModel = !{!3}
!dx.resources = !{!4}
!dx.entryPoints = !{!7}

!0 = !{!"dxc(private) 1.9.0.5517 (9757d44fa)"}
!1 = !{i32 1, i32 6}
!2 = !{i32 1, i32 10}
!3 = !{!"cs", i32 6, i32 6}
!4 = !{null, !5, null, null}
!5 = !{!6}
!6 = !{i32 0, %struct.RWByteAddressBuffer* undef, !"", i32 0, i32 0, i32 1, i32 11, i1 false, i1 false, i1 false, null}
!7 = !{void ()* @main, !"main", null, !4, !8}
!8 = !{i32 0, i64 16, i32 4, !9}
!9 = !{i32 1, i32 1, i32 1}
