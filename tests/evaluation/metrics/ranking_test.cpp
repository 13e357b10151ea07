#include "evaluation/metrics/ranking.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Ranked = std::vector<RankedDocument>;

TEST(Ranking, CountsDocumentsDownToTheLastPlace) {
  const Ranked ranked{{11, 1}, {10, 1}, {1, 1}, {100, 1}, {101, 1}};
  EXPECT_DOUBLE_EQ(recall_at(1, ranked), 1.0 / 5);
  EXPECT_DOUBLE_EQ(recall_at(9, ranked), 1.0 / 5);
  EXPECT_DOUBLE_EQ(recall_at(10, ranked), 2.0 / 5);
  EXPECT_DOUBLE_EQ(recall_at(100, ranked), 4.0 / 5);
}

TEST(Ranking, ReciprocalRankIsThatOfTheFirstRelevantDocument) {
  EXPECT_DOUBLE_EQ(reciprocal_rank_at(10, Ranked{{9, 1}, {4, 1}}), 0.25);
  EXPECT_DOUBLE_EQ(reciprocal_rank_at(10, Ranked{{10, 1}}), 0.1);
  EXPECT_DOUBLE_EQ(reciprocal_rank_at(10, Ranked{{11, 1}}), 0);
}

TEST(Ranking, GainsAreGradesOverTheLogarithmOfTheRank) {
  // Places 2 and 10 count, 11 doesn't; best would be 3, 2, 1 in the places 1, 2, 3.
  const Ranked ranked{{2, 1}, {10, 3}, {11, 2}};
  EXPECT_NEAR(ndcg_at(10, ranked),
              (1 / std::log2(3.0) + 3 / std::log2(11.0)) / (3 + 2 / std::log2(3.0) + 1 / std::log2(4.0)), 1e-15);
  // The best ranking of more documents than places has the first places alone.
  EXPECT_NEAR(ndcg_at(2, ranked), (1 / std::log2(3.0)) / (3 + 2 / std::log2(3.0)), 1e-15);
  EXPECT_DOUBLE_EQ(ndcg_at(10, Ranked{{2, 1}, {1, 3}}), 1);
  EXPECT_DOUBLE_EQ(ndcg_at(1, Ranked{{2, 3}, {1, 1}}), 1.0 / 3);
}

TEST(Ranking, AveragePrecisionIsOfTheWholeRanking) {
  EXPECT_DOUBLE_EQ(average_precision(Ranked{{200, 1}, {1, 1}, {4, 1}}), (1.0 + 2.0 / 4 + 3.0 / 200) / 3);
  EXPECT_DOUBLE_EQ(average_precision(Ranked{{1, 5}, {2, 1}}), 1);
}

}  // namespace
}  // namespace gausscse
