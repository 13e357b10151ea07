#include "experiments/claims/claims.hpp"

#include <sys/stat.h>

#include "experiments/claims/attempts.hpp"
#include "experiments/claims/unfinished_folder.hpp"
#include "experiments/study/generations.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
constexpr const char* id = "0123abc";

/// Two or three workers in one process, each with a clock that is moved by hand. The lease is 10 s.
class ClaimsTest : public testing::Test {
 protected:
  ClaimsTest() {
    for (const char* name : {"claims", "unfinished", "trials"}) fs::create_directory(folder / name);
  }

  Claims worker(std::chrono::steady_clock::time_point& now, ProcessIdentity process = this_process_identity(),
                double lease = 10) {
    return Claims(
        folder.path(), lease, [&now] { return now; }, std::move(process));
  }
  fs::path claim_file(long generation) const {
    return folder.path() / "claims" / (std::string(id) + "." + std::to_string(generation));
  }
  ClaimContent content(long generation) const { return *parse_claim(read_whole_file(claim_file(generation), 4096)); }
  TemporaryFolder folder;
  std::chrono::steady_clock::time_point a_now{std::chrono::hours(1)}, b_now{std::chrono::hours(900)},
      c_now{std::chrono::hours(3)};
  Claims a = worker(a_now), b = worker(b_now), c = worker(c_now);
};

TEST_F(ClaimsTest, OneHoldsATrialUntilItIsReleased) {
  const auto first = a.acquire(id);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->generation(), 1);
  EXPECT_FALSE(b.acquire(id));
  EXPECT_FALSE(a.acquire(id)) << "not even the holder gets it twice";
  EXPECT_TRUE(b.acquire("another"));
  take_over_folder(folder.path(), id, 1);
  first->release();
  EXPECT_FALSE(fs::exists(claim_file(1)));
  const auto second = b.acquire(id);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->generation(), 2) << "none is used twice";
}

TEST_F(ClaimsTest, OneOfTwoMakesTheSameGeneration) {
  const ClaimContent content{.worker = "one", .process = this_process_identity()};
  EXPECT_TRUE(Claim::create(folder / "claims", id, 2, content));
  EXPECT_FALSE(Claim::create(folder / "claims", id, 2, content));
}

TEST_F(ClaimsTest, SaysWhoHoldsIt) {
  const auto claim = a.acquire(id);
  EXPECT_EQ(fs::file_size(claim_file(1)), claim_bytes);
  EXPECT_EQ(content(1).worker, a.worker());
  EXPECT_EQ(content(1).process, this_process_identity());
  EXPECT_EQ(content(1).lease, 10);
  EXPECT_EQ(content(1).counter, 0u);
  EXPECT_NE(a.worker(), b.worker());
}

TEST_F(ClaimsTest, IsRenewedInPlace) {
  const auto claim = a.acquire(id);
  struct stat before {
  }, after{};
  ::stat(claim_file(1).c_str(), &before);
  claim->renew();
  claim->renew();
  ::stat(claim_file(1).c_str(), &after);
  EXPECT_EQ(content(1).counter, 2u);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(fs::file_size(claim_file(1)), claim_bytes);
}

TEST_F(ClaimsTest, IsDeadAfterALeaseWithoutRenewalByTheClockOfWhoLooks) {
  const auto claim = a.acquire(id);
  for (const int seconds : {0, 4, 8}) {
    EXPECT_FALSE(b.look().at(id)) << seconds;
    b_now += milliseconds(seconds < 8 ? 4000 : 2000);
  }
  EXPECT_FALSE(b.look().at(id)) << "10 s are the lease";
  EXPECT_FALSE(b.acquire(id));
  b_now += milliseconds(1);
  EXPECT_TRUE(b.look().at(id));
  a_now += std::chrono::hours(50);
  EXPECT_FALSE(a.look().at(id)) << "one's own never is";
  EXPECT_FALSE(c.look().at(id)) << "who has just begun to watch knows nothing";
}

/// Workers may have their own leases (--lease).
TEST_F(ClaimsTest, IsDeadAfterTheLeaseOfItsHolder) {
  Claims patient = worker(c_now, this_process_identity(), 20);
  const auto of_patient = patient.acquire(id);
  for (const int seconds : {0, 4, 8, 12, 16, 20}) {
    EXPECT_FALSE(b.look().at(id)) << seconds;
    b_now += milliseconds(4000);
  }
  EXPECT_TRUE(b.look().at(id));

  Claims hasty = worker(c_now, this_process_identity(), 2);
  const auto of_hasty = hasty.acquire("another");
  EXPECT_FALSE(b.look().at("another"));
  b_now += milliseconds(4000);
  EXPECT_TRUE(b.look().at("another")) << "who looks every 4 s, as often as its own lease wants, sees it, too";
}

TEST_F(ClaimsTest, LivesForAnotherLeaseWithEachRenewal) {
  const auto claim = a.acquire(id);
  for (int i = 0; i < 10; ++i) {
    b_now += milliseconds(4900);
    if (i % 2 == 0) claim->renew();
    EXPECT_FALSE(b.look().at(id)) << i;
  }
  b_now += milliseconds(4900);
  EXPECT_FALSE(b.look().at(id));
  b_now += milliseconds(4900);
  EXPECT_TRUE(b.look().at(id));
}

TEST_F(ClaimsTest, IsNotJudgedByAWatcherThatWasAsleep) {
  const auto claim = a.acquire(id);
  b.look();
  b_now += std::chrono::hours(5);
  EXPECT_FALSE(b.look().at(id)) << "a stopped process, or a host that was asleep, has seen nothing";
  b_now += milliseconds(5001);
  EXPECT_FALSE(b.look().at(id));
  for (int i = 0; i < 2; ++i) {
    b_now += milliseconds(5000);
    EXPECT_FALSE(b.look().at(id));
  }
  b_now += milliseconds(1);
  EXPECT_TRUE(b.look().at(id));
}

TEST_F(ClaimsTest, WithoutReadableContentIsJudgedByTheLeaseOfTheWatcher) {
  for (const char* text : {"", "{}", "{\"format\": \"gausscse-claim/1\"}"}) {
    write_bytes(claim_file(1), text);
    Claims watcher = worker(b_now);
    EXPECT_FALSE(watcher.acquire(id)) << text;
    for (const int pause : {4000, 4000, 2000}) {
      b_now += milliseconds(pause);
      EXPECT_FALSE(watcher.look().at(id)) << text;
    }
    b_now += milliseconds(1);
    const auto claim = watcher.acquire(id);
    ASSERT_TRUE(claim) << text;
    EXPECT_EQ(claim->generation(), 2);
    claim->release();
    EXPECT_FALSE(fs::exists(claim_file(1)));
  }
}

TEST_F(ClaimsTest, OfAProcessThatIsGoneIsDeadAtOnceOnItsOwnHostAlone) {
  ProcessIdentity gone = this_process_identity();
  --gone.start;
  const auto dead_if = [&](const ProcessIdentity& process) {
    Claims holder = worker(a_now, process);
    const auto claim = holder.acquire(id);
    const bool dead = b.look().at(id);
    claim->release();
    return dead;
  };
  EXPECT_TRUE(dead_if(gone));
  EXPECT_FALSE(dead_if(this_process_identity()));
  ProcessIdentity other = gone;
  other.host += "x";
  EXPECT_FALSE(dead_if(other)) << "another host";
  other = gone;
  other.boot += "x";
  EXPECT_FALSE(dead_if(other)) << "another container";
  other = gone;
  other.number = 0;
  EXPECT_FALSE(dead_if(other)) << "an unknown process";
}

/// B takes over the claims of A, which only sleeps.
class TakenOver : public ClaimsTest {
 protected:
  TakenOver() : of_a(a.acquire(id)) {
    EXPECT_FALSE(b.acquire(id));
    c.look();
    for (int i = 0; i < 3; ++i) {
      b_now += milliseconds(4000);
      c_now += milliseconds(4000);
      b.look();
      c.look();
    }
  }

  std::unique_ptr<Claim> of_a;
};

TEST_F(TakenOver, TheSecondHolderHasTheNextGeneration) {
  const auto of_b = b.acquire(id);
  ASSERT_TRUE(of_b);
  EXPECT_EQ(of_b->generation(), 2);
  EXPECT_TRUE(of_b->is_still_mine());
  EXPECT_FALSE(c.acquire(id)) << "the new claim is alive, whatever the old one is";
}

TEST_F(TakenOver, TheFormerHolderFindsOutAtItsNextRenewalAndWritesNothing) {
  const auto of_b = b.acquire(id);
  EXPECT_FALSE(of_a->lost());
  of_a->renew();
  EXPECT_TRUE(of_a->lost());
  EXPECT_EQ(content(1).counter, 0u);
  EXPECT_FALSE(of_a->is_still_mine());
  of_a->release();
  EXPECT_TRUE(fs::exists(claim_file(1)));
  EXPECT_TRUE(fs::exists(claim_file(2)));
  of_b->release();
  EXPECT_TRUE(fs::is_empty(folder / "claims"));
}

TEST_F(TakenOver, TheFormerHolderFindsOutBeforeItWrites) {
  const auto of_b = b.acquire(id);
  EXPECT_FALSE(of_a->is_still_mine());
  EXPECT_TRUE(of_a->lost());
}

TEST_F(TakenOver, TheFormerHolderFindsOutWhenItsClaimIsGone) {
  b.acquire(id)->release();
  EXPECT_FALSE(fs::exists(claim_file(1)));
  of_a->renew();
  EXPECT_TRUE(of_a->lost());
  EXPECT_FALSE(fs::exists(claim_file(1))) << "nothing brings it back";
}

TEST_F(TakenOver, ARenewalBehindTheTakeoverComesTooLateAndOneBeforeItSavesTheClaim) {
  of_a->renew();
  EXPECT_FALSE(b.acquire(id)) << "it looks once more before it takes over";
  for (int i = 0; i < 3; ++i) {
    b_now += milliseconds(4000);
    b.look();
  }
  const auto of_b = b.acquire(id);
  ASSERT_TRUE(of_b);
  of_a->renew();
  EXPECT_TRUE(of_a->lost());
  EXPECT_TRUE(of_b->is_still_mine());
}

TEST_F(TakenOver, OneOfTwoTakers) {
  const auto of_c = c.acquire(id);
  EXPECT_TRUE(of_c);
  EXPECT_FALSE(b.acquire(id));
}

TEST_F(TakenOver, AndOverAgainFromAHolderThatDied) {
  auto of_b = b.acquire(id);
  of_b.reset();
  for (int i = 0; i < 4; ++i) {
    c_now += milliseconds(4000);
    c.look();
  }
  const auto of_c = c.acquire(id);
  ASSERT_TRUE(of_c);
  EXPECT_EQ(of_c->generation(), 3);
  of_a->renew();
  EXPECT_TRUE(of_a->lost()) << "two generations on";
  of_c->release();
  EXPECT_TRUE(fs::is_empty(folder / "claims"));
}

TEST_F(ClaimsTest, GenerationsLieAboveAllThatIsLeftOfATrial) {
  const auto next = [&] {
    const auto claim = a.acquire(id);
    const long generation = claim->generation();
    claim->release();
    return generation;
  };
  fs::create_directory(folder / "unfinished/0123abc.4");
  EXPECT_EQ(next(), 5);
  fs::create_directories(folder / "set_aside/0123abc.11");
  EXPECT_EQ(next(), 12);
  fs::create_directories(folder / "trials/0123abc");
  Attempts attempts;
  attempts.generation = 20;
  write_attempts(folder / "trials/0123abc", attempts);
  EXPECT_EQ(next(), 21);
  fs::create_directory(folder / "unfinished/0123abcd.90");
  fs::create_directory(folder / "unfinished/0123abc.031");
  fs::create_directory(folder / "unfinished/0123abc.31.tmp");
  EXPECT_EQ(next(), 21) << "of other names";
}

TEST_F(ClaimsTest, AClaimOfAnotherWorkerInItsPlaceIsNotItsOwn) {
  const auto claim = a.acquire(id);
  write_bytes(claim_file(1), to_text({.worker = b.worker(), .process = this_process_identity()}));
  claim->renew();
  EXPECT_TRUE(claim->lost());
  claim->release();
  EXPECT_EQ(content(1).worker, b.worker());
}

TEST_F(ClaimsTest, CannotBeMadeWhereTheFolderIsGone) {
  fs::remove_all(folder / "claims");
  EXPECT_THROW(a.acquire(id), WriteError);
}

}  // namespace
}  // namespace gausscse
