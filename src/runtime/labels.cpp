// SPDX-License-Identifier: Apache-2.0
#include "runtime/labels.h"

#include "runtime/step_text.h"

namespace millrace::runtime {

namespace {

void beginLabel(const Device::Impl& device, VkCommandBuffer commandBuffer, const std::string& text)
{
    VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
    label.pLabelName = text.c_str();
    device.table->CmdBeginDebugUtilsLabelEXT(commandBuffer, &label);
}

// "graph" around a sweep, "level" around a level, and around each dispatch all that can be said of it.
class LabelObserver final : public StepObserver {
public:
    LabelObserver(const Device::Impl& device, const ObservedDispatch& dispatch) : m_device(device), m_dispatch(dispatch)
    {
    }

    void beginSweep(VkCommandBuffer commandBuffer) override { begin(commandBuffer, "Millrace: " + m_dispatch.name); }
    void endSweep(VkCommandBuffer commandBuffer) override { end(commandBuffer); }
    void beginLevel(VkCommandBuffer commandBuffer, uint32_t level) override
    {
        begin(commandBuffer, "level " + std::to_string(level));
    }
    void endLevel(VkCommandBuffer commandBuffer, uint32_t) override { end(commandBuffer); }
    void beginStep(VkCommandBuffer commandBuffer, const Step& step) override
    {
        // It stands before the first sweep.
        const char* prefix = step.kind == Step::Kind::Begin ? "Millrace: " : "";
        begin(commandBuffer, prefix + stepText(m_dispatch, step));
    }
    void endStep(VkCommandBuffer commandBuffer, const Step&) override { end(commandBuffer); }
    // Each command buffer has all labels that apply to it, and begins and ends the same.
    void leaveCommandBuffer(VkCommandBuffer commandBuffer) override
    {
        for (size_t i = 0; i < m_open.size(); ++i)
            m_device.table->CmdEndDebugUtilsLabelEXT(commandBuffer);
    }
    void enterCommandBuffer(VkCommandBuffer commandBuffer) override
    {
        for (const std::string& text : m_open)
            beginLabel(m_device, commandBuffer, text);
    }

private:
    void begin(VkCommandBuffer commandBuffer, std::string text)
    {
        beginLabel(m_device, commandBuffer, text);
        m_open.push_back(std::move(text));
    }
    void end(VkCommandBuffer commandBuffer)
    {
        m_device.table->CmdEndDebugUtilsLabelEXT(commandBuffer);
        m_open.pop_back();
    }

    const Device::Impl& m_device;
    const ObservedDispatch& m_dispatch;
    std::vector<std::string> m_open;
};

}  // namespace

bool canLabel(const Device::Impl& device)
{
    return device.settings.labels && device.table->CmdBeginDebugUtilsLabelEXT;
}

ObserverFactory labelObservers(const Device::Impl& device)
{
    return [&device](const ObservedDispatch& dispatch, std::shared_ptr<StepObserver>& out) {
        out = std::make_shared<LabelObserver>(device, dispatch);
        return VK_SUCCESS;
    };
}

Label::Label(const Device::Impl& device, VkCommandBuffer commandBuffer, const std::string& text)
    : m_device(device), m_commandBuffer(commandBuffer)
{
    if (!canLabel(device))
        return;
    beginLabel(device, commandBuffer, text);
    m_open = true;
}

Label::~Label()
{
    if (m_open)
        m_device.table->CmdEndDebugUtilsLabelEXT(m_commandBuffer);
}

}  // namespace millrace::runtime
