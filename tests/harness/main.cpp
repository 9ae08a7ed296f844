// SPDX-License-Identifier: Apache-2.0
// main() of test programs that use Vulkan: destroys the shared devices after the last test and listens to what the
// validation layer says of it. A program in which every test was skipped fails.
#include "harness/vulkan_test.h"

namespace {

class Devices : public testing::Environment {
public:
    void TearDown() override
    {
        for (const std::string& message : millrace::harness::releaseSharedDevices())
            ADD_FAILURE() << "while destroying the devices: " << message;
    }
};

}  // namespace

int main(int argc, char** argv)
{
    testing::InitGoogleTest(&argc, argv);
    testing::AddGlobalTestEnvironment(new Devices);
    const int result = RUN_ALL_TESTS();
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    if (all.skipped_test_count() > 0)
        std::printf("note: %d tests were skipped\n", all.skipped_test_count());
    if (all.test_to_run_count() > 0 && all.skipped_test_count() == all.test_to_run_count()) {
        std::printf("every test was skipped\n");
        return 1;
    }
    return result;
}
