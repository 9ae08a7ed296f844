// SPDX-License-Identifier: Apache-2.0
// Where the layer is on this machine, loaded or not.
#pragma once

#include <string>

namespace millrace::tools {

// The file that the running process has loaded; empty if there is none.
std::string loadedLayerLibrary();

// The folder of the layer's manifest beside the tool: in a build tree, or under the same prefix. Empty: none.
std::string layerFolderBesideTool();

// Lets the loader look in that folder as well, behind what the user says: who sets a path wants that layer. For the
// rest of the process.
void letLoaderLookBesideTool();

// What to do so that the loader finds the layer: knows build trees and installations beside the tool.
std::string adviceToFindLayer();

// Takes the layer out of the variables that enable it for every application, for the life of the object.
class WithoutLayer {
public:
    WithoutLayer();
    ~WithoutLayer();
    WithoutLayer(const WithoutLayer&) = delete;
    WithoutLayer& operator=(const WithoutLayer&) = delete;

    bool wasEnabled() const { return m_wasEnabled; }

private:
    void filter(const char* variable, char separator, std::string& before);

    std::string m_instanceLayers, m_enabledLayers;  // before; empty: not changed
    bool m_wasEnabled = false;
};

}  // namespace millrace::tools
