// SPDX-License-Identifier: Apache-2.0
#include "layer/test_instance.h"

#include "layer/recorder.h"
#include "layer/tomorrow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

namespace millrace::layertest {

namespace {

VKAPI_ATTR VkBool32 VKAPI_CALL onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                         VkDebugUtilsMessageTypeFlagsEXT type,
                                         const VkDebugUtilsMessengerCallbackDataEXT* data, void* user)
{
    const std::string id = data->pMessageIdName ? data->pMessageIdName : "";
    // Everybody else informs of this and that.
    if (severity != VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT || id.starts_with("Millrace-"))
        static_cast<TestInstance*>(user)->add({id, data->pMessage, type});
    return VK_FALSE;
}

struct Settings {
    static constexpr VkBool32 kValues[] = {VK_FALSE, VK_TRUE};
    std::vector<VkLayerSettingEXT> list;
    std::vector<const char*> words;
    std::vector<uint32_t> numbers;

    std::string disabled;

    explicit Settings(const InstanceOptions& options)
    {
        // A run of all tests with something disabled: the environment would win over what a test disables.
        if (const char* list = std::getenv("MILLRACE_TEST_DISABLE"))
            disabled = list;
        words.reserve(options.settings.size() + 1);
        numbers.reserve(options.settings.size());
        for (const auto& [name, value] : options.settings) {
            if (name == "disable") {
                disabled += "," + value;
                continue;
            }
            if (value == "true" || value == "false") {
                list.push_back(
                    {kEmulation, name.c_str(), VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &kValues[value == "true"]});
                continue;
            }
            if (value.find_first_not_of("0123456789") == std::string::npos) {
                numbers.push_back(static_cast<uint32_t>(std::stoul(value)));
                list.push_back({kEmulation, name.c_str(), VK_LAYER_SETTING_TYPE_UINT32_EXT, 1, &numbers.back()});
                continue;
            }
            words.push_back(value.c_str());
            list.push_back({kEmulation, name.c_str(), VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &words.back()});
        }
        words.push_back(disabled.c_str());
        list.push_back({kEmulation, "disable", VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &words.back()});
        for (const char* name : {"validate_sync", "syncval_submit_time_validation", "thread_safety"})
            list.push_back({kValidation, name, VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &kValues[1]});
    }
};

// An instance from the first test on that has one to the last: without any the loader unloads the driver. The C library
// has room for the thread-local memory of NVIDIA's some dozen times, whether it has been unloaded or not.
class LoadedDriver : public testing::Environment {
public:
    void keep()
    {
        const VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
        if (!m_instance)
            vkCreateInstance(&info, nullptr, &m_instance);
    }
    void TearDown() override
    {
        if (m_instance)
            vkDestroyInstance(m_instance, nullptr);
        m_instance = VK_NULL_HANDLE;
    }

private:
    VkInstance m_instance = VK_NULL_HANDLE;
};

bool isInstalled(const char* name)
{
    uint32_t count = 0;
    vkEnumerateInstanceLayerProperties(&count, nullptr);
    std::vector<VkLayerProperties> layers(count);
    vkEnumerateInstanceLayerProperties(&count, layers.data());
    return std::any_of(layers.begin(), layers.end(),
                       [name](const VkLayerProperties& layer) { return std::strcmp(layer.layerName, name) == 0; });
}

// The loader does not say which layer it lacks.
std::string reasonOf(VkResult result, const std::vector<const char*>& layers)
{
    std::string reason = "vkCreateInstance returned " + std::to_string(result);
    if (result != VK_ERROR_LAYER_NOT_PRESENT)
        return reason;
    const auto missing = std::ranges::find_if_not(layers, isInstalled);
    if (missing == layers.end())
        return reason + ": the library of a layer was not found; build the targets of the test's layers";
    reason += ": " + std::string(*missing) + " was not found; ";
    return reason + (std::strcmp(*missing, kValidation) == 0
                         ? "install it, or set MILLRACE_TEST_NO_VALIDATION=1 to go without"
                         : "set VK_ADD_LAYER_PATH to the folders of all layers of the test, as ctest does");
}

auto* const loadedDriver = static_cast<LoadedDriver*>(testing::AddGlobalTestEnvironment(new LoadedDriver));

}  // namespace

TestInstance::TestInstance(const InstanceOptions& options) : m_allocator(options.allocator)
{
    loadedDriver->keep();
    const Settings settings(options);
    VkDebugUtilsMessengerCreateInfoEXT messenger{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    messenger.messageSeverity =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    if (options.info)
        messenger.messageSeverity |= VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
    messenger.messageType = options.types;
    messenger.pfnUserCallback = onMessage;
    messenger.pUserData = this;
    VkLayerSettingsCreateInfoEXT layerSettings{VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT};
    layerSettings.settingCount = static_cast<uint32_t>(settings.list.size());
    layerSettings.pSettings = settings.list.data();
    std::vector<const char*> layers;
    if (options.emulation)
        layers.push_back(kEmulation);
    if (options.recorder)
        layers.push_back(kRecorder);
    if (options.tomorrow)
        layers.push_back(kTomorrow);
    if (options.driver)
        layers.push_back(kDriver);
    if (options.spy && spyInstalled())
        layers.push_back(kSpy);
    if (!std::getenv("MILLRACE_TEST_NO_VALIDATION"))
        layers.push_back(kValidation);
    // The last one is nearest to the driver.
    if (std::getenv("MILLRACE_TEST_SHUFFLE"))
        layers.push_back(kShuffle);
    if (std::getenv("MILLRACE_TEST_PIPELINES"))
        layers.push_back(kPipelines);
    if (std::getenv("MILLRACE_TEST_DEVICE_FILE"))
        layers.push_back(kDeviceFile);
    const char* extensions[] = {VK_EXT_LAYER_SETTINGS_EXTENSION_NAME, VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = options.apiVersion;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    if (!layers.empty())
        info.pNext = &layerSettings;
    if (options.chained)
        layerSettings.pNext = &messenger;
    info.pApplicationInfo = &application;
    info.enabledLayerCount = static_cast<uint32_t>(layers.size());
    info.ppEnabledLayerNames = layers.data();
    info.enabledExtensionCount = options.debugUtils ? 2 : 1;
    info.ppEnabledExtensionNames = extensions;
    if (layers.empty()) {
        // VK_EXT_layer_settings is an extension of the layers.
        info.enabledExtensionCount = options.debugUtils ? 1 : 0;
        info.ppEnabledExtensionNames = extensions + 1;
    }
    if (const VkResult result = vkCreateInstance(&info, options.allocator, &handle); result != VK_SUCCESS)
        throw std::runtime_error(reasonOf(result, layers));
    if (options.debugUtils) {
        EXPECT_EQ(get<PFN_vkCreateDebugUtilsMessengerEXT>("vkCreateDebugUtilsMessengerEXT")(handle, &messenger, nullptr,
                                                                                            &m_messenger),
                  VK_SUCCESS);
    }
    uint32_t one = 1;
    vkEnumeratePhysicalDevices(handle, &one, &physical);
}

TestInstance::~TestInstance()
{
    if (m_messenger)
        get<PFN_vkDestroyDebugUtilsMessengerEXT>("vkDestroyDebugUtilsMessengerEXT")(handle, m_messenger, nullptr);
    vkDestroyInstance(handle, m_allocator);
    for (const Message& message : m_messages)
        ADD_FAILURE() << "[" << message.id << "] " << message.text;
}

bool spyInstalled()
{
    static const bool installed = isInstalled(kSpy);
    return installed;
}

std::vector<Message> TestInstance::takeMessages()
{
    std::lock_guard lock(m_mutex);
    return std::exchange(m_messages, {});
}

void TestInstance::expectMessage(const std::string& id)
{
    const std::vector<Message> messages = takeMessages();
    EXPECT_EQ(messages.size(), 1u);
    for (const Message& message : messages)
        EXPECT_EQ(message.id, id) << message.text;
}

namespace {

// Everything of ours says what is wrong and what to do about it.
bool isComplete(const Message& message)
{
    const bool ours = message.id.starts_with("Millrace-") || message.id.find("AMDX") != std::string::npos;
    const size_t advice = std::min(message.text.rfind(". "), message.text.rfind("? "));  // behind what was meant
    return !ours || (advice != std::string::npos && message.text.ends_with('.') && message.text.size() > advice + 12);
}

}  // namespace

void TestInstance::add(Message message)
{
    EXPECT_TRUE(isComplete(message)) << message.id << ": " << message.text;
    std::lock_guard lock(m_mutex);
    m_messages.push_back(std::move(message));
}

std::vector<VkExtensionProperties> deviceExtensions(VkPhysicalDevice physical, const char* layer)
{
    uint32_t count = 0;
    EXPECT_EQ(vkEnumerateDeviceExtensionProperties(physical, layer, &count, nullptr), VK_SUCCESS);
    std::vector<VkExtensionProperties> list(count);
    EXPECT_EQ(vkEnumerateDeviceExtensionProperties(physical, layer, &count, list.data()), VK_SUCCESS);
    EXPECT_EQ(count, list.size());
    return list;
}

bool lists(const std::vector<VkExtensionProperties>& extensions, const char* name)
{
    for (const VkExtensionProperties& extension : extensions)
        if (std::strcmp(extension.extensionName, name) == 0)
            return true;
    return false;
}

}  // namespace millrace::layertest
