; Indexable registers of converted DXBC with reduced precision, which no compiler writes: assembled.
target datalayout = "e-m:e-p:32:32-i1:32-i8:32-i16:32-i32:32-i64:64-f16:32-f32:32-f64:64-n8:16:32:64"
target triple = "dxil-ms-dx"

%dx.types.Handle = type { i8* }
%dx.types.ResBind = type { i32, i32, i32, i8 }
%dx.types.ResourceProperties = type { i32, i32 }
%dx.types.ResRet.i32 = type { i32, i32, i32, i32, i32 }
%struct.RWByteAddressBuffer = type { i32 }

define void @main() {
  %1 = alloca [16 x float], align 4
  %2 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 1 }, i32 0, i1 false)
  %3 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %2, %dx.types.ResourceProperties { i32 4107, i32 0 })
  %4 = call %dx.types.ResRet.i32 @dx.op.rawBufferLoad.i32(i32 139, %dx.types.Handle %3, i32 0, i32 undef, i8 7, i32 4)
  %5 = extractvalue %dx.types.ResRet.i32 %4, 0
  %6 = extractvalue %dx.types.ResRet.i32 %4, 1
  %7 = extractvalue %dx.types.ResRet.i32 %4, 2
  %8 = trunc i32 %6 to i16
  %9 = trunc i32 %7 to i16
  %10 = uitofp i16 %8 to half
  %11 = getelementptr [16 x float], [16 x float]* %1, i32 0, i32 0
  %12 = getelementptr [16 x float], [16 x float]* %1, i32 0, i32 8
  call void @dx.op.minPrecXRegStore.f16(i32 3, float* %11, i32 %5, i8 1, half %10)
  call void @dx.op.minPrecXRegStore.i16(i32 3, float* %11, i32 %5, i8 2, i16 %9)
  call void @dx.op.minPrecXRegStore.f16(i32 3, float* %11, i32 3, i8 3, half 0xH4248)
  store float 7.500000e+00, float* %11, align 4
  %13 = call half @dx.op.minPrecXRegLoad.f16(i32 2, float* %11, i32 %5, i8 1)
  %14 = fadd fast half %13, 0xH3800
  %15 = fpext half %14 to float
  %16 = call i16 @dx.op.minPrecXRegLoad.i16(i32 2, float* %11, i32 %5, i8 2)
  %17 = zext i16 %16 to i32
  %18 = call half @dx.op.minPrecXRegLoad.f16(i32 2, float* %12, i32 1, i8 3)
  %19 = fpext half %18 to float
  %20 = load float, float* %11, align 4
  %21 = bitcast float %15 to i32
  %22 = bitcast float %19 to i32
  %23 = bitcast float %20 to i32
  call void @dx.op.rawBufferStore.i32(i32 140, %dx.types.Handle %3, i32 12, i32 undef, i32 %21, i32 %17, i32 %22, i32 %23, i8 15, i32 4)
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

declare void @dx.op.minPrecXRegStore.f16(i32, float*, i32, i8, half) #1
declare void @dx.op.minPrecXRegStore.i16(i32, float*, i32, i8, i16) #1
declare half @dx.op.minPrecXRegLoad.f16(i32, float*, i32, i8) #0
declare i16 @dx.op.minPrecXRegLoad.i16(i32, float*, i32, i8) #0

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
!8 = !{i32 0, i64 48, i32 4, !9}
!9 = !{i32 1, i32 1, i32 1}
