# SPDX-License-Identifier: Apache-2.0
"""DXIL text about native vectors, right and wrong: each operation on each type and length, and each rule broken."""
import pathlib
import re

SOURCES = pathlib.Path(__file__).resolve().parents[3] / "src/dxil"
NUMBER = re.compile(r"^    (\w+) = (\d+),", re.MULTILINE)
ROW = re.compile(r'\{opcode::(\w+), "(\w+)", "(\w+)", "(\w*)", "(\w*)", "([^"]*)", (\d+), (0x[0-9a-f]+)\}')
# The letters of operation_table.h.
TYPES = {"h": ("half", "f16", 2), "f": ("float", "f32", 4), "d": ("double", "f64", 8), "1": ("i1", "i1", 4),
         "w": ("i16", "i16", 2), "i": ("i32", "i32", 4), "l": ("i64", "i64", 8), "8": ("i8", "i8", 1)}
LENGTHS = (2, 3, 4, 5, 16, 64)

HEADER = """target datalayout = "e-m:e-p:32:32-i1:32-i8:8-i16:16-i32:32-i64:64-f16:16-f32:32-f64:64-n8:16:32:64"
target triple = "dxil-ms-dx"
%dx.types.Handle = type { i8* }
%dx.types.ResBind = type { i32, i32, i32, i8 }
%dx.types.ResourceProperties = type { i32, i32 }
%dx.types.ResRet.f32 = type { float, float, float, float, i32 }
%dx.types.CBufRet.f32 = type { float, float, float, float }
%dx.types.fouri32 = type { i32, i32, i32, i32 }
"""

FOOTER = """
attributes #0 = { nounwind readnone }
attributes #1 = { nounwind readonly }
attributes #2 = { nounwind }
!dx.version = !{!0}
!dx.valver = !{!1}
!dx.shaderModel = !{!2}
!dx.resources = !{!3}
!dx.entryPoints = !{!20}
!0 = !{i32 1, i32 MINOR}
!1 = !{i32 1, i32 9}
!2 = !{!"cs", i32 6, i32 MINOR}
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
!21 = !{i32 0, i64 FLAGS, i32 4, !22}
!22 = !{i32 8, i32 8, i32 1}
"""

STRUCTS = """%struct.ByteAddressBuffer = type { i32 }
%struct.RWByteAddressBuffer = type { i32 }
%struct.RWStructured = type { [16 x float] }
%struct.RWTyped = type { float }
%struct.Structured = type { [16 x float] }
%struct.Texture = type { float }
%struct.Constants = type { [4 x <4 x float>] }
%struct.SamplerState = type { i32 }
"""

# Name: range, class, and what annotateHandle says.
RESOURCES = {"raw": (0, 0, 11, 0), "structured": (1, 0, 12, 64), "texture": (2, 0, 2, 1033), "rwraw": (0, 1, 4107, 0),
             "rwstructured": (1, 1, 4108, 64), "rwtyped": (2, 1, 4106, 265), "constants": (0, 2, 13, 64),
             "sampler": (0, 3, 14, 0)}


def vector(letter, count):
    return f"<{count} x {TYPES[letter][0]}>"


def suffix(letter, count):
    return f"v{count}{TYPES[letter][1]}"


class Program:
    """A compute shader: text line by line, with the declarations of the operations that it calls."""

    def __init__(self, minor=9):
        self.minor = minor
        self.lines = []
        self.types = {}
        self.declared = {}
        self.globals = []
        self.count = 0

    def add(self, text):
        self.lines.append("  " + text)

    def value(self, text):
        self.count += 1
        self.add(f"%x{self.count} = {text}")
        return f"%x{self.count}"

    def call(self, result, function, arguments, attribute=2):
        types = ", ".join(a.rsplit(" ", 1)[0] if not a.endswith("}") else a.split(" {")[0] for a in arguments)
        self.declared[function] = f"declare {result} @dx.op.{function}({types}) #{attribute}"
        text = f"call {result} @dx.op.{function}({', '.join(arguments)})"
        if result == "void":
            self.add(text)
            return None
        return self.value(text)

    def handle(self, name):
        at, kind, low, high = RESOURCES[name]
        bind = f"%dx.types.ResBind {{ i32 {at}, i32 {at}, i32 0, i8 {kind} }}"
        made = self.call("%dx.types.Handle", "createHandleFromBinding", ["i32 217", bind, f"i32 {at}", "i1 false"], 0)
        return self.call("%dx.types.Handle", "annotateHandle",
                         ["i32 216", f"%dx.types.Handle {made}", f"%dx.types.ResourceProperties {{ i32 {low}, i32 {high} }}"], 0)

    def thread(self):
        return self.call("i32", "threadId.i32", ["i32 93", "i32 0"], 0)

    def load(self, letter, count, name="raw", offset="undef", align="4", at="0"):
        if letter == "1":
            number = self.load("i", count, name, offset, align, at)
            return self.value(f"icmp ne {vector('i', count)} {number}, zeroinitializer")
        self.types[suffix(letter, count)] = f"{{ {vector(letter, count)}, i32 }}"
        result = self.call(f"%dx.types.ResRet.{suffix(letter, count)}", f"rawBufferVectorLoad.{suffix(letter, count)}",
                           ["i32 303", f"%dx.types.Handle {self.handle(name)}", f"i32 {at}", f"i32 {offset}", f"i32 {align}"], 1)
        return self.value(f"extractvalue %dx.types.ResRet.{suffix(letter, count)} {result}, 0")

    def store(self, letter, count, value, name="rwraw", offset="undef", align="4", at="0"):
        if letter == "1":
            value = self.value(f"zext {vector('1', count)} {value} to {vector('i', count)}")
            letter = "i"
        self.call("void", f"rawBufferVectorStore.{suffix(letter, count)}",
                  ["i32 304", f"%dx.types.Handle {self.handle(name)}", f"i32 {at}", f"i32 {offset}",
                   f"{vector(letter, count)} {value}", f"i32 {align}"])

    def store_scalar(self, letter, value):
        if letter in "1":
            value, letter = self.value(f"zext i1 {value} to i32"), "i"
        kind = TYPES[letter][0]
        self.call("void", f"rawBufferStore.{TYPES[letter][1]}",
                  ["i32 140", f"%dx.types.Handle {self.handle('rwraw')}", "i32 0", "i32 undef", f"{kind} {value}",
                   f"{kind} undef", f"{kind} undef", f"{kind} undef", "i8 1", "i32 4"])

    def text(self):
        types = "".join(f"%dx.types.ResRet.{name} = type {body}\n" for name, body in self.types.items())
        body = "\n".join(self.lines)
        return (HEADER + types + STRUCTS + "".join(g + "\n" for g in self.globals) + f"define void @main() {{\nentry:\n{body}\n  ret void\n}}\n"
                + "\n".join(self.declared.values()) + FOOTER.replace("MINOR", str(self.minor)).replace("FLAGS", "16"))


def with_flags(text, flags):
    return re.sub(r"!21 = !\{i32 0, i64 \d+", f"!21 = !{{i32 0, i64 {flags}", text)


def operations():
    numbers = dict(NUMBER.findall((SOURCES / "opcodes.h").read_text(encoding="utf-8")))
    rows = ROW.findall((SOURCES / "operation_table.cpp").read_text(encoding="utf-8"))
    if not rows:
        raise SystemExit("no operations found in operation_table.cpp")
    for constant, name, function, scalars, vectors, signature, _, stages in rows:
        opcode = int(numbers[constant])
        if vectors and int(stages, 16) >> 5 & 1 and opcode not in (303, 304):
            yield opcode, name, function, scalars, vectors, signature


def call_operation(program, opcode, function, signature, letter, count):
    """Calls with operands from memory and stores what comes out of it."""
    results = {"o": (letter, count), "b": ("1", count), "n": ("i", count), "e": (letter, 1), "?": (None, 4)}
    kinds = {"o": vector(letter, count), "b": vector("1", count), "n": vector("i", count), "e": TYPES[letter][0],
             "?": "%dx.types.fouri32"}
    immediates = {"i": "i32 0", "8": "i8 0", "1": "i1 false"}
    arguments = [f"i32 {opcode}"]
    for code in signature[2:]:
        arguments.append(f"{vector(letter, count)} {program.load(letter, count)}" if code == "o" else immediates[code])
    got = program.call(kinds[signature[0]], f"{function}.{suffix(letter, count)}", arguments, 2 if "ave" in function or "uad" in function else 0)
    out, shape = results[signature[0]]
    if signature[0] == "?":
        program.store_scalar("i", program.value(f"extractvalue %dx.types.fouri32 {got}, 0"))
    elif signature[0] == "e":
        program.store_scalar(out, got)
    else:
        program.store(out, shape, got)


def overloads():
    for opcode, name, function, _, vectors, signature in operations():
        for letter in "hfd1wil":
            allowed = letter in vectors
            for count in LENGTHS if allowed else (4,):
                program = Program()
                call_operation(program, opcode, function, signature, letter, count)
                yield f"{name}.{suffix(letter, count)}", program
        letter = next(c for c in vectors if c not in "8")
        for what, minor, count in (("one", 9, 1), ("early", 8, 4)):
            program = Program(minor)
            call_operation(program, opcode, function, signature, letter, count)
            yield f"{name}.{what}", program


def memory():
    for letter in "hfdwil":
        for count in (1, *LENGTHS, 1024):
            program = Program()
            program.store(letter, count, program.load(letter, count))
            yield f"copy.{suffix(letter, count)}", program
        for minor in (8, 9):
            for count in (1, 4, 17):
                kind, element = vector(letter, count), TYPES[letter][0]
                for what, place in (("alloca", ""), ("static", "internal global"), ("shared", "addrspace(3) global")):
                    for shape in ("vector", "array", "struct"):
                        yield (f"{what}.{shape}.{minor}.{suffix(letter, count)}",
                               variable(minor, kind, element, place, shape, letter))


def variable(minor, kind, element, place, shape, letter):
    """An element that is written with an index that is not constant and read with one that is."""
    program = Program(minor)
    whole = {"vector": kind, "array": f"[3 x {kind}]", "struct": f"{{ i32, {kind} }}"}[shape]
    space = " addrspace(3)" if "addrspace" in place else ""
    if place:
        program.globals.append(f"@g = {'external ' if space else ''}{place} {whole}{'' if space else ' zeroinitializer'}, align 4")
        base = "@g"
    else:
        base = program.value(f"alloca {whole}, align 4")
    index = program.thread()
    path = {"vector": "", "array": ", i32 1", "struct": ", i32 1"}[shape]
    written = program.value(f"getelementptr {whole}, {whole}{space}* {base}, i32 0{path}, i32 {index}")
    program.add(f"store {element} {'1.0' if letter in 'hfd' else '1'}, {element}{space}* {written}, align 4")
    read = program.value(f"getelementptr {whole}, {whole}{space}* {base}, i32 0{path}, i32 0")
    program.store_scalar(letter, program.value(f"load {element}, {element}{space}* {read}, align 4"))
    return program


def instructions():
    """Instructions on vectors that are right."""
    shapes = {
        "add": "add <5 x i32> {a}, {b}", "mul": "mul <5 x i32> {a}, {b}", "sdiv": "sdiv <5 x i32> {a}, {b}",
        "shl": "shl <5 x i32> {a}, {b}", "xor": "xor <5 x i32> {a}, {b}", "urem": "urem <5 x i32> {a}, {b}",
        "shuffle": "shufflevector <5 x i32> {a}, <5 x i32> {b}, <5 x i32> <i32 9, i32 0, i32 undef, i32 3, i32 5>",
        "shuffle_undef": "shufflevector <5 x i32> {a}, <5 x i32> undef, <5 x i32> zeroinitializer",
        "shuffle_undef_first": "shufflevector <5 x i32> undef, <5 x i32> {b}, <5 x i32> zeroinitializer",
        "insert": "insertelement <5 x i32> {a}, i32 7, i32 3",
        "insert_dynamic": "insertelement <5 x i32> {a}, i32 7, i32 {t}",
        "insert_into_undef": "insertelement <5 x i32> undef, i32 {t}, i32 3",
        "insert_undef": "insertelement <5 x i32> {a}, i32 undef, i32 3",
        "insert_at_undef": "insertelement <5 x i32> {a}, i32 1, i32 undef",
        "add_undef": "add <5 x i32> {a}, undef",
        "add_half_undef": "add <5 x i32> {a}, <i32 1, i32 undef, i32 1, i32 1, i32 1>",
        "select": "select i1 {c}, <5 x i32> {a}, <5 x i32> {b}",
        "select_undef": "select i1 {c}, <5 x i32> {a}, <5 x i32> undef",
        "select_vector": "select <5 x i1> {v}, <5 x i32> {a}, <5 x i32> {b}",
        "cast": "bitcast <5 x float> {f} to <5 x i32>", "convert": "fptosi <5 x float> {f} to <5 x i32>",
        "divide_by_zero": "sdiv <5 x i32> {a}, zeroinitializer",
    }
    for name, text in shapes.items():
        for minor in (8, 9):
            program = Program(minor)
            a, b, f = program.load("i", 5), program.load("i", 5), program.load("f", 5)
            v = program.value(f"icmp ult <5 x i32> {a}, {b}")
            t = program.thread()
            c = program.value(f"icmp eq i32 {t}, 3")
            program.store("i", 5, program.value(text.format(a=a, b=b, f=f, v=v, t=t, c=c)))
            yield f"instruction.{name}.{minor}", program
    for name, text in {"extract": "extractelement <5 x i32> {a}, i32 2", "extract_dynamic": "extractelement <5 x i32> {a}, i32 {t}",
                       "extract_undef": "extractelement <5 x i32> undef, i32 2",
                       "extract_at_undef": "extractelement <5 x i32> {a}, i32 undef"}.items():
        program = Program()
        a, t = program.load("i", 5), program.thread()
        program.store_scalar("i", program.value(text.format(a=a, t=t)))
        yield f"instruction.{name}", program


def buffers():
    for name in RESOURCES:
        for what, count in (("vector", 4), ("long", 16)):
            for offset in ("undef", "0"):
                program = Program()
                program.store("f", count, program.load("f", count, name, offset))
                yield f"load.{what}.{name}.{offset}", program
                program = Program()
                program.store("f", count, program.load("f", count), name, offset)
                yield f"store.{what}.{name}.{offset}", program
    for name, offset in (("raw", "undef"), ("structured", "8")):
        program = Program()
        program.store("f", 4, program.load("f", 4, name, offset, program.thread()))
        yield f"load.align.{name}", program
        program = Program()
        program.store("f", 4, program.load("f", 4), "rw" + name, offset, program.thread())
        yield f"store.align.{name}", program
        program = Program()
        program.store("f", 4, "undef", "rw" + name, offset)
        yield f"store.undef.{name}", program
        for part, value in (("dynamic_offset", "%x1"), ("big_align", "4096"), ("odd_align", "3"), ("zero_align", "0")):
            program = Program()
            program.thread()
            loaded = program.load("f", 4, name, value if "offset" in part and name == "structured" else offset,
                                  "4" if "offset" in part else value, "%x1")
            program.store("f", 4, loaded)
            yield f"load.{part}.{name}", program


def odd():
    """What fits nowhere else."""
    program = Program()
    program.store("i", 4, program.value(f"add <4 x i32> {program.load('i', 4)}, {program.load('i', 4)}"))
    yield "odd.plain", program
    for bits in (8, 25, 128):
        program = Program()
        place = program.value(f"alloca <4 x i{bits}>")
        program.add(f"store <4 x i{bits}> zeroinitializer, <4 x i{bits}>* {place}")
        yield f"odd.i{bits}", program
    program = Program()
    program.value("alloca [2 x [3 x <4 x float>]]")
    yield "odd.two_dimensions", program
    for index, name in ((2, "inside"), (3, "outside"), (100, "far_outside")):
        program = Program()
        place = program.value("alloca [3 x <4 x float>]")
        at = program.value(f"getelementptr [3 x <4 x float>], [3 x <4 x float>]* {place}, i32 0, i32 {index}")
        program.add(f"store <4 x float> zeroinitializer, <4 x float>* {at}, align 4")
        yield f"odd.element_{name}", program
    for name, text in (("select", "select i1 {c}, <4 x float> addrspace(3)* @g, <4 x float> addrspace(3)* @h"),
                       ("gep", "getelementptr <4 x float>, <4 x float> addrspace(3)* @g, i32 0")):
        program = Program()
        program.globals += ["@g = external addrspace(3) global <4 x float>, align 4",
                            "@h = external addrspace(3) global <4 x float>, align 4"]
        c = program.value(f"icmp eq i32 {program.thread()}, 3")
        program.add("store <4 x float> zeroinitializer, <4 x float> addrspace(3)* @h, align 4")
        place = program.value(text.format(c=c))
        program.store("f", 4, program.value(f"load <4 x float>, <4 x float> addrspace(3)* {place}, align 4"))
        yield f"odd.shared_{name}", program
    for name, opcode, function in (("wrong_function", 12, "binary"), ("unknown_opcode", 4000, "unary"), ("reserved", 305, "unary")):
        program = Program()
        value = f"<4 x float> {program.load('f', 4)}"
        arguments = [f"i32 {opcode}", value] + ([value] if function == "binary" else [])
        program.store("f", 4, program.call("<4 x float>", f"{function}.v4f32", arguments, 0))
        yield f"odd.{name}", program
    program = Program()
    loaded = program.load("f", 4)
    got = program.call("float", "dot4.v4f32", ["i32 56"] + [f"<4 x float> {loaded}"] * 8, 0)
    program.store_scalar("f", got)
    yield "odd.dot4", program
    program = Program()
    got = program.call("<4 x float>", "cbufferLoad.v4f32",
                       ["i32 58", f"%dx.types.Handle {program.handle('constants')}", "i32 0", "i32 8"], 1)
    program.store("f", 4, got)
    yield "odd.constants", program
    program = Program()
    program.store("f", 4, program.call("<4 x float>", "loadInput.v4f32",
                                       ["i32 4", "i32 0", "i32 0", "i8 0", "i32 undef"], 0))
    yield "odd.input", program
    program = Program()
    pair = program.value("insertvalue { i32, <4 x float> } undef, i32 1, 0")
    program.store_scalar("i", program.value(f"extractvalue {{ i32, <4 x float> }} {pair}, 0"))
    yield "odd.struct", program


def programs():
    for source in (overloads, memory, instructions, buffers, odd):
        for name, program in source():
            yield name, program.text()
