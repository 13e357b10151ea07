#include <poll.h>

#include <atomic>
#include <chrono>
#include <ctime>

#include "experiments/claims/claim.hpp"
#include "experiments/claims/claims.hpp"
#include "tests/support/testing.hpp"

namespace {
/// Milliseconds that the last wait for a file was asked to take at most.
std::atomic<int> asked_milliseconds{-1};
}  // namespace

/// Takes the place of the C library's in this program, so that a test sees how long a thread means to wait.
extern "C" int poll(pollfd* files, nfds_t count, int milliseconds) {
  if (count > 0) asked_milliseconds = milliseconds;
  const std::timespec pause{milliseconds / 1000, milliseconds % 1000 * 1'000'000L};
  return ::ppoll(files, count, milliseconds < 0 ? nullptr : &pause, nullptr);
}

namespace gausscse {
namespace {

namespace fs = std::filesystem;

/// A claim `id.1`, and a thread that renews with a lease of 0.2 s.
class ClaimRenewalTest : public testing::Test {
 protected:
  ClaimRenewalTest() {
    fs::create_directory(folder / "claims");
    claim = claims().acquire("id");
  }

  Claims claims() { return Claims(folder.path(), 0.2, std::chrono::steady_clock::now); }
  std::uint64_t counter() const { return parse_claim(read_whole_file(folder / "claims" / "id.1", 4096))->counter; }
  /// Returns whether it is so within a minute.
  static bool comes(const std::function<bool()>& is_so) {
    for (int i = 0; i < 12'000; ++i) {
      if (is_so()) return true;
      ::poll(nullptr, 0, 5);
    }
    return false;
  }

  TemporaryFolder folder;
  std::shared_ptr<Claim> claim;
};

TEST_F(ClaimRenewalTest, RaisesTheCounterUntilItGoes) {
  auto renewal = std::make_unique<ClaimRenewal>(0.2);
  EXPECT_EQ(counter(), 0u) << "not before it is told of the claim";
  renewal->add(claim);
  EXPECT_TRUE(comes([&] { return counter() >= 3; }));
  renewal.reset();
  const std::uint64_t last = counter();
  claim->renew();
  EXPECT_EQ(counter(), last + 1) << "the thread is gone, and the claim goes on from there";
}

/// Six times a lease, so that a holder is judged dead only after several renewals were missed.
TEST_F(ClaimRenewalTest, RenewsSixTimesALease) {
  for (const auto& [lease, milliseconds] :
       {std::pair{60.0, 10'000}, {6.0, 1'000}, {0.6, 100}, {3600.0, 600'000}, {0.001, 1}}) {
    asked_milliseconds = -1;
    const ClaimRenewal renewal(lease);
    EXPECT_TRUE(comes([&, wanted = milliseconds] { return asked_milliseconds == wanted; }))
        << lease << ": " << asked_milliseconds;
  }
}

TEST_F(ClaimRenewalTest, FindsOutThatATrialIsTakenOver) {
  ClaimRenewal renewal(0.2);
  renewal.add(claim);
  write_bytes(folder / "claims" / "id.2", "another's");
  EXPECT_TRUE(comes([&] { return claim->lost(); }));
}

/// A claim that a worker has let go is not kept alive.
TEST_F(ClaimRenewalTest, EndsWithTheClaim) {
  ClaimRenewal renewal(0.2);
  renewal.add(claim);
  EXPECT_TRUE(comes([&] { return counter() >= 1; }));
  const std::weak_ptr<Claim> watched = claim;
  claim.reset();
  EXPECT_TRUE(comes([&] { return watched.expired(); }));
}

}  // namespace
}  // namespace gausscse
