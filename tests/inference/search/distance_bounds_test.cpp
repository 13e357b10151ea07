#include "inference/search/distance_bounds.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "tests/inference/search/brute_force.hpp"
#include "tests/model/similarities/closed_form.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using kernels::PairSide;

struct Pair {
  float distance;  ///< value in float64, rounded up
  float bound;
};

/// All pairs of `queries`, which are `side`, and `rows`.
std::vector<Pair> pairs_of(const at::Tensor& queries, const at::Tensor& rows, Similarity kind, PairSide side) {
  const auto bounds = make_distance_bounds(queries, kind, side);
  const std::int64_t count = rows.size(0);
  RowScratch scratch;
  bounds->prepare({rows.const_data_ptr<float>(), count, rows.size(1)}, scratch);
  at::Tensor of_pairs = at::empty({queries.size(0) * count});
  bounds->compute(0, queries.size(0), count, false, scratch, of_pairs);
  std::vector<Pair> pairs;
  const auto hits = brute_force_hits(queries, rows, kind, SearchDirection::entails, static_cast<std::size_t>(count));
  for (std::size_t query = 0; query < hits.size(); ++query)
    for (const SearchHit& hit : hits[query])
      pairs.push_back({bounds->distance_at(side == PairSide::p ? hit.query_given_row : hit.row_given_query),
                       of_pairs.const_data_ptr<float>()[query * static_cast<std::size_t>(count) + hit.row]});
  return pairs;
}

class BoundsOf : public testing::TestWithParam<Similarity> {};

TEST_P(BoundsOf, ErrorsOfFloat32AreBounded) {
  for (const AdversarialRows& set : adversarial_rows())
    for (const PairSide side : {PairSide::p, PairSide::q})
      for (const Pair& pair : pairs_of(set.queries, set.rows, GetParam(), side))
        EXPECT_FALSE(pair.bound > pair.distance) << set.name;
}

/// A bound that admits all rows is right, but no help.
TEST_P(BoundsOf, BoundsOfCommonRowsAreNear) {
  const float nearest = GetParam() == Similarity::joint         ? 0.02f
                        : GetParam() == Similarity::symmetric   ? 0.1f
                        : GetParam() == Similarity::wasserstein ? 2e-3f
                                                                : 5e-4f;
  for (const PairSide side : {PairSide::p, PairSide::q})
    for (const Pair& pair : pairs_of(random_gaussians(6, 48, 1), random_gaussians(60, 48, 2), GetParam(), side))
      EXPECT_LT(pair.distance - pair.bound, nearest);
}

/// The first product is nearly 1, and each of the others is less than half a unit in its last place. A sum in float32
/// that begins with the first one loses all others, which is 0.37 of the bound on the error.
TEST(ProductBounds, CoverSumsThatLoseAllTermsButOne) {
  for (const std::int64_t count : {1, 16}) {
    const at::Tensor rows = rows_of_lost_products().repeat({count, 1});
    for (const PairSide side : {PairSide::p, PairSide::q})
      for (const Pair& pair : pairs_of(rows, rows, Similarity::cosine, side)) EXPECT_LE(pair.bound, pair.distance);
  }
}

/// 2 kl(row || query) + 1 is the factor 1 + mean^2 of the row times the query's 1. From the root of the greatest float
/// on, 1.845e19, the product of two such rows overflows.
TEST(ProductBounds, HaveFactorsWhoseProductsDoNotOverflow) {
  const at::Tensor query = at::zeros({1, 2});
  for (const float factor : {1e10f, 1e17f, 1e19f, 1.78e19f, 1.82e19f, 1e25f}) {
    at::Tensor row = at::zeros({1, 2});
    row.mutable_data_ptr<float>()[0] = std::sqrt(factor);
    const Pair pair = pairs_of(query, row, Similarity::joint, PairSide::q).at(0);
    EXPECT_NEAR(pair.distance, factor, 1e-6f * factor);
    EXPECT_LE(pair.bound, pair.distance);
    if (factor < 1.8e19f)
      EXPECT_GT(pair.bound, 0.9999f * factor);
    else
      EXPECT_EQ(pair.bound, -std::numeric_limits<float>::infinity()) << factor;
  }
}

INSTANTIATE_TEST_SUITE_P(All, BoundsOf, testing::ValuesIn(all_similarities(true)),
                         [](const auto& of) { return std::string(name_of(of.param)); });

}  // namespace
}  // namespace gausscse
