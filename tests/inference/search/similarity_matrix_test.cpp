#include "inference/search/similarity_matrix.hpp"

#include "model/objective/similarity.hpp"
#include "model/similarities/list.hpp"
#include "tests/inference/search/brute_force.hpp"
#include "tests/model/similarities/closed_form.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Element [i, j] is sim(a_i || b_j), not its reverse; 37 rows are more than two groups of 16.
TEST(SimilarityMatrix, IsTheFormulaOfEachPairForAnyThreads) {
  for (const Similarity similarity : all_similarities(true)) {
    SCOPED_TRACE(name_of(similarity));
    const at::Tensor a = random_gaussians(37, 5, 1, 2, -3, 2), b = random_gaussians(9, 5, 2, 2, -3, 2);
    const at::Tensor matrix = similarity_matrix(a, b, similarity, 1);
    ASSERT_EQ(matrix.sizes(), (std::vector<std::int64_t>{37, 9}));
    const auto expected = brute_force_hits(a, b, similarity, SearchDirection::entails, 9);
    double asymmetry = 0;
    for (std::size_t i = 0; i < 37; ++i)
      for (const SearchHit& pair : expected[i]) {
        EXPECT_NEAR(matrix.const_data_ptr<float>()[i * 9 + pair.row], pair.query_given_row, 6e-8);
        asymmetry = std::max(asymmetry, std::abs(pair.query_given_row - pair.row_given_query));
      }
    EXPECT_EQ(asymmetry > 0.01, has_direction(similarity));
    EXPECT_TRUE(matrix.equal(similarity_matrix(a, b, similarity, 3)));
  }
}

TEST(SimilarityMatrix, EqualRowsHaveSimilarityOne) {
  const at::Tensor rows = random_gaussians(20, 7, 3, 2, -30, 30);
  for (const Similarity similarity : all_similarities()) {
    const at::Tensor matrix = similarity_matrix(rows, rows, similarity, 2);
    for (std::int64_t i = 0; i < 20; ++i) EXPECT_EQ(matrix.const_data_ptr<float>()[i * 21], 1.0f);
  }
}

TEST(SimilarityMatrix, RefusesRowsWithoutSimilarities) {
  const at::Tensor good = random_gaussians(3, 4, 1, 2, -3, 2);
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    at::Tensor bad = good.clone();
    bad.mutable_data_ptr<float>()[9] = value;
    EXPECT_THROW(similarity_matrix(good, bad, Similarity::joint, 1), InputError);
    EXPECT_THROW(similarity_matrix(bad, good, Similarity::joint, 1), InputError);
  }
}

}  // namespace
}  // namespace gausscse
