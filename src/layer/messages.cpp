// SPDX-License-Identifier: Apache-2.0
#include "layer/messages.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <string_view>

#include "base/log.h"

namespace millrace::layer {

void Messages::add(VkDebugUtilsMessengerEXT messenger, const VkDebugUtilsMessengerCreateInfoEXT& createInfo)
{
    std::unique_lock lock(m_mutex);
    m_messengers.push_back({messenger, createInfo.messageSeverity, createInfo.messageType, createInfo.pfnUserCallback,
                            createInfo.pUserData});
}

void Messages::remove(VkDebugUtilsMessengerEXT messenger)
{
    std::unique_lock lock(m_mutex);
    std::erase_if(m_messengers, [=](const Messenger& candidate) { return candidate.handle == messenger; });
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
    text.append(". ").append(advice).append(".");
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

    // Called without the lock: a callback may destroy or create a messenger.
    std::vector<Messenger> messengers;
    {
        std::shared_lock lock(m_mutex);
        messengers = m_messengers;
    }
    bool heard = false;
    for (const Messenger& messenger : messengers) {
        if (!(messenger.severities & severity) || !(messenger.types & type))
            continue;
        messenger.callback(severity, type, &data, messenger.userData);
        heard = true;
    }
    if (!heard && severity != VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT)
        log(severity == VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT ? Severity::Error : Severity::Warning,
            std::string("[") + id + "] " + text);
}

}  // namespace millrace::layer
