; refused: a variable that holds resources of which not all come from one descriptor heap
target datalayout = "e-m:e-p:32:32-i1:32-i8:32-i16:32-i32:32-i64:64-f16:32-f32:32-f64:64-n8:16:32:64"
target triple = "dxil-ms-dx"

%dx.types.Handle = type { i8* }
%dx.types.ResBind = type { i32, i32, i32, i8 }
%dx.types.ResourceProperties = type { i32, i32 }
%dx.types.ResRet.i32 = type { i32, i32, i32, i32, i32 }
%struct.RWByteAddressBuffer = type { i32 }

define void @main() {
  %1 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 1 }, i32 0, i1 false)
  %2 = call i32 @dx.op.threadId.i32(i32 93, i32 0)
  %3 = alloca [3 x %dx.types.Handle], align 8
  %4 = bitcast [3 x %dx.types.Handle]* %3 to i8*
  call void @llvm.lifetime.start(i64 12, i8* %4) #0
  %5 = getelementptr inbounds [3 x %dx.types.Handle], [3 x %dx.types.Handle]* %3, i32 0, i32 0
  %6 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %1, %dx.types.ResourceProperties { i32 4107, i32 0 })
  %7 = call %dx.types.ResRet.i32 @dx.op.rawBufferLoad.i32(i32 139, %dx.types.Handle %6, i32 0, i32 undef, i8 1, i32 4)
  %8 = extractvalue %dx.types.ResRet.i32 %7, 0
  %9 = call %dx.types.Handle @dx.op.createHandleFromHeap(i32 218, i32 %8, i1 false, i1 false)
  store %dx.types.Handle %9, %dx.types.Handle* %5, align 8
  %10 = getelementptr inbounds [3 x %dx.types.Handle], [3 x %dx.types.Handle]* %3, i32 0, i32 1
  %11 = add i32 %8, 1
  %12 = call %dx.types.Handle @dx.op.createHandleFromBinding(i32 217, %dx.types.ResBind { i32 0, i32 0, i32 0, i8 1 }, i32 0, i1 false)
  store %dx.types.Handle %12, %dx.types.Handle* %10, align 4
  %13 = getelementptr inbounds [3 x %dx.types.Handle], [3 x %dx.types.Handle]* %3, i32 0, i32 2
  %14 = add i32 %8, 2
  %15 = call %dx.types.Handle @dx.op.createHandleFromHeap(i32 218, i32 %14, i1 false, i1 false)
  store %dx.types.Handle %15, %dx.types.Handle* %13, align 8
  %16 = call %dx.types.ResRet.i32 @dx.op.rawBufferLoad.i32(i32 139, %dx.types.Handle %6, i32 4, i32 undef, i8 1, i32 4)
  %17 = extractvalue %dx.types.ResRet.i32 %16, 0
  %18 = urem i32 %17, 3
  %19 = shl i32 %2, 2
  %20 = getelementptr inbounds [3 x %dx.types.Handle], [3 x %dx.types.Handle]* %3, i32 0, i32 %18
  %21 = load %dx.types.Handle, %dx.types.Handle* %20, align 4
  %22 = call %dx.types.Handle @dx.op.annotateHandle(i32 216, %dx.types.Handle %21, %dx.types.ResourceProperties { i32 4107, i32 0 })
  call void @dx.op.rawBufferStore.i32(i32 140, %dx.types.Handle %22, i32 %19, i32 undef, i32 %2, i32 undef, i32 undef, i32 undef, i8 1, i32 4)
  call void @llvm.lifetime.end(i64 12, i8* %4) #0
  ret void
}

declare void @llvm.lifetime.start(i64, i8* nocapture) #0

declare void @llvm.lifetime.end(i64, i8* nocapture) #0

declare i32 @dx.op.threadId.i32(i32, i32) #1

declare %dx.types.Handle @dx.op.createHandleFromHeap(i32, i32, i1, i1) #1

declare %dx.types.ResRet.i32 @dx.op.rawBufferLoad.i32(i32, %dx.types.Handle, i32, i32, i8, i32) #2

declare void @dx.op.rawBufferStore.i32(i32, %dx.types.Handle, i32, i32, i32, i32, i32, i32, i8, i32) #0

declare %dx.types.Handle @dx.op.annotateHandle(i32, %dx.types.Handle, %dx.types.ResourceProperties) #1

declare %dx.types.Handle @dx.op.createHandleFromBinding(i32, %dx.types.ResBind, i32, i1) #1

attributes #0 = { nounwind }
attributes #1 = { nounwind readnone }
attributes #2 = { nounwind readonly }

!llvm.ident = !{!0}
!dx.version = !{!1}
!dx.valver = !{!2}
!dx.shaderModel = !{!3}
!dx.resources = !{!4}
!dx.entryPoints = !{!7}

!0 = !{!"dxc(private) 1.9.0.5517 (9757d44fa)"}
!1 = !{i32 1, i32 8}
!2 = !{i32 1, i32 10}
!3 = !{!"cs", i32 6, i32 8}
!4 = !{null, !5, null, null}
!5 = !{!6}
!6 = !{i32 0, %struct.RWByteAddressBuffer* undef, !"", i32 0, i32 0, i32 1, i32 11, i1 false, i1 false, i1 false, null}
!7 = !{void ()* @main, !"main", null, !4, !8}
!8 = !{i32 0, i64 9663676432, i32 4, !9}
!9 = !{i32 8, i32 1, i32 1}

