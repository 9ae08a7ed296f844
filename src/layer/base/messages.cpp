// SPDX-License-Identifier: Apache-2.0
#include "layer/base/messages.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <string_view>

#include "base/log.h"

namespace millrace::layer {

namespace {

thread_local uint32_t t_callbacks = 0;  // that this thread is in

}  // namespace

void Messages::add(VkDebugUtilsMessengerEXT messenger, const VkDebugUtilsMessengerCreateInfoEXT& createInfo)
{
    auto added = std::make_shared<Messenger>();
    added->handle = messenger;
    added->severities = createInfo.messageSeverity;
    added->types = createInfo.messageType;
    added->callback = createInfo.pfnUserCallback;
    added->userData = createInfo.pUserData;
    std::lock_guard lock(m_mutex);
    m_messengers.push_back(std::move(added));
}

void Messages::remove(VkDebugUtilsMessengerEXT messenger)
{
    std::unique_lock lock(m_mutex);
    const auto kept = std::stable_partition(m_messengers.begin(), m_messengers.end(),
                                            [=](const auto& candidate) { return candidate->handle != messenger; });
    const std::vector<std::shared_ptr<Messenger>> removed(kept, m_messengers.end());
    m_messengers.erase(kept, m_messengers.end());
    for (const std::shared_ptr<Messenger>& gone : removed)
        gone->isRemoved = true;
    if (t_callbacks > 0)
        return;
    m_returned.wait(lock, [&] {
        return std::all_of(removed.begin(), removed.end(), [](const auto& gone) { return gone->calls == 0; });
    });
}

void Messages::addChained(const void* chain)
{
    for (auto* item = static_cast<const VkBaseInStructure*>(chain); item; item = item->pNext)
        if (item->sType == VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT)
            add(VK_NULL_HANDLE, *reinterpret_cast<const VkDebugUtilsMessengerCreateInfoEXT*>(item));
}

void Messages::error(const char* id, const ObjectReference& object, const std::string& text,
                     std::string_view advice) const
{
    send(VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT, VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, id, object, text,
         advice);
}

void Messages::warning(const char* id, const ObjectReference& object, const std::string& text,
                       std::string_view advice) const
{
    send(VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT, VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, id, object, text,
         advice);
}

void Messages::info(const char* id, const ObjectReference& object, const std::string& text,
                    std::string_view advice) const
{
    send(VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT, VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, id, object, text,
         advice);
}

void Messages::validation(const char* vuid, const ObjectReference& object, const std::string& text,
                          std::string_view advice) const
{
    send(VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT, VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT, vuid, object,
         text, advice);
}

void Messages::send(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT type,
                    const char* id, const ObjectReference& object, std::string text, std::string_view advice) const
{
    text.append(text.ends_with('?') ? " " : ". ").append(advice).append(".");
    VkDebugUtilsObjectNameInfoEXT name{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
    name.objectType = object.type;
    name.objectHandle = object.handle;
    name.pObjectName = object.name.empty() ? nullptr : object.name.c_str();
    VkDebugUtilsMessengerCallbackDataEXT data{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT};
    data.pMessageIdName = id;
    data.messageIdNumber = static_cast<int32_t>(std::hash<std::string_view>()(id));
    data.pMessage = text.c_str();
    data.objectCount = object.handle != 0 ? 1 : 0;
    data.pObjects = &name;

    std::vector<std::shared_ptr<Messenger>> messengers;
    {
        std::lock_guard lock(m_mutex);
        messengers = m_messengers;
    }
    bool heard = false;
    for (const std::shared_ptr<Messenger>& messenger : messengers)
        heard = call(*messenger, severity, type, data) || heard;
    if (!heard && severity != VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT)
        log(severity == VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT ? Severity::Error : Severity::Warning,
            std::string("[") + id + "] " + text);
}

// Without the lock: a callback may destroy or create a messenger.
bool Messages::call(Messenger& messenger, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                    VkDebugUtilsMessageTypeFlagsEXT type, const VkDebugUtilsMessengerCallbackDataEXT& data) const
{
    if (!(messenger.severities & severity) || !(messenger.types & type))
        return false;
    std::unique_lock lock(m_mutex);
    if (messenger.isRemoved)
        return false;
    ++messenger.calls;
    ++t_callbacks;
    lock.unlock();
    messenger.callback(severity, type, &data, messenger.userData);
    lock.lock();
    --t_callbacks;
    --messenger.calls;
    m_returned.notify_all();
    return true;
}

}  // namespace millrace::layer
