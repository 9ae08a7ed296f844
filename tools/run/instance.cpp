// SPDX-License-Identifier: Apache-2.0
#include "tools/run/instance.h"

#include <vulkan/vk_enum_string_helper.h>

#include <algorithm>
#include <cstring>

#include "settings/settings.h"
#include "tools/console.h"
#include "tools/info/layer_place.h"
#include "tools/vulkan/loader_filters.h"

namespace millrace::tools::run {

namespace {

bool isInstalled(const Loader& loader, const char* layer)
{
    return std::ranges::any_of(loader.layers(),
                               [=](const VkLayerProperties& l) { return std::strcmp(l.layerName, layer) == 0; });
}

void tell(const Message& message)
{
    const std::string text = printable((message.id.empty() ? "" : message.id + ": ") + message.text);
    if (message.isError)
        (void)fail(text);
    else
        warn(text);
}

}  // namespace

void check(VkResult result, const char* call)
{
    if (result != VK_SUCCESS)
        throw DeviceError(std::string(call) + " returned " + string_VkResult(result));
}

VKAPI_ATTR VkBool32 VKAPI_CALL Instance::onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                   VkDebugUtilsMessageTypeFlagsEXT /*type*/,
                                                   const VkDebugUtilsMessengerCallbackDataEXT* data, void* instance)
{
    auto* self = static_cast<Instance*>(instance);
    // What filling a dispatch table with the utility library asks for; nothing about the graph.
    if (std::strstr(data->pMessage, "vk_layerGetPhysicalDeviceProcAddr") != nullptr)
        return VK_FALSE;
    Message message{severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                    data->pMessageIdName != nullptr ? data->pMessageIdName : "", data->pMessage};
    const std::lock_guard lock(self->m_mutex);
    const auto isSame = [&](const Message& m) { return m.id == message.id && m.text == message.text; };
    if (std::ranges::none_of(self->m_messages, isSame)) {
        tell(message);
        self->m_messages.push_back(std::move(message));
    }
    return VK_FALSE;
}

Instance::Instance(bool validate)
{
    letLoaderLookBesideTool();
    Result<Loader> loader = Loader::open();
    if (!loader)
        throw DeviceError(loader.error().text());
    m_loader = std::move(*loader);
    m_hasLayer = isInstalled(*m_loader, settings::kLayerName);
    if (validate && !isInstalled(*m_loader, kValidationName)) {
        throw DeviceError(std::string("--validate needs ") + kValidationName +
                          ", which the Vulkan loader does not find (Debian: vulkan-validationlayers)");
    }
    create(validate);
}

void Instance::create(bool validate)
{
    // The first layer is the nearest to the application.
    std::vector<const char*> layers;
    if (m_hasLayer)
        layers.push_back(settings::kLayerName);
    if (validate)
        layers.push_back(kValidationName);
    const VkBool32 on = VK_TRUE;
    const VkLayerSettingEXT settings[] = {
        {settings::kLayerName, "validate", VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &on},
        {kValidationName, "validate_sync", VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &on},
    };
    VkDebugUtilsMessengerCreateInfoEXT messenger{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    messenger.messageSeverity =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
                            VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                            VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
    messenger.pfnUserCallback = onMessage;
    messenger.pUserData = this;
    VkLayerSettingsCreateInfoEXT layerSettings{VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT};
    layerSettings.settingCount = static_cast<uint32_t>(std::size(settings));
    layerSettings.pSettings = settings;
    std::vector<const char*> extensions;
    const bool hasDebugUtils = lists(m_loader->extensions(), VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    if (hasDebugUtils)
        extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.pApplicationName = "millrace run";
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, validate ? &layerSettings : nullptr};
    if (validate) {
        // Provided by the validation layer.
        extensions.push_back(VK_EXT_LAYER_SETTINGS_EXTENSION_NAME);
    }
    askForPortability(*m_loader, info, extensions);
    info.pApplicationInfo = &application;
    info.enabledLayerCount = static_cast<uint32_t>(layers.size());
    info.ppEnabledLayerNames = layers.data();
    info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    const auto createInstance =
        reinterpret_cast<PFN_vkCreateInstance>(getProcAddr()(VK_NULL_HANDLE, "vkCreateInstance"));
    const VkResult result = createInstance(&info, nullptr, &m_instance);
    if (result == VK_ERROR_LAYER_NOT_PRESENT) {
        throw DeviceError(std::string("the Vulkan loader finds ") + settings::kLayerName +
                          " and cannot load its library; `millrace info` says more");
    }
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
        throw DeviceError(noDriverText());
    check(result, "vkCreateInstance");
    vkuInitInstanceDispatchTable(m_instance, &m_vk, getProcAddr());
    if (hasDebugUtils) {
        check(m_vk.CreateDebugUtilsMessengerEXT(m_instance, &messenger, nullptr, &m_messenger),
              "vkCreateDebugUtilsMessengerEXT");
    }
}

Instance::~Instance()
{
    if (m_messenger != VK_NULL_HANDLE)
        m_vk.DestroyDebugUtilsMessengerEXT(m_instance, m_messenger, nullptr);
    if (m_instance != VK_NULL_HANDLE)
        m_vk.DestroyInstance(m_instance, nullptr);
}

std::vector<Message> Instance::messages() const
{
    const std::lock_guard lock(m_mutex);
    return m_messages;
}

}  // namespace millrace::tools::run
