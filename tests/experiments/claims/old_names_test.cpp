#include "tests/experiments/claims/old_names.hpp"

#include <cerrno>

#include "experiments/claims/claims.hpp"
#include "experiments/claims/unfinished_folder.hpp"
#include "experiments/study/generations.hpp"
#include "tests/support/testing.hpp"

// Faults that the simulation of workers found, each by itself (docs/developers/simulation.md).

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr const char* trial_id = "0123abc";

/// A system in which something happens before a file is made, or a file cannot be opened.
class DisturbedWorld : public World {
 public:
  int open(const fs::path& path, int flags) const override {
    if ((flags & O_CREAT) != 0 && before_create) before_create();
    errno = ESTALE;
    return is_stale ? -1 : World::open(path, flags);
  }

  std::function<void()> before_create;
  bool is_stale = false;
};

/// Two workers: A sees the folder as it is, B as its host remembers it. The lease is 10 s.
class OldNamesTest : public testing::Test {
 protected:
  OldNamesTest() {
    for (const char* name : {"claims", "unfinished", "trials"}) fs::create_directory(folder / name);
  }
  Claims worker(SteadyTime& now, const World& world) {
    return Claims(
        folder.path(), 10, [&now] { return now; }, this_process_identity(), world);
  }
  std::set<long> claims() const { return generations_of(folder / "claims", trial_id); }
  std::set<long> folders() const { return generations_of(folder / "unfinished", trial_id); }
  /// Lets a worker see no sign of life for longer than the lease.
  static void look_for_a_lease(Claims& claims, SteadyTime& now) {
    for (int i = 0; i < 4; ++i) {
      claims.look();
      now += seconds(4);
    }
  }

  TemporaryFolder folder;
  SteadyTime a_now{std::chrono::hours(1)}, b_now{std::chrono::hours(900)};
  OldNames<World> old;
  DisturbedWorld disturbed;
  Claims a = worker(a_now, real_world()), b = worker(b_now, old);
};

TEST_F(OldNamesTest, LeadToNoClaimBesidesALiveOne) {
  b.look();
  const auto of_a = a.acquire(trial_id);
  take_over_folder(folder.path(), trial_id, of_a->generation());
  EXPECT_FALSE(b.acquire(trial_id)) << "B does not see the claim, but its folder";
  EXPECT_EQ(claims(), std::set<long>{1});
  EXPECT_TRUE(of_a->is_still_mine());
}

TEST_F(OldNamesTest, DoNotHideTheFolderOfALaterHolder) {
  EXPECT_TRUE(left_folders(folder.path(), trial_id, old).empty());
  take_over_folder(folder.path(), trial_id, 2);
  EXPECT_TRUE(take_over_folder(folder.path(), trial_id, 1, old).empty());
  EXPECT_EQ(folders(), std::set<long>{2});
}

TEST_F(OldNamesTest, DoNotHideTheFolderOfTheFormerHolder) {
  EXPECT_TRUE(left_folders(folder.path(), trial_id, old).empty());
  write_bytes(take_over_folder(folder.path(), trial_id, 1) / "result.h5", "whole");
  const fs::path own = take_over_folder(folder.path(), trial_id, 2, old);
  EXPECT_EQ(folders(), std::set<long>{2});
  EXPECT_TRUE(fs::exists(own / "result.h5"));
  EXPECT_EQ(commit_folder(folder.path(), trial_id, 1, "a"), Commit::too_late);
}

/// A host that takes an old path for the folder that was renamed since.
class OldPath : public OldNames<World> {
 public:
  void remove_all(const fs::path& path) const override { World::remove_all(path == before ? now : path); }

  fs::path before, now;
};

TEST_F(OldNamesTest, DoNotLeadToTheRemovalOfADoneTrial) {
  OldPath world;
  world.before = take_over_folder(folder.path(), trial_id, 1);
  world.now = folder / "trials" / trial_id;
  write_bytes(world.before / "result.h5", "whole");
  EXPECT_EQ(generations_of(folder / "unfinished", trial_id, world), std::set<long>{1});
  ASSERT_EQ(commit_folder(folder.path(), trial_id, 1, "a"), Commit::done);
  remove_leftovers(folder.path(), trial_id, 2, world);
  EXPECT_TRUE(fs::exists(world.now / "result.h5"));
}

TEST_F(OldNamesTest, DoNotProveThatAClaimIsStillHeld) {
  const auto of_b = b.acquire(trial_id);
  ASSERT_TRUE(of_b->is_still_mine());
  EXPECT_TRUE(of_b->is_surely_mine());
  EXPECT_EQ(claims(), std::set<long>{1}) << "the question leaves nothing";
  ASSERT_TRUE(of_b->is_still_mine());
  ASSERT_TRUE(Claim::create(folder / "claims", trial_id, 2, {.worker = "a", .process = this_process_identity()}));
  EXPECT_TRUE(of_b->is_still_mine());
  EXPECT_FALSE(of_b->is_surely_mine());
  EXPECT_TRUE(of_b->lost());
  EXPECT_EQ(claims(), (std::set<long>{1, 2}));
}

TEST_F(OldNamesTest, AHolderThatAwakesWhileItIsTakenOverKeepsItsClaim) {
  const auto of_a = a.acquire(trial_id);
  Claims c = worker(b_now, disturbed);
  look_for_a_lease(c, b_now);
  disturbed.before_create = [&] { of_a->renew(); };
  EXPECT_FALSE(c.acquire(trial_id));
  EXPECT_EQ(claims(), std::set<long>{1});
  disturbed.before_create = nullptr;
  look_for_a_lease(c, b_now);
  EXPECT_TRUE(c.acquire(trial_id)) << "it sleeps again";
}

TEST_F(OldNamesTest, AWorkerTakesOverItsOwnClaimThatItLost) {
  Claims c = worker(b_now, disturbed);
  const auto of_c = c.acquire(trial_id);
  disturbed.is_stale = true;
  of_c->renew();
  disturbed.is_stale = false;
  ASSERT_TRUE(of_c->lost());
  EXPECT_FALSE(c.acquire(trial_id)) << "another one may have it";
  look_for_a_lease(c, b_now);
  const auto again = c.acquire(trial_id);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->generation(), 2);
}

TEST_F(OldNamesTest, AGenerationThatIsMadeAgainIsASignOfLife) {
  a.acquire(trial_id)->release();
  const auto first = a.acquire(trial_id);
  const auto bytes = read_claim_bytes(folder / "claims" / "0123abc.1");
  first->release();
  const auto second = a.acquire(trial_id);
  ASSERT_EQ(second->generation(), 1);
  EXPECT_NE(read_claim_bytes(folder / "claims" / "0123abc.1"), bytes);
}

}  // namespace
}  // namespace gausscse
