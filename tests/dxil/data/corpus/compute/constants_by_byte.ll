; Constants by byte, which DXC no longer writes: assembled.
target datalayout = "e-m:e-p:32:32-i1:32-i8:32-i16:32-i32:32-i64:64-f16:32-f32:32-f64:64-n8:16:32:64"
target triple = "dxil-ms-dx"

%dx.types.Handle = type { i8* }
%dx.types.ResBind = type { i32, i32, i32, i8 }
%dx.types.ResourceProperties = type { i32, i32 }
%dx.types.ResRet.i32 = type { i32, i32, i32, i32, i32 }
%struct.RWByteAddressBuffer = type { i32 }
%Constants = type { [16 x i32] }

define void @main() {
  %1 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 1 }, i32 0, i1 false)
  %2 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %1, %dx.types.ResourceProperties { i32 4107, i32 0 })
  %3 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 2 }, i32 0, i1 false)
  %4 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %3, %dx.types.ResourceProperties { i32 13, i32 64 })
  %5 = call i32 @dx.op.cbufferLoad.i32(i32 58, %dx.types.Handle %4, i32 4, i32 4)
  %6 = call float @dx.op.cbufferLoad.f32(i32 58, %dx.types.Handle %4, i32 %5, i32 4)
  %7 = fadd float %6, 1.000000e+00
  %8 = call i64 @dx.op.cbufferLoad.i64(i32 58, %dx.types.Handle %4, i32 24, i32 8)
  %9 = trunc i64 %8 to i32
  %10 = lshr i64 %8, 32
  %11 = trunc i64 %10 to i32
  %12 = bitcast float %7 to i32
  %13 = call double @dx.op.cbufferLoad.f64(i32 58, %dx.types.Handle %4, i32 48, i32 8)
  %14 = fptrunc double %13 to float
  %15 = bitcast float %14 to i32
  call void @dx.op.rawBufferStore.i32(i32 140, %dx.types.Handle %2, i32 0, i32 undef, i32 %12, i32 %9, i32 %11, i32 %15, i8 15, i32 4)
  ret void
}

; Function Attrs: nounwind
declare void @dx.op.rawBufferStore.i32(i32, %dx.types.Handle, i32, i32, i32, i32, i32, i32, i8, i32) #1

; Function Attrs: nounwind readnone
declare %dx.types.Handle @dx.op.annotateHandle(i32, %dx.types.Handle, %dx.types.ResourceProperties) #2

; Function Attrs: nounwind readnone
declare %dx.types.Handle @dx.op.createHandleFromBinding(i32, %dx.types.ResBind, i32, i1) #2


declare i32 @dx.op.cbufferLoad.i32(i32, %dx.types.Handle, i32, i32) #0
declare float @dx.op.cbufferLoad.f32(i32, %dx.types.Handle, i32, i32) #0
declare i64 @dx.op.cbufferLoad.i64(i32, %dx.types.Handle, i32, i32) #0
declare double @dx.op.cbufferLoad.f64(i32, %dx.types.Handle, i32, i32) #0

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
!4 = !{null, !5, !10, null}
!5 = !{!6}
!6 = !{i32 0, %struct.RWByteAddressBuffer* undef, !"", i32 0, i32 0, i32 1, i32 11, i1 false, i1 false, i1 false, null}
!7 = !{void ()* @main, !"main", null, !4, !8}
!8 = !{i32 0, i64 1048596, i32 4, !9}
!9 = !{i32 1, i32 1, i32 1}
!10 = !{!11}
!11 = !{i32 0, %Constants* undef, !"", i32 0, i32 0, i32 1, i32 64, null}
