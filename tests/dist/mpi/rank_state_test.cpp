#include "dist/mpi/rank_state.hpp"

#include "tests/support/testing.hpp"

namespace gausscse::detail {
namespace {

constexpr CollectiveCall sum{Collective::all_reduce_sum, 12, 5, 3}, barrier{Collective::barrier, 0, 6, -1};

TEST(RankState, IsTheSameAfterItsMessage) {
  for (const RankState& state : {RankState{true, false, sum}, RankState{false, true, barrier},
                                 RankState{true, true, {Collective::connect, 1, 2, 3}}}) {
    const RankState again = decode(encode(state));
    EXPECT_EQ(again.waiting, state.waiting);
    EXPECT_EQ(again.slow_work, state.slow_work);
    EXPECT_EQ(again.call, state.call);
  }
}

TEST(RankState, ReportsTheCallThatARankIsInOrWasInLast) {
  EXPECT_EQ(to_string(RankState{true, false, sum}), "waits in all_reduce_sum of 12 elements (collective 5, step 3)");
  EXPECT_EQ(to_string(RankState{false, false, barrier}), "is not in a collective; the last was barrier (collective 6)");
  EXPECT_EQ(to_string(RankState{}), "has not reached a collective yet");
}

TEST(StoryOfOthers, SortsRanksByWhatTheyDo) {
  // Rank 1 of six reports: 0 and 5 are silent, 2 is in the same call, 3 in another one, 4 computes.
  EXPECT_EQ(
      story_of_others(1, 6, sum, {{2, {true, false, sum}}, {3, {true, false, barrier}}, {4, {false, false, sum}}}),
      "; rank 3 waits in barrier (collective 6)"
      "; missing: ranks 0, 5 (no sign of life: stopped, dead or cut off)"
      "; missing: rank 4 (alive, but not in a collective)");
  // The same collective in another step is another call.
  CollectiveCall later = sum;
  later.step = 4;
  EXPECT_EQ(story_of_others(0, 2, sum, {{1, {true, false, later}}}),
            "; rank 1 waits in all_reduce_sum of 12 elements (collective 5, step 4)");
  EXPECT_EQ(story_of_others(1, 2, sum, {{0, {true, false, sum}}}), "; all ranks are in it");
  EXPECT_EQ(list_of({0, 3, 7}), "ranks 0, 3, 7");
}

}  // namespace
}  // namespace gausscse::detail
