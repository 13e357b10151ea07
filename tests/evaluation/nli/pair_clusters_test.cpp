#include "evaluation/nli/pair_clusters.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Sentences = std::vector<std::uint32_t>;
using Clusters = std::vector<std::int64_t>;

// Sentences 1 and 5 are premises of two pairs each; 2 is the hypothesis of one premise and another pair's premise.
const Sentences premise{1, 5, 1, 2, 5, 8, 6}, hypothesis{2, 3, 4, 7, 9, 8, 3};

TEST(PairClusters, ArePremises) {
  EXPECT_EQ(pair_clusters(premise, hypothesis, false), (Clusters{1, 5, 1, 2, 5, 8, 6}));
}

TEST(PairClusters, AreConnectedSentencesOfSick) {
  // 1-2, 1-4, 2-7 are connected, and 5-3, 5-9, 6-3.
  EXPECT_EQ(pair_clusters(premise, hypothesis, true), (Clusters{1, 3, 1, 1, 3, 8, 3}));
  EXPECT_TRUE(pair_clusters({}, {}, true).empty());
}

}  // namespace
}  // namespace gausscse
