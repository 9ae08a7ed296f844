// SPDX-License-Identifier: Apache-2.0
// The peer: the library itself, as a work graph of vkd3d-proton's emulation.
#include "bench/peer/d3d12.h"
#include "bench/peer/d3d12_program.h"
#include "bench/peer/side.h"

namespace millrace::bench::peer {

namespace {

class PeerSide : public Side {
public:
    PeerSide(const std::string& library, const std::string& device) : m_device(library, device) {}

    std::string device() const override { return m_device.name(); }
    std::unique_ptr<Program> create(const Graph& graph) override
    {
        return std::make_unique<D3d12Program>(m_device, graph);
    }

private:
    D3d12Device m_device;
};

}  // namespace

bool canRunPeer()
{
    return true;
}

std::unique_ptr<Side> createPeer(const std::string& library, const std::string& device)
{
    return std::make_unique<PeerSide>(library, device);
}

}  // namespace millrace::bench::peer
