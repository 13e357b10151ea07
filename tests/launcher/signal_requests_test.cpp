#include "launcher/signal_requests.hpp"

#include <csignal>

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// In a process of its own, as a signal that is not held ends it.
TEST(SignalRequestsDeathTest, HoldsSignalsUntilItIsThere) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [] {
    SignalRequests::hold();
    std::raise(SIGUSR1);
    std::raise(SIGTERM);
    SignalRequests requests;
    const bool is_right = requests.take_checkpoint() && requests.stop() && SignalRequests::stop_signal() == SIGTERM;
    std::_Exit(is_right ? 7 : 8);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace gausscse
