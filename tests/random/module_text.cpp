// SPDX-License-Identifier: Apache-2.0
#include "random/module_text.h"

namespace millrace::random {

Id ModuleText::once(const std::string& key, const std::string& definition)
{
    const auto found = m_known.find(key);
    if (found != m_known.end())
        return found->second;
    const Id id = newId("g");
    m_known[key] = id;
    global(id + " = " + definition);
    return id;
}

Id ModuleText::uintType(uint32_t bits)
{
    if (bits != 32)
        capability("Int" + std::to_string(bits));
    return once("uint" + std::to_string(bits), "OpTypeInt " + std::to_string(bits) + " 0");
}

Id ModuleText::vectorType(const Id& component, uint32_t count)
{
    return once("vec" + component + std::to_string(count), "OpTypeVector " + component + " " + std::to_string(count));
}

Id ModuleText::arrayType(const Id& element, uint32_t length, uint32_t strideBytes)
{
    const std::string key = "array" + element + "," + std::to_string(length) + "," + std::to_string(strideBytes);
    const Id count = constant(length);
    const bool known = m_known.count(key) != 0;
    const Id id = once(key, "OpTypeArray " + element + " " + count);
    if (!known && strideBytes)
        decorate("OpDecorate " + id + " ArrayStride " + std::to_string(strideBytes));
    return id;
}

Id ModuleText::pointerType(const std::string& storage, const Id& pointee)
{
    return once("ptr" + storage + pointee, "OpTypePointer " + storage + " " + pointee);
}

Id ModuleText::functionType(const Id& result, const std::vector<Id>& parameters)
{
    std::string list = result;
    for (const Id& parameter : parameters)
        list += " " + parameter;
    return once("func" + list, "OpTypeFunction " + list);
}

Id ModuleText::constant(uint32_t value)
{
    const Id type = uintType();
    return once("c" + std::to_string(value), "OpConstant " + type + " " + std::to_string(value));
}

Id ModuleText::longConstant(uint64_t value)
{
    const Id type = uintType(64);
    return once("l" + std::to_string(value), "OpConstant " + type + " " + std::to_string(value));
}

Id ModuleText::boolConstant(bool value)
{
    const Id type = boolType();
    return once(value ? "true" : "false", (value ? "OpConstantTrue " : "OpConstantFalse ") + type);
}

Id ModuleText::stringConstant(const std::string& text)
{
    return once("string" + text, "OpConstantStringAMDX \"" + text + "\"");
}

Id ModuleText::operand(uint32_t value)
{
    if (!m_spec.specConstants || !m_random.chance(60))
        return constant(value);
    const auto specId = static_cast<uint32_t>(m_specialization.size() + 10);
    m_specialization[specId] = value;
    const Id type = uintType();
    const Id id = newId("spec");
    decorate("OpDecorate " + id + " SpecId " + std::to_string(specId));
    global(id + " = OpSpecConstant " + type + " " + std::to_string(m_random.range(1, 3)));
    return id;
}

Id ModuleText::bufferVariable(const std::string& key, uint32_t set, uint32_t binding, bool readOnly)
{
    const auto found = m_known.find(key);
    if (found != m_known.end())
        return found->second;
    const Id element = uintType();
    const Id array = newId("words");
    const Id block = newId("Buffer");
    const Id id = newId(key);
    global(array + " = OpTypeRuntimeArray " + element);
    global(block + " = OpTypeStruct " + array);
    global(id + " = OpVariable " + pointerType("StorageBuffer", block) + " StorageBuffer");
    decorate("OpDecorate " + array + " ArrayStride 4");
    decorate("OpDecorate " + block + " Block");
    decorate("OpMemberDecorate " + block + " 0 Offset 0");
    if (readOnly)
        decorate("OpMemberDecorate " + block + " 0 NonWritable");
    decorate("OpDecorate " + id + " DescriptorSet " + std::to_string(set));
    decorate("OpDecorate " + id + " Binding " + std::to_string(binding));
    m_known[key] = id;
    return id;
}

Id ModuleText::outputBuffer()
{
    const Id id = bufferVariable("out", 0, 0, false);
    m_sharedInterface.insert(id);
    m_interface.insert(id);
    return id;
}

Id ModuleText::tableBuffer()
{
    const Id id = bufferVariable("table", 1, 3, true);
    m_interface.insert(id);
    return id;
}

Id ModuleText::pushConstants(uint32_t bytes)
{
    const auto found = m_known.find("push");
    if (found != m_known.end()) {
        m_interface.insert(found->second);
        return found->second;
    }
    const Id word = uintType();
    const Id pair = vectorType(word, 2);
    const Id block = newId("Push");
    const Id id = newId("push");
    const bool last = bytes > 16;
    global(block + " = OpTypeStruct " + word + " " + pair + (last ? " " + word : ""));
    decorate("OpDecorate " + block + " Block");
    decorate("OpMemberDecorate " + block + " 0 Offset 0");
    decorate("OpMemberDecorate " + block + " 1 Offset 8");
    if (last)
        decorate("OpMemberDecorate " + block + " 2 Offset " + std::to_string(bytes - 4));
    global(id + " = OpVariable " + pointerType("PushConstant", block) + " PushConstant");
    m_known["push"] = id;
    m_interface.insert(id);
    return id;
}

Id ModuleText::builtIn(const std::string& name, const Id& type)
{
    const std::string key = "builtin" + name;
    const bool known = m_known.count(key) != 0;
    const Id pointer = pointerType("Input", type);
    const Id id = once(key, "OpVariable " + pointer + " Input");
    if (!known)
        decorate("OpDecorate " + id + " BuiltIn " + name);
    m_interface.insert(id);
    return id;
}

std::string ModuleText::shared() const
{
    return vulkanModel() ? " NonPrivatePointer" : "";
}

Id ModuleText::barrierSemantics()
{
    // AcquireRelease | UniformMemory | WorkgroupMemory, and availability where the memory model wants it said
    return constant(vulkanModel() ? 0x6148u | 0x1000u : 0x148u);
}

Id ModuleText::mixFunction()
{
    const auto found = m_known.find("mix");
    if (found != m_known.end())
        return found->second;
    const Id id = newId("mix");
    m_known["mix"] = id;
    const Id type = uintType();
    BodyText body(*this);
    const Id a = newId("a");
    const Id b = newId("b");
    const Id both = body.u("OpBitwiseXor", a, body.u("OpIMul", b, constant(0x9e3779b9u)));
    const Id h = body.u("OpIMul", both, constant(0x7feb352du));
    const Id result = body.u("OpBitwiseXor", h, body.u("OpShiftRightLogical", h, constant(16)));
    function(body.finish(id, type, {{type, a}, {type, b}}, "OpReturnValue " + result));
    return id;
}

Id ModuleText::reportFunction()
{
    outputBuffer();
    const auto found = m_known.find("report");
    if (found != m_known.end())
        return found->second;
    const Id id = newId("report");
    m_known["report"] = id;
    BodyText body(*this);
    const Id hash = newId("h");
    const Id mixed = body.mix(hash, constant(7));
    body.atomicAdd(body.u("OpBitwiseAnd", mixed, constant(kSumWords - 1)), mixed);
    function(body.finish(id, voidType(), {{uintType(), hash}}));
    return id;
}

Id ModuleText::reportAtAddressFunction(uint32_t pushConstantBytes)
{
    const Id push = pushConstants(pushConstantBytes);
    const auto found = m_known.find("report_at");
    if (found != m_known.end())
        return found->second;
    const Id id = newId("report_at");
    m_known["report_at"] = id;
    capability("PhysicalStorageBufferAddresses");
    usePhysicalAddresses();
    const Id word = uintType();
    const Id array = newId("words");
    const Id block = newId("Target");
    global(array + " = OpTypeArray " + word + " " + constant(kSumWords));
    global(block + " = OpTypeStruct " + array);
    decorate("OpDecorate " + array + " ArrayStride 4");
    decorate("OpDecorate " + block + " Block");
    decorate("OpMemberDecorate " + block + " 0 Offset 0");
    BodyText body(*this);
    const Id hash = newId("h");
    const Id pair = vectorType(word, 2);
    const Id address = body.load(pair, body.chain("PushConstant", pair, push, constant(1)));
    const Id pointer = body.op(pointerType("PhysicalStorageBuffer", block), "OpBitcast", address);
    const Id mixed = body.mix(hash, constant(9));
    const Id index = body.u("OpBitwiseAnd", mixed, constant(kSumWords - 1));
    const Id where = body.chain("PhysicalStorageBuffer", word, pointer, constant(0) + " " + index);
    body.op(word, "OpAtomicIAdd", where + " " + constant(1) + " " + constant(0) + " " + mixed);
    function(body.finish(id, voidType(), {{word, hash}}));
    return id;
}

std::string ModuleText::text() const
{
    std::string out = "OpCapability Shader\nOpCapability ShaderEnqueueAMDX\n";
    for (const std::string& name : m_capabilities)
        out += "OpCapability " + name + "\n";
    if (vulkanModel())
        out += "OpCapability VulkanMemoryModel\nOpCapability VulkanMemoryModelDeviceScope\n";
    out += "OpExtension \"SPV_AMDX_shader_enqueue\"\n";
    for (const std::string& name : m_extensions)
        out += "OpExtension \"" + name + "\"\n";
    out += std::string("OpMemoryModel ") + (m_physical ? "PhysicalStorageBuffer64" : "Logical") +
           (vulkanModel() ? " Vulkan\n" : " GLSL450\n");
    return out + m_entryPoints + m_modes + m_decorations + m_globals + m_functions;
}

}  // namespace millrace::random
