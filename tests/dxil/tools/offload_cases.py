# SPDX-License-Identifier: Apache-2.0
"""Reads tests of llvm's offload-test-suite: shader, pipeline description, and what is expected of which buffers."""
import re
import shlex
import struct

import yaml  # Debian: python3-yaml

PARTS = re.compile(r"^(?:#|//)--- ?(\S+)[^\n]*\n", re.MULTILINE)
# Name to size and code of struct. 16-bit floats are written as their bits, booleans as 32 bits.
FORMATS = {"Hex8": (1, "B"), "Hex16": (2, "H"), "Hex32": (4, "I"), "Hex64": (8, "Q"), "UInt16": (2, "H"), "UInt32": (4, "I"),
           "UInt64": (8, "Q"), "Int16": (2, "h"), "Int32": (4, "i"), "Int64": (8, "q"), "Float16": (2, "H"), "Float32": (4, "f"),
           "Float64": (8, "d"), "Depth32": (4, "f"), "Bool": (4, "I")}
# Kind of a resource to the class of its register.
BUFFERS = {"StructuredBuffer": "t", "ByteAddressBuffer": "t", "RWStructuredBuffer": "u", "RWByteAddressBuffer": "u",
           "ConstantBuffer": "b"}
TYPED = {"Buffer": "t", "RWBuffer": "u"}
# Of numbers in the texels of typed buffers; those of 64 bits are two of 32, as Direct3D has them.
TEXEL_KINDS = {"UInt16": "ui", "Int16": "i", "Float16": "f", "UInt32": "ui", "Int32": "i", "Float32": "f", "UInt64": "ui",
               "Int64": "ui", "Float64": "ui", "Hex32": "ui"}


class Unsupported(Exception):
    """What is wanted that nodes of `millrace run` have not, or that is not Direct3D's."""


def number(text, code):
    """Of the text, which may say a negative zero."""
    if code in "fd":
        return float.fromhex(text) if "0x" in text.lower() else float(text)
    words = {"true": 1, "false": 0}
    value = words[text.lower()] if text.lower() in words else int(text, 0)
    bits = 8 * struct.calcsize(code)
    return (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1) if code.islower() else value % (1 << bits)


class Buffer:
    """One of the description: its bytes, and how they are read."""

    def __init__(self, described):
        self.name = described["Name"]
        if described.get("Format") not in FORMATS:
            raise Unsupported(f"contents of format {described.get('Format')}")
        self.size, self.code = FORMATS[described["Format"]]
        self.format = described["Format"]
        self.channels = int(described.get("Channels", 1))
        self.is_array = int(described.get("ArraySize", 1)) != 1
        if described.get("FillSize"):
            count = int(described["FillSize"], 0) // self.size
            values = [number(described.get("FillValue", "0"), self.code)] * count
        elif self.is_array:
            values = []
        else:
            values = [number(value, self.code) for value in described.get("Data", [])]
        self.content = struct.pack(f"<{len(values)}{self.code}", *values)

    def texel_format(self, is_unsigned):
        """As `millrace run` calls it; integers are unsigned if the shader has them so."""
        components = self.channels * max(1, self.size // 4)
        if self.format not in TEXEL_KINDS or components > 4:
            raise Unsupported(f"typed buffers of {self.channels} x {self.format}")
        kind = "ui" if is_unsigned else TEXEL_KINDS[self.format]
        return f"{'rgba'[:components]}{min(32, 8 * self.size)}{kind}"

    def values(self, content):
        return list(struct.unpack(f"<{len(content) // self.size}{self.code}", content))


class Case:
    """A test with one compute shader."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        parts = PARTS.split(text)
        self.files = dict(zip(parts[1::2], parts[2::2]))
        self.stages = sorted(set(re.findall(r"RUN:.*?-T (\w\w+)_6_\d", text)))
        if self.stages != ["cs"]:
            raise Unsupported("shaders of stages " + ", ".join(self.stages) if self.stages else "no shader")
        if re.search(r"RUN: *not ", text):
            raise Unsupported("a test of the suite's own tools, which must fail")
        if self.says("REQUIRES", ("Vulkan",)) and not self.says("REQUIRES", ("DirectX",)):
            raise Unsupported("a test for Vulkan alone")
        self.pipeline = self.read_pipeline()
        self.refuse_by_pipeline()
        self.buffers = {buffer.name: buffer for buffer in map(Buffer, self.pipeline.get("Buffers") or [])}
        self.grid = ((self.pipeline.get("DispatchParameters") or {}).get("DispatchGroupCount")) or ["1", "1", "1"]
        self.entry = self.pipeline["Shaders"][0]["Entry"]
        self.resources = self.read_resources()

    def says(self, word, features):
        """Whether a condition of the suite, such as XFAIL, holds with these features and no others."""
        for condition in re.findall(rf"\b{word}: *(.*)", self.text):
            terms = re.sub(r"[\w.-]+", lambda m: str(m.group() in features), condition)
            for ours, pythons in (("!", " not "), ("&&", " and "), ("||", " or "), (",", " or ")):
                terms = terms.replace(ours, pythons)
            if re.fullmatch(r"(?:True|False|not|and|or|[()\s])+", terms) and eval(terms):  # nothing but these words
                return True
        return False

    def fails_elsewhere(self):
        """Whether the suite expects or demands that the test is no success with DXC for Direct3D."""
        return any(self.says(word, ("DXC", "DirectX")) for word in ("XFAIL", "UNSUPPORTED"))

    def read_pipeline(self):
        documents = [content for name, content in self.files.items() if name.endswith(".yaml")]
        if not documents and self.path.endswith(".yaml"):
            documents = [self.text]
        if len(documents) > 1:
            documents = [content for content in documents if "Shaders:" in content]
        if len(documents) != 1:
            raise Unsupported("no description, or several")
        # What LLVM's reader lets pass.
        text = re.sub(r",(\s*,)+", ",", documents[0].replace("\t", "    "))
        return yaml.load(re.split(r"^\.\.\.", text, flags=re.MULTILINE)[0], yaml.BaseLoader)

    def refuse_by_pipeline(self):
        shaders = self.pipeline["Shaders"]
        if len(shaders) != 1:
            raise Unsupported("several shaders")
        if self.pipeline.get("AccelerationStructures"):
            raise Unsupported("ray queries")
        if shaders[0].get("SpecializationConstants"):
            raise Unsupported("specialization constants, which Direct3D has not")
        if self.pipeline.get("PushConstants"):
            raise Unsupported("push constants, which Direct3D has not")
        parameters = ((self.pipeline.get("RuntimeSettings") or {}).get("DirectX") or {}).get("RootParameters") or []
        if any(parameter["Kind"] == "Constant" for parameter in parameters):
            raise Unsupported("root constants, of which the description does not say the register")

    def read_resources(self):
        """Name, class, register, space, whether there is a counter, and the format of a typed buffer or None."""
        out = []
        described = [r for s in self.pipeline.get("DescriptorSets") or [] for r in s.get("Resources") or []]
        parameters = ((self.pipeline.get("RuntimeSettings") or {}).get("DirectX") or {}).get("RootParameters") or []
        described += [parameter["Resource"] for parameter in parameters if "Resource" in parameter]
        for resource in described:
            kind, name = resource["Kind"], resource["Name"]
            if kind not in BUFFERS and kind not in TYPED:
                raise Unsupported("textures and samplers")
            if self.buffers[name].is_array:
                raise Unsupported("arrays of resources")
            if "IsReserved" in resource or "TilesMapped" in resource:
                raise Unsupported("reserved resources")
            if "HeapIndex" in resource:
                raise Unsupported("descriptor heaps")
            if "DirectXBinding" not in resource:
                raise Unsupported("bindings of Vulkan alone")
            place = resource["DirectXBinding"]
            register_class = {**BUFFERS, **TYPED}[kind]
            out.append((name, register_class, int(place["Register"]), int(place["Space"]), resource.get("HasCounter") == "true",
                        self.buffers[name].texel_format(self.is_unsigned(place)) if kind in TYPED else None))
        return out

    def is_unsigned(self, place):
        """Whether a typed UAV of the shader has unsigned integers. Some descriptions say others, and Direct3D lets that pass."""
        declared = re.findall(r"\bRWBuffer<\s*(\w+?)[1-4]?\s*>\s*\w+\s*:\s*register\(\s*u(\d+)\s*(?:,\s*space(\d+))?", self.text)
        return ("uint", place["Register"], place["Space"]) in [(kind, at, space or "0") for kind, at, space in declared]

    def source(self):
        """The shader as a node, and the compiler's options without those for SPIR-V."""
        run = next(line for line in re.findall(r"RUN:(.*)", self.text) if "-T cs_6_" in line)
        words = shlex.split(re.sub(r"%if.*?%}", "", run))
        files = [word.rsplit("/", 1)[-1] for word in words if word.endswith(".hlsl")]
        text = self.files[files[0]] if files and files[0] in self.files else self.sibling()
        at = self.place_of_attributes(text)
        grid = ", ".join(map(str, self.grid))
        node = f'[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid({grid})] '
        options = []
        for before, word in zip(words, words[1:]):
            is_ours = before in ("-HV", "-D") or re.match(r"-(?:enable-|G|HV|D|O\d|Z|denorm|disable-|W)", word)
            options += [word] if is_ours else []
        minor = max(8, int(re.search(r"-T cs_6_(\d+)", run).group(1)))
        return text[:at] + node + text[at:], ["-T", f"lib_6_{minor}", *options]

    def sibling(self):
        raise Unsupported("a shader in another file")

    def place_of_attributes(self, text):
        entry = re.search(rf"\b{re.escape(self.entry)}\s*\(", text)
        found = [m.start() for m in re.finditer(r"\[\s*(?:shader\(\"compute\"\)|numthreads)", text, re.IGNORECASE)
                 if entry and m.start() < entry.start()]
        if not found:
            raise Unsupported("an entry point whose attributes were not found")
        return found[-1]

    def results(self):
        return self.pipeline.get("Results") or []

    def checks(self):
        """(name of a buffer or None, numbers in their order) for each list that FileCheck is told of."""
        out, name, numbers = [], None, None
        for tail, line in re.findall(r"(?:#|//) *CHECK([A-Z-]*):(.*)", self.text):
            if tail == "-NOT":
                continue
            named = re.search(r"Name: *(\S+)", line)
            if named:
                name, numbers = named.group(1), None
            data = re.search(r"Data: *\[?(.*)", line)
            if data:
                numbers = []
                out.append((name, numbers))
                line = data.group(1)
            if numbers is not None and (data or ":" not in line):
                numbers += re.findall(r"-?(?:0x[0-9a-fA-F]+|\d[\d.]*(?:e[-+]?\d+)?|nan|inf)", line)
                numbers = None if "]" in line else numbers
        return out
