#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes command_tables.h's tables from the Vulkan registry: command_tables.py <folder of vk.xml> <output>."""

import pathlib
import re
import sys
import tempfile
import xml.etree.ElementTree

# What another platform's headers declare is not there; "provisional" is, by VK_ENABLE_BETA_EXTENSIONS.
AVAILABLE = (None, 'VK_ENABLE_BETA_EXTENSIONS')
# Of these the layer makes something else, or there are no functions that could be called like others.
SKIPPED = {'vkGetInstanceProcAddr', 'vkGetDeviceProcAddr'}
# Where the layer reads indirect commands, it names its own accesses beside these (mesh_stages_test.cpp).
TRANSLATED = {'VK_ACCESS_INDIRECT_COMMAND_READ_BIT', 'VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT'}
COUNT = 2
DATA_BYTES = 8


def is_ours(name):
    return name.endswith('AMDX')


def is_declared(value):
    return value.protect in AVAILABLE and '_RESERVED_' not in value.name and not is_ours(value.name)


def available(thing):
    return thing.protect in AVAILABLE and not is_ours(thing.name)


def read_registry(folder):
    """The object that the registry's own scripts make of it."""
    sys.path.insert(0, str(folder))
    import base_generator
    import reg

    class Reader(base_generator.BaseGenerator):
        def generate(self):
            pass

    with tempfile.TemporaryDirectory() as scratch:
        base_generator.SetTargetApiName('vulkan')
        base_generator.SetMergedApiNames(None)
        base_generator.SetOutputFileName('unused')
        base_generator.SetOutputDirectory(scratch)
        reader = Reader()
        registry = reg.Registry(reader, base_generator.BaseGeneratorOptions())
        registry.loadElementTree(xml.etree.ElementTree.parse(folder / 'vk.xml'))
        registry.apiGen()
    return reader.vk


class Writer:
    def __init__(self, vk):
        self.vk = vk
        self.bits = {mask.flagName: mask for mask in vk.bitmasks.values()}
        self.bits.update(vk.bitmasks)

    def valid_value(self, type_name):
        """A value other than 0 where there is one, as a C++ expression."""
        if type_name == 'VkAttachmentStoreOp':
            return '0'  # the layer makes it of all others where it may interrupt the instance
        if type_name in self.vk.enums:
            names = [f.name for f in self.vk.enums[type_name].fields
                     if is_declared(f) and not f.negative]
            # The first is 0 mostly.
            return f'static_cast<uint64_t>({names[min(1, len(names) - 1)]})' if names else '0'
        if type_name in self.bits:
            names = [f.name for f in self.bits[type_name].flags
                     if is_declared(f) and not f.zero and not f.multiBit and f.name not in TRANSLATED]
            return f'static_cast<uint64_t>({names[0]})' if names else '0'
        return '0'

    def is_bit_field(self, struct):
        return any(':' in member.cDeclaration for member in struct.members)

    def kind(self, member):
        name = member.type
        if name in self.vk.structs:
            struct = self.vk.structs[name]
            if not available(struct):
                return 'Foreign'
            return 'Bytes' if self.is_bit_field(struct) else 'Struct'
        if name in self.vk.handles:
            return 'Dispatchable' if self.vk.handles[name].dispatchable else 'Handle'
        if name == 'VkStructureType':
            return 'Type'
        if name in self.vk.enums or name in self.bits:
            return 'Enum'
        if name.endswith('Flags') or name.endswith('FlagBits') or re.search(r'Flags\d?[A-Z]*$', name):
            return 'Enum'  # without bits so far: 0
        if name.startswith('PFN_'):
            return 'Foreign'
        if name == 'VkBool32':
            return 'Bool'
        if name in ('float', 'double'):
            return 'Float' if name == 'float' else 'Double'
        if name == 'char' and (member.pointer or member.fixedSizeArray):
            return 'Text'
        if name.startswith('StdVideo') or name in ('Display', 'wl_display', 'xcb_connection_t'):
            return 'Foreign'
        return 'Bytes'

    def count(self, owner, members, member):
        """A function for the number of elements behind a pointer, or null."""
        if not member.length or not member.pointer:
            return 'nullptr'
        pointers = {m.name for m in members if m.pointer}
        names = '|'.join(re.escape(m.name) for m in sorted(members, key=lambda m: -len(m.name)))

        def access(match):
            name = match.group(1)
            if name in pointers and not match.group(2):
                return f'(a.{name} ? *a.{name} : 0)'
            return f'a.{name}{match.group(2) or ""}'
        length = member.length.split(',')[0]
        expression = re.sub(rf'\b({names})\b(->)?', access, length)
        return (f'[](const void* at) -> size_t {{ [[maybe_unused]] const auto& a = *static_cast<const {owner}*>(at); '
                f'return static_cast<size_t>({expression}); }}')

    def counted(self, members, member):
        """How large what the member is the length of should be; 0 if it is the length of nothing."""
        lengths = [m for m in members if m.length and m.pointer and
                   re.search(rf'\b{re.escape(member.name)}\b', m.length)]
        if not lengths or self.kind(member) == 'Enum':
            return 0
        if any(m.type in ('void', 'uint8_t') or 'codeSize' in m.length for m in lengths):
            return DATA_BYTES
        return COUNT

    def member(self, owner, members, member):
        depth = member.cDeclaration.count('*')
        bytes_of = '1' if member.type == 'void' else f'sizeof({member.type})'
        kind = self.kind(member)
        if kind == 'Foreign' and depth and member.type in self.vk.structs:
            bytes_of = '1'
        struct = f'&k{member.type}' if kind == 'Struct' else 'nullptr'
        return (f'    {{"{member.name}", "{member.type}", Kind::{kind}, offsetof({owner}, {member.name}), sizeof({owner}::{member.name}), '
                f'{bytes_of}, {depth}, {str(bool(member.const)).lower()}, {str(bool(member.optional)).lower()}, '
                f'{str(bool(member.nullTerminated)).lower()}, {str(bool(member.length)).lower()}, '
                f'{self.counted(members, member)}, {self.valid_value(member.type)}, {struct}, '
                f'{self.count(owner, members, member)}}},\n')

    def members(self, owner, members):
        return ''.join(self.member(owner, members, m) for m in members if m.name != 'pNext')

    def structs(self):
        usable = [s for s in self.vk.structs.values() if available(s) and not self.is_bit_field(s)]
        out = [f'extern const Struct k{s.name};\n' for s in usable]
        by_type = []
        for struct in usable:
            members = struct.members[:1] if struct.union else struct.members
            chain = any(m.name == 'pNext' for m in struct.members)
            rows = self.members(struct.name, members)
            out.append(f'constexpr Member k{struct.name}Members[] = {{\n{rows}}};\n')
            extending = [self.vk.structs[name] for name in struct.extendedBy or [] if name in self.vk.structs]
            extending = [e for e in extending if available(e) and not self.is_bit_field(e)]
            names = ', '.join(f'&k{e.name}' for e in extending) or 'nullptr'
            out.append(f'constexpr const Struct* k{struct.name}Chain[] = {{{names}}};\n')
            chain_span = f'k{struct.name}Chain' if extending else '{}'
            has_type = chain and bool(struct.sType)
            if has_type:
                by_type.append(struct)
            out.append(f'constexpr Struct k{struct.name}{{"{struct.name}", sizeof({struct.name}), '
                       f'{str(has_type).lower()}, {str(bool(struct.returnedOnly)).lower()}, '
                       f'{struct.sType if has_type else "VK_STRUCTURE_TYPE_MAX_ENUM"}, '
                       f'k{struct.name}Members, {chain_span}}};\n')
        out.append('constexpr const Struct* kStructs[] = {\n' +
                   ''.join(f'    &k{s.name},\n' for s in by_type) + '};\n')
        return ''.join(out)

    def promoted(self, command):
        """The name in Vulkan 1.3, which every driver that has graphs has as well, or none."""
        alias = self.vk.commands.get(command.alias) if command.alias else None
        if alias and alias.version and alias.version.name in ('VK_VERSION_1_1', 'VK_VERSION_1_2', 'VK_VERSION_1_3'):
            return f'"{alias.name}"'
        return 'nullptr'

    def command(self, command):
        owner = f'{command.name}_Arguments'
        # A parameter that is an array is a pointer.
        fields, types, names = [], [], []
        for param in command.params:
            declaration = re.sub(r'\s+', ' ', param.cDeclaration.strip())
            types.append(declaration)
            if param.fixedSizeArray:
                declaration = re.sub(rf'\b{param.name}\[.*$', f'* {param.name}', declaration)
                param.cDeclaration, param.pointer = declaration, True
            fields.append(declaration)
            names.append(param.name)
        returns = command.returnType
        result = '' if returns == 'void' else 'return '
        receive = f'receive(k{command.name}, &all)'
        if returns != 'void':
            receive = f'static_cast<{returns}>({receive})'
        passed = ', '.join(f'all.{n}' for n in names)
        call = f'reinterpret_cast<PFN_{command.name}>(function)({passed})'
        call = f'{call};\n    return 0' if returns == 'void' else f'return static_cast<uint64_t>({call})'
        is_state = str('state' in (command.tasks or [])).lower()
        is_newest = str(bool(command.version and command.version.name == 'VK_VERSION_1_4')).lower()
        inside = str(command.renderPass.name in ('INSIDE', 'BOTH')).lower()
        outside = str(command.renderPass.name in ('OUTSIDE', 'BOTH')).lower()
        return (f'struct {owner} {{\n' + ''.join(f'    {f};\n' for f in fields) + '};\n'
                f'extern const Command k{command.name};\n'
                f'VKAPI_ATTR {returns} VKAPI_CALL {command.name}_driver({", ".join(types)})\n{{\n'
                f'    {owner} all{{{", ".join(names)}}};\n    {result}{receive};\n}}\n'
                f'uint64_t {command.name}_call(PFN_vkVoidFunction function, const void* arguments)\n{{\n'
                f'    const auto& all = *static_cast<const {owner}*>(arguments);\n    {call};\n}}\n'
                f'constexpr Member k{command.name}Members[] = {{\n{self.members(owner, command.params)}}};\n'
                f'const Command k{command.name}{{\n    {{"{command.name}", sizeof({owner}), false, false, '
                f'VK_STRUCTURE_TYPE_MAX_ENUM, k{command.name}Members, {{}}}},\n    {self.promoted(command)}, '
                f'&{command.name}_call,\n    reinterpret_cast<PFN_vkVoidFunction>(&{command.name}_driver), '
                f'{is_newest}, {str(returns == "VkResult").lower()}, {is_state}, {inside}, {outside}}};\n')

    def commands(self):
        usable = [c for c in self.vk.commands.values() if available(c) and c.name not in SKIPPED]
        return (''.join(self.command(c) for c in usable) +
                'const Command* const kCommands[] = {\n' + ''.join(f'    &k{c.name},\n' for c in usable) + '};\n')


def main():
    folder, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    writer = Writer(read_registry(folder))
    output.write_text(
        '// Generated from vk.xml.\n'
        '#include "layer/commands/command_tables.h"\n#include <cstddef>\n'
        'namespace millrace::layertest {\nnamespace {\n'
        f'{writer.structs()}{writer.commands()}'
        '}  // namespace\n'
        'std::span<const Command* const> commands() { return kCommands; }\n'
        'std::span<const Struct* const> chainedStructs() { return kStructs; }\n'
        '}  // namespace millrace::layertest\n')


if __name__ == '__main__':
    main()
