; refused: a variable that holds outputs or records of a node
target datalayout = "e-m:e-p:32:32-i1:32-i8:32-i16:32-i32:32-i64:64-f16:32-f32:32-f64:64-n8:16:32:64"
target triple = "dxil-ms-dx"

%dx.types.NodeHandle = type { i8* }
%dx.types.NodeInfo = type { i32, i32 }
%dx.types.NodeRecordHandle = type { i8* }
%dx.types.NodeRecordInfo = type { i32, i32 }
%struct.Item = type { i32 }

define void @top() {
  %kept = alloca %dx.types.NodeRecordHandle, align 4
  %1 = call %dx.types.NodeHandle @dx.op.createNodeOutputHandle(i32 247, i32 0)
  %2 = call %dx.types.NodeHandle @dx.op.annotateNodeHandle(i32 249, %dx.types.NodeHandle %1, %dx.types.NodeInfo { i32 6, i32 4 })
  %3 = call %dx.types.NodeRecordHandle @dx.op.createNodeInputRecordHandle(i32 250, i32 0)
  %4 = call %dx.types.NodeRecordHandle @dx.op.annotateNodeRecordHandle(i32 251, %dx.types.NodeRecordHandle %3, %dx.types.NodeRecordInfo { i32 33, i32 4 })
  %5 = call %dx.types.NodeRecordHandle @dx.op.allocateNodeOutputRecords(i32 238, %dx.types.NodeHandle %2, i32 1, i1 true)
  %6 = call %dx.types.NodeRecordHandle @dx.op.annotateNodeRecordHandle(i32 251, %dx.types.NodeRecordHandle %5, %dx.types.NodeRecordInfo { i32 38, i32 4 })
  store %dx.types.NodeRecordHandle %6, %dx.types.NodeRecordHandle* %kept, align 4
  %again = load %dx.types.NodeRecordHandle, %dx.types.NodeRecordHandle* %kept, align 4
  %7 = call %struct.Item addrspace(6)* @dx.op.getNodeRecordPtr.struct.Item(i32 239, %dx.types.NodeRecordHandle %4, i32 0)
  %8 = getelementptr %struct.Item, %struct.Item addrspace(6)* %7, i32 0, i32 0
  %9 = load i32, i32 addrspace(6)* %8, align 4
  %10 = call %struct.Item addrspace(6)* @dx.op.getNodeRecordPtr.struct.Item(i32 239, %dx.types.NodeRecordHandle %6, i32 0)
  %11 = getelementptr %struct.Item, %struct.Item addrspace(6)* %10, i32 0, i32 0
  store i32 %9, i32 addrspace(6)* %11, align 4
  call void @dx.op.outputComplete(i32 241, %dx.types.NodeRecordHandle %again)
  ret void
}

declare %struct.Item addrspace(6)* @dx.op.getNodeRecordPtr.struct.Item(i32, %dx.types.NodeRecordHandle, i32) #0

declare %dx.types.NodeRecordHandle @dx.op.allocateNodeOutputRecords(i32, %dx.types.NodeHandle, i32, i1) #1

declare void @dx.op.outputComplete(i32, %dx.types.NodeRecordHandle) #1

declare %dx.types.NodeRecordHandle @dx.op.annotateNodeRecordHandle(i32, %dx.types.NodeRecordHandle, %dx.types.NodeRecordInfo) #0

declare %dx.types.NodeRecordHandle @dx.op.createNodeInputRecordHandle(i32, i32) #0

declare %dx.types.NodeHandle @dx.op.createNodeOutputHandle(i32, i32) #0

declare %dx.types.NodeHandle @dx.op.annotateNodeHandle(i32, %dx.types.NodeHandle, %dx.types.NodeInfo) #0

attributes #0 = { nounwind readnone }
attributes #1 = { nounwind }

!llvm.ident = !{!0}
!dx.version = !{!1}
!dx.valver = !{!2}
!dx.shaderModel = !{!3}
!dx.typeAnnotations = !{!4}
!dx.entryPoints = !{!8, !9}

!0 = !{!"dxc(private) 1.9.0.5517 (9757d44fa)"}
!1 = !{i32 1, i32 8}
!2 = !{i32 1, i32 10}
!3 = !{!"lib", i32 6, i32 8}
!4 = !{i32 1, void ()* @top, !5}
!5 = !{!6}
!6 = !{i32 0, !7, !7}
!7 = !{}
!8 = !{null, !"", null, null, null}
!9 = !{void ()* @top, !"top", null, null, !10}
!10 = !{i32 8, i32 15, i32 13, i32 3, i32 15, !11, i32 16, i32 -1, i32 20, !12, i32 21, !15, i32 4, !18, i32 5, !19}
!11 = !{!"top", i32 0}
!12 = !{!13}
!13 = !{i32 1, i32 33, i32 2, !14}
!14 = !{i32 0, i32 4, i32 2, i32 4}
!15 = !{!16}
!16 = !{i32 1, i32 6, i32 2, !14, i32 3, i32 1, i32 0, !17}
!17 = !{!"one", i32 0}
!18 = !{i32 1, i32 1, i32 1}
!19 = !{i32 0}

