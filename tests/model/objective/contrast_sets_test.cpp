#include "model/objective/contrast_sets.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/tensor.h>

#include "tests/model/objective/labelled_brute_force.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Numbers = std::vector<std::int64_t>;

// Premises of one to seven pairs, of which groups are far from each other in the batch.
const Numbers labels{0, 0, 1, 0, 2, 0, 0, 1, 1, 0, 2, 0, 0, 0, 2, 1, 0, 0};
const Numbers groups{9, 9, 9, 4, 9, 9, 4, 4, 7, 9, 4, 9, 8, 4, 8, 8, 9, 5};
const std::int64_t batch = 18;

ExampleLabels of_batch() {
  return {at::tensor(labels, at::kLong), at::tensor(groups, at::kLong)};
}

/// Returns the hypotheses that `sets` takes for its anchors, from blocks of `block` hypotheses.
std::vector<AnchorSets> taken_of(const ContrastSets& sets, std::int64_t block) {
  std::vector<AnchorSets> all;
  for (const std::int64_t anchor : sets.anchors()) all.push_back({anchor, {}, {}});
  for (std::int64_t first = 0; first < batch; first += block) {
    const std::int64_t count = std::min(block, batch - first);
    const ContrastSets::Taken taken = sets.among(first, count);
    for (std::size_t a = 0; a < all.size(); ++a) {
      for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t place = static_cast<std::int64_t>(a) * count + k;
        if (taken.positive.const_data_ptr<bool>()[place]) all[a].positives.push_back(first + k);
        if (taken.negative.const_data_ptr<bool>()[place]) all[a].negatives.push_back(first + k);
      }
    }
  }
  return all;
}

const std::vector<ContrastLimits> ways_to_limit{{},     {.positives = 1},    {.positives = 3}, {.negatives = 1},
                                                {3, 3}, {.negatives = 1000}, {1000, 5},        {2, 16}};

TEST(ContrastSets, AreThoseOfTheDefinition) {
  for (const ContrastLimits& limits : ways_to_limit) {
    const StepOfTraining step{.seed = 0x123456789abc, .number = 77};
    const auto expected = brute_force_sets(labels, groups, limits, step);
    const ContrastSets sets(of_batch(), {0, batch}, limits, step, at::kCPU);
    const auto found = taken_of(sets, batch);
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_EQ(sets.anchors_of_batch(), 11);
    std::int64_t pairs = 0;
    for (std::size_t a = 0; a < found.size(); ++a) {
      EXPECT_EQ(found[a].anchor, expected[a].anchor);
      EXPECT_EQ(found[a].positives, expected[a].positives);
      EXPECT_EQ(found[a].negatives, expected[a].negatives);
      EXPECT_EQ(sets.positive_counts()[static_cast<std::int64_t>(a)].item<std::int64_t>(),
                static_cast<std::int64_t>(expected[a].positives.size()));
      pairs += static_cast<std::int64_t>(expected[a].positives.size() + expected[a].negatives.size()) - 1;
    }
    EXPECT_EQ(sets.other_pairs_of_batch(), pairs);
  }
}

/// By hand: the premise of group 4 is entailed at 3, 6 and 13; all else of the batch is negative.
TEST(ContrastSets, AreAllWithoutALimit) {
  const ContrastSets sets(of_batch(), {3, 4}, {}, {}, at::kCPU);
  ASSERT_EQ(sets.anchors(), Numbers{3});
  EXPECT_EQ(sets.anchor_rows(3).item<std::int64_t>(), 0);
  const AnchorSets found = taken_of(sets, 5).front();
  EXPECT_EQ(found.positives, (Numbers{3, 6, 13}));
  EXPECT_EQ(found.negatives, (Numbers{0, 1, 2, 4, 5, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17}));
}

/// The sets depend neither on the rank of an anchor nor on the blocks of hypotheses.
TEST(ContrastSets, AreTheSameForAnyShareAndBlocks) {
  const StepOfTraining step{.seed = 5, .number = 3};
  for (const ContrastLimits& limits : ways_to_limit) {
    const auto expected = brute_force_sets(labels, groups, limits, step);
    for (const std::int64_t block : {1, 4, 7}) {
      std::size_t a = 0;
      for (const AnchorRange own : {AnchorRange{0, 5}, AnchorRange{5, 5}, AnchorRange{5, 12}, AnchorRange{12, 18}}) {
        for (const AnchorSets& found : taken_of(ContrastSets(of_batch(), own, limits, step, at::kCPU), block)) {
          ASSERT_EQ(found.anchor, expected[a].anchor);
          EXPECT_EQ(found.positives, expected[a].positives);
          EXPECT_EQ(found.negatives, expected[a].negatives);
          ++a;
        }
      }
      EXPECT_EQ(a, expected.size());
    }
  }
}

TEST(ContrastSets, OfAnAnchorAreOthersInAnotherStepAndOfAnotherSeed) {
  const auto drawn = [](std::uint64_t seed, std::uint64_t number) {
    return taken_of(ContrastSets(of_batch(), {0, 1}, {.positives = 3, .negatives = 4}, {seed, number}, at::kCPU), batch)
        .front();
  };
  EXPECT_EQ(drawn(1, 2).negatives, drawn(1, 2).negatives);
  std::set<Numbers> seen;
  for (std::uint64_t i = 0; i < 4; ++i) {
    seen.insert(drawn(1, i).negatives);
    seen.insert(drawn(1, i << 32).negatives);
    seen.insert(drawn(i, 9).negatives);
    seen.insert(drawn(i << 32, 9).negatives);
  }
  EXPECT_GE(seen.size(), 12u);
}

/// Two of five other positives and three of twelve negatives are drawn; the counts lie within five standard deviations.
TEST(ContrastSets, DrawEachHypothesisEquallyOften) {
  std::map<std::int64_t, int> positives, negatives;
  constexpr int draws = 2000;
  for (int i = 0; i < draws; ++i) {
    const ContrastSets sets(of_batch(), {0, 1}, {.positives = 3, .negatives = 3}, {7, static_cast<std::uint64_t>(i)},
                            at::kCPU);
    const AnchorSets found = taken_of(sets, batch).front();
    ASSERT_EQ(found.positives.size(), 3u);
    ASSERT_EQ(found.negatives.size(), 3u);
    for (const std::int64_t j : found.positives) ++positives[j];
    for (const std::int64_t j : found.negatives) ++negatives[j];
  }
  EXPECT_EQ(positives.size(), 6u);
  EXPECT_EQ(positives.at(0), draws);
  EXPECT_EQ(negatives.size(), 12u);
  positives.erase(0);
  for (const auto& [j, count] : positives) EXPECT_NEAR(count, draws * 2.0 / 5, 5 * 22) << j;
  for (const auto& [j, count] : negatives) EXPECT_NEAR(count, draws * 3.0 / 12, 5 * 20) << j;
}

TEST(ContrastSets, MayHaveNoAnchor) {
  const ContrastSets sets({at::tensor({1, 2, 1}, at::kLong), at::tensor({0, 0, 1}, at::kLong)}, {0, 3}, {2, 2}, {},
                          at::kCPU);
  EXPECT_EQ(sets.anchors_of_batch(), 0);
  EXPECT_EQ(sets.other_pairs_of_batch(), 0);
  EXPECT_TRUE(sets.anchors().empty());
  EXPECT_EQ(sets.among(0, 3).positive.numel(), 0);
}

}  // namespace
}  // namespace gausscse
