// SPDX-License-Identifier: Apache-2.0
#include "commands/choose_member.h"

#include <utility>

#include "shader/function_writer.h"

namespace millrace::commands {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

class Chooser {
public:
    Chooser(Variant& variant, const Layout& layout)
        : m_variant(variant),
          m_module(variant.module),
          m_layout(layout),
          m_loads(variant),
          m_word(m_loads.wordType()),
          m_writer(variant.module)
    {
    }

    void write(const std::vector<MemberCode>& codes)
    {
        m_writer.beginBlock();
        const Id member = loadMember();
        const Id join = m_module.newId();
        std::vector<Id> labels;
        for (size_t c = 0; c < codes.size(); ++c)
            labels.push_back(m_module.newId());
        const bool isFirst = m_variant.model == spv::ExecutionModel::Vertex;
        const Id otherwise = isFirst ? m_module.newId() : labels[0];
        branch(member, join, otherwise, codes, labels);
        for (size_t c = 0; c < codes.size(); ++c) {
            m_writer.beginBlock(labels[c]);
            m_writer.out().call(codes[c].entry, m_module.getVoidType(), {});
            m_writer.branch(join);
        }
        if (isFirst) {
            m_writer.beginBlock(otherwise);
            moveOutside();
            m_writer.branch(join);
        }
        m_writer.beginBlock(join);
        replaceEntry(m_variant, m_writer.finish());
    }

private:
    Id loadMember()
    {
        Emitter out = m_writer.out();
        const Id sequence = out.emit(spv::Op::OpLoad, m_word, {m_variant.sequence});
        return m_loads.load(out, m_loads.add(out, m_loads.record(out, sequence), *m_layout.combinedSet), m_word, 4);
    }

    void branch(Id member, Id join, Id otherwise, const std::vector<MemberCode>& codes, const std::vector<Id>& labels)
    {
        Emitter out = m_writer.out();
        out.keep(spirv::instruction(spv::Op::OpSelectionMerge).add(join).add(0u));
        Instruction choice = spirv::instruction(spv::Op::OpSwitch).add(member).add(otherwise);
        for (size_t c = 0; c < codes.size(); ++c)
            for (const uint32_t number : codes[c].members)
                choice.add(number).add(labels[c]);
        out.keep(std::move(choice));
    }

    // Far out of every view, so that points are, too, however large they are.
    void moveOutside()
    {
        constexpr uint32_t kFar = 0x44800000, kOne = 0x3f800000;  // 1024.0f and 1.0f
        Emitter out = m_writer.out();
        const Id type = m_module.getVectorType(m_module.getFloatType(32), 4);
        const Id position = findPosition(out, m_module.getPointerType(spv::StorageClass::Output, type));
        if (!position)
            return;
        const Id far = m_module.getConstant(kFar), one = m_module.getConstant(kOne);
        const Id bits =
            out.emit(spv::Op::OpCompositeConstruct, m_module.getVectorType(m_word, 4), {far, far, far, one});
        out.emitVoid(spv::Op::OpStore, {position, out.emit(spv::Op::OpBitcast, type, {bits})});
    }

    // None if nothing declares it.
    Id findPosition(Emitter& out, Id pointerType)
    {
        const auto isPosition = [](const Instruction& i, size_t decoration) {
            return i.operandCount() > decoration + 1 && !i.isId(decoration + 1) &&
                   i.literal(decoration) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
                   i.literal(decoration + 1) == static_cast<uint32_t>(spv::BuiltIn::Position);
        };
        Id variable, block;
        uint32_t number = 0;
        for (const Instruction& i : m_module.section(spirv::Section::Annotations)) {
            if (i.op == spv::Op::OpDecorate && isPosition(i, 1)) {
                variable = i.id(0);
            } else if (i.op == spv::Op::OpMemberDecorate && isPosition(i, 2)) {
                block = i.id(0);
                number = i.literal(1);
            }
        }
        if (variable || !block)
            return variable;
        for (const Instruction& i : m_module.section(spirv::Section::Globals))
            if (i.op == spv::Op::OpVariable && m_module.pointee(i.type) == block)
                return out.emit(spv::Op::OpAccessChain, pointerType, {i.result, m_module.getConstant(number)});
        return {};
    }

    Variant& m_variant;
    Module& m_module;
    const Layout& m_layout;
    ArgumentLoads m_loads;
    Id m_word;
    shader::FunctionWriter m_writer;
};

}  // namespace

void chooseMember(Variant& variant, const std::vector<MemberCode>& codes, const Layout& layout)
{
    Chooser(variant, layout).write(codes);
}

}  // namespace millrace::commands
