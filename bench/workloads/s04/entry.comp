#version 460
// SPDX-License-Identifier: Apache-2.0
// Sends 72 empty payloads to 14 nodes, some of them in arrays with gaps.
layout(name = "entry", coalescing) node;
layout(local_size_x = 1) in;

layout(node = "a") nodeout void a[16];
layout(node = "b") nodeout void b[16];
layout(node = "c", array_size = 2) nodeout void c[16];
layout(node = "d", array_size = 2) nodeout void d[16];
layout(node = "e", array_size = 4, sparse) nodeout void e[16];
layout(node = "f", array_size = 4, sparse) nodeout void f[16];
layout(node = "g", array_size = 9, sparse) nodeout void g[16];
layout(node = "h", array_size = 9, sparse) nodeout void h[16];

#define SEND(output_, index_, count_)                 \
    allocateInvocationAt(output_, index_, count_);    \
    enqueue(output_);

void main()
{
    allocateInvocation(a, 5);
    enqueue(a);
    allocateInvocation(b, 5);
    enqueue(b);
    SEND(c, 0, 4)
    SEND(c, 1, 6)
    SEND(d, 0, 4)
    SEND(d, 1, 6)
    SEND(e, 1, 3)
    SEND(e, 3, 2)
    SEND(f, 1, 3)
    SEND(f, 3, 2)
    SEND(g, 7, 9)
    SEND(g, 8, 7)
    SEND(h, 7, 9)
    SEND(h, 8, 7)
}
