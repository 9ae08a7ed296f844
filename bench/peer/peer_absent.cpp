// SPDX-License-Identifier: Apache-2.0
// In place of peer_side.cpp where the peer's headers are not known.
#include "bench/peer/side.h"

namespace millrace::bench::peer {

bool canRunPeer()
{
    return false;
}

std::unique_ptr<Side> createPeer(const std::string& /*library*/, const std::string& /*device*/)
{
    throw PeerError("this program was built without the peer's headers (MILLRACE_PEER_INCLUDE)");
}

}  // namespace millrace::bench::peer
