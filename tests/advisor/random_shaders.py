# SPDX-License-Identifier: Apache-2.0
"""Random mesh shaders in GLSL, each with a fragment shader that reads all that it writes."""

import random

HEADER = """#version 460
#extension GL_EXT_mesh_shader : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
"""
WORKGROUPS = [(1, 1, 1), (3, 1, 1), (32, 1, 1), (33, 1, 1), (64, 1, 1), (96, 1, 1), (128, 1, 1), (8, 8, 1), (1, 64, 1),
              (2, 1, 16)]
# Type, components, of which a location has so many words, whether it is interpolated.
TYPES = [("float", 1, True), ("vec2", 2, True), ("vec3", 3, True), ("vec4", 4, True), ("int", 1, False),
         ("uvec2", 2, False), ("ivec3", 3, False), ("uvec4", 4, False), ("f16vec2", 2, True), ("float16_t", 1, True),
         ("dvec2", 2, False)]


class Output:
    """An output at a location, and how its index and its elements are chosen."""

    def __init__(self, choose, name, location):
        self.name, self.location = name, location
        self.type, self.components, self.is_smooth = choose.choice(TYPES)
        self.is_primitive = choose.random() < 0.4
        self.length = choose.choice([0, 0, 0, 2, 3])
        self.component = 0
        if not self.length and self.type in ("float", "vec2", "int") and choose.random() < 0.4:
            self.component = choose.randrange(5 - self.components)
        self.index = choose.choice(["lane", "lane", "lane ^ 1u", "strided", "gl_LocalInvocationID.x"])
        self.element = choose.choice(["each", "loop", "computed"]) if self.length else ""
        # Some of the components, or all.
        self.written = self.components
        if self.components > 2 and not self.length and choose.random() < 0.2:
            self.written = 2

    def locations(self):
        return max(self.length, 1)

    def qualifiers(self):
        flat = "" if self.is_smooth or self.is_primitive else "flat "
        component = f", component = {self.component}" if self.component else ""
        return f"layout(location = {self.location}{component}) {'perprimitiveEXT ' if self.is_primitive else ''}{flat}"

    def declaration(self):
        array = f"[{self.length}]" if self.length else ""
        return f"{self.qualifiers()}out {self.type} {self.name}[]{array};\n"

    def input(self):
        array = f"[{self.length}]" if self.length else ""
        flat = "flat " if self.is_primitive and not self.is_smooth else ""  # which GLSL asks for all the same
        return f"{self.qualifiers()}in {flat}{self.type} {self.name}{array};\n"

    def value(self, number):
        return f"{self.type}(data({number}))" if self.components == 1 else f"{self.type}(data4({number}).{'xyzw'[:self.components]})"

    def stores(self, index, number):
        target = f"{self.name}[{index}]"
        if self.element == "each":
            return "".join(f"{target}[{e}] = {self.value(number + e)};\n" for e in range(self.length))
        if self.element == "loop":
            return f"for (uint e = 0; e < {self.length}; e++) {{ {target}[e] = {self.value(f'{number} + e')}; }}\n"
        if self.element == "computed":
            return f"{target}[uint(data({number})) % {self.length}] = {self.value(number + 1)};\n"
        if self.written < self.components:
            parts = "xyzw"[:self.written]
            return f"{target}.{parts} = {self.value(number)}.{parts};\n"
        return f"{target} = {self.value(number)};\n"

    def reads(self):
        parts = "xyzw"[:self.written] if self.components > 1 else ""
        for element in [f"[{e}]" for e in range(self.length)] or [""]:
            for part in parts or [""]:
                yield f"float({self.name}{element}{'.' + part if part else ''})"


class MeshShader:
    """`mesh` and `frag` are sources."""

    def __init__(self, seed):
        choose = random.Random(seed)
        self.choose = choose
        self.number = 0
        self.size = choose.choice(WORKGROUPS)
        self.invocations = self.size[0] * self.size[1] * self.size[2]
        self.topology, self.indices = choose.choice([("triangles", 3), ("lines", 2), ("points", 1)])
        self.vertices = choose.choice([choose.randint(3, 256), 64, 128])
        self.primitives = choose.choice([choose.randint(1, 256), 64, 126])
        self.shared_words = choose.choice([0, 0, choose.randint(1, 6000)])
        self.outputs = self.choose_outputs()
        self.built_ins = [name for name, chance in (("gl_PointSize", 0.2), ("clip", 0.2), ("cull", 0.2),
                                                    ("gl_PrimitiveID", 0.2), ("gl_Layer", 0.2),
                                                    ("gl_ViewportIndex", 0.1), ("gl_CullPrimitiveEXT", 0.2))
                          if choose.random() < chance]
        self.distances = {name: choose.randint(1, 4) for name in ("clip", "cull")}
        self.mesh, self.frag = self.make_mesh(), self.make_frag()

    def choose_outputs(self):
        outputs, location = [], 0
        for number in range(self.choose.randint(0, 6)):
            outputs.append(Output(self.choose, f"value{number}", location))
            location += outputs[-1].locations()
        return outputs

    def next(self):
        self.number += 7
        return self.number

    def with_index(self, index, count, store):
        """Code that stores by an index."""
        if index == "strided":
            return f"for (uint i = lane; i < {count}; i += {self.invocations}) {{\n{store('i')}}}\n"
        return store(index)

    def built_in_stores(self):
        index = lambda: self.choose.choice(["lane", "lane ^ 1u", "strided"])
        vertex = lambda member, value: self.with_index(
            index(), self.vertices, lambda i: f"gl_MeshVerticesEXT[{i}].{member} = {value};\n")
        primitive = lambda member, value: self.with_index(
            index(), self.primitives, lambda i: f"gl_MeshPrimitivesEXT[{i}].{member} = {value};\n")
        code = vertex("gl_Position", f"data4({self.next()})")
        if "gl_PointSize" in self.built_ins:
            code += vertex("gl_PointSize", f"data({self.next()})")
        for name, member in (("clip", "gl_ClipDistance"), ("cull", "gl_CullDistance")):
            if name in self.built_ins:
                for element in range(self.distances[name]):
                    code += vertex(f"{member}[{element}]", f"data({self.next()})")
        for member in ("gl_PrimitiveID", "gl_Layer", "gl_ViewportIndex"):
            if member in self.built_ins:
                code += primitive(member, f"int(data({self.next()}))")
        if "gl_CullPrimitiveEXT" in self.built_ins:
            code += primitive("gl_CullPrimitiveEXT", f"data({self.next()}) < 0")
        names = {3: "Triangle", 2: "Line", 1: "Point"}
        value = {3: "uvec3(data4({}).xyz)", 2: "uvec2(data4({}).xy)", 1: "uint(data({}))"}[self.indices].format(self.next())
        return code + self.with_index(
            index(), self.primitives, lambda i: f"gl_Primitive{names[self.indices]}IndicesEXT[{i}] = {value};\n")

    def block_declarations(self):
        members = "vec4 gl_Position; "
        members += "float gl_PointSize; " if "gl_PointSize" in self.built_ins else ""
        members += f"float gl_ClipDistance[{self.distances['clip']}]; " if "clip" in self.built_ins else ""
        members += f"float gl_CullDistance[{self.distances['cull']}]; " if "cull" in self.built_ins else ""
        code = f"out gl_MeshPerVertexEXT {{ {members}}} gl_MeshVerticesEXT[];\n"
        own = [name for name in self.built_ins if name in ("gl_PrimitiveID", "gl_Layer", "gl_ViewportIndex")]
        members = "".join(f"int {name}; " for name in own)
        members += "bool gl_CullPrimitiveEXT; " if "gl_CullPrimitiveEXT" in self.built_ins else ""
        if members:
            code += f"out perprimitiveEXT gl_MeshPerPrimitiveEXT {{ {members}}} gl_MeshPrimitivesEXT[];\n"
        return code

    def make_mesh(self):
        x, y, z = self.size
        code = HEADER + f"layout(local_size_x = {x}, local_size_y = {y}, local_size_z = {z}) in;\n"
        code += f"layout({self.topology}, max_vertices = {self.vertices}, max_primitives = {self.primitives}) out;\n"
        code += "layout(binding = 0) readonly buffer Vertices { vec4 vertices[]; };\n" + self.block_declarations()
        code += "".join(output.declaration() for output in self.outputs)
        code += f"shared float kept[{self.shared_words}];\n" if self.shared_words else ""
        code += "uint lane = gl_LocalInvocationIndex;\n"
        code += "vec4 data4(uint number) { return vertices[lane * 1000 + number]; }\n"
        code += "float data(uint number) { return vertices[lane * 1000 + number].x; }\n"
        code += "void main()\n{\n" + f"SetMeshOutputsEXT({self.vertices}, {self.primitives});\n"
        if self.shared_words:
            code += f"kept[lane % {self.shared_words}] = data({self.next()});\nbarrier();\n"
        for output in self.outputs:
            count = self.primitives if output.is_primitive else self.vertices
            number = self.next()
            code += self.with_index(output.index, count, lambda i, o=output, n=number: o.stores(i, n))
        code += self.built_in_stores()
        if self.shared_words:
            code += f"gl_MeshVerticesEXT[lane].gl_Position.x = kept[(lane * 7) % {self.shared_words}];\n"
        return code + "}\n"

    def make_frag(self):
        code = HEADER + "".join(output.input() for output in self.outputs)
        code += "layout(location = 0) out vec4 color;\nvoid main()\n{\nfloat sum = 1;\n"
        reads = [read for output in self.outputs for read in output.reads()]
        reads += [f"float({name})" for name in self.built_ins
                  if name in ("gl_PrimitiveID", "gl_Layer", "gl_ViewportIndex")]
        for number, read in enumerate(reads):
            code += f"sum = sum * {number + 2} + {read};\n"
        return code + "color = vec4(sum);\n}\n"
