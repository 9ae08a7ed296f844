; The clock of converted DXBC, which no compiler writes: assembled. Two readings, and whether the second is not before the
; first.
target datalayout = "e-m:e-p:32:32-i1:32-i8:32-i16:32-i32:32-i64:64-f16:32-f32:32-f64:64-n8:16:32:64"
target triple = "dxil-ms-dx"

%dx.types.Handle = type { i8* }
%dx.types.ResBind = type { i32, i32, i32, i8 }
%dx.types.ResourceProperties = type { i32, i32 }
%dx.types.twoi32 = type { i32, i32 }
%struct.RWByteAddressBuffer = type { i32 }

define void @main() {
  %1 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 1 }, i32 0, i1 false)
  %2 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %1, %dx.types.ResourceProperties { i32 4107, i32 0 })
  %3 = call %dx.types.twoi32 @dx.op.cycleCounterLegacy(i32 109)
  %4 = extractvalue %dx.types.twoi32 %3, 0
  %5 = extractvalue %dx.types.twoi32 %3, 1
  call void @dx.op.rawBufferStore.i32(i32 140, %dx.types.Handle %2, i32 0, i32 undef, i32 %4, i32 %5, i32 undef, i32 undef, i8 3, i32 4)
  %6 = call %dx.types.twoi32 @dx.op.cycleCounterLegacy(i32 109)
  %7 = extractvalue %dx.types.twoi32 %6, 0
  %8 = extractvalue %dx.types.twoi32 %6, 1
  call void @dx.op.rawBufferStore.i32(i32 140, %dx.types.Handle %2, i32 8, i32 undef, i32 %7, i32 %8, i32 undef, i32 undef, i8 3, i32 4)
  %9 = icmp ult i32 %5, %8
  %10 = icmp eq i32 %5, %8
  %11 = icmp ule i32 %4, %7
  %12 = and i1 %10, %11
  %13 = or i1 %9, %12
  %14 = zext i1 %13 to i32
  call void @dx.op.rawBufferStore.i32(i32 140, %dx.types.Handle %2, i32 16, i32 undef, i32 %14, i32 undef, i32 undef, i32 undef, i8 1, i32 4)
  ret void
}

; Function Attrs: nounwind
declare void @dx.op.rawBufferStore.i32(i32, %dx.types.Handle, i32, i32, i32, i32, i32, i32, i8, i32) #0

; Function Attrs: nounwind readnone
declare %dx.types.Handle @dx.op.annotateHandle(i32, %dx.types.Handle, %dx.types.ResourceProperties) #1

; Function Attrs: nounwind readnone
declare %dx.types.Handle @dx.op.createHandleFromBinding(i32, %dx.types.ResBind, i32, i1) #1

declare %dx.types.twoi32 @dx.op.cycleCounterLegacy(i32) #0

attributes #0 = { nounwind }
attributes #1 = { nounwind readnone }

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
