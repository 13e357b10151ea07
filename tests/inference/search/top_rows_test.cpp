#include "inference/search/top_rows.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>

#include "tests/inference/search/brute_force.hpp"
#include "tests/model/similarities/closed_form.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Hits = std::vector<std::vector<SearchHit>>;

/// Hits of a corpus whose rows are numbered from `first_row` on and come in blocks of `block` rows.
Hits hits_of(const at::Tensor& queries, const at::Tensor& rows, Similarity similarity, SearchDirection direction,
             std::size_t top, std::size_t threads, std::int64_t block, std::uint64_t first_row = 0) {
  TopRows search(queries, similarity, direction, top, threads);
  for (std::int64_t begin = 0; begin < rows.size(0); begin += block)
    search.add(rows.narrow(0, begin, std::min(block, rows.size(0) - begin)),
               first_row + static_cast<std::uint64_t>(begin));
  return search.hits();
}

void expect_same_bits(const Hits& hits, const Hits& expected) {
  ASSERT_EQ(hits.size(), expected.size());
  for (std::size_t query = 0; query < hits.size(); ++query) {
    ASSERT_EQ(hits[query].size(), expected[query].size());
    for (std::size_t rank = 0; rank < hits[query].size(); ++rank) {
      const SearchHit &hit = hits[query][rank], &wanted = expected[query][rank];
      EXPECT_EQ(std::tie(hit.row, hit.query_given_row, hit.row_given_query, hit.log_var_difference),
                std::tie(wanted.row, wanted.query_given_row, wanted.row_given_query, wanted.log_var_difference));
    }
  }
}

class SearchOf : public testing::TestWithParam<std::tuple<Similarity, SearchDirection>> {
 protected:
  Similarity similarity = std::get<0>(GetParam());
  SearchDirection direction = std::get<1>(GetParam());
};

TEST_P(SearchOf, FindsWhatBruteForceFinds) {
  for (const std::int64_t dimension : {1, 7, 16, 50}) {
    const at::Tensor queries = random_gaussians(9, dimension, 1), rows = random_gaussians(333, dimension, 2);
    expect_hits(hits_of(queries, rows, similarity, direction, 5, 2, 333),
                brute_force_hits(queries, rows, similarity, direction, 5));
  }
}

/// Their order in float32 would be another.
TEST_P(SearchOf, FindsWhatBruteForceFindsWhereFloat32IsInDoubt) {
  for (const AdversarialRows& set : adversarial_rows()) {
    // Other cosines are equal but for the last bits of float64.
    if (similarity == Similarity::cosine && set.name != "near" && set.name != "equal") continue;
    SCOPED_TRACE(set.name);
    for (const std::size_t top : {1u, 5u})
      expect_hits(hits_of(set.queries, set.rows, similarity, direction, top, 2, 16),
                  brute_force_hits(set.queries, set.rows, similarity, direction, top));
  }
}

TEST_P(SearchOf, BlocksThreadsAndRanksChangeNoBit) {
  const at::Tensor queries = random_gaussians(6, 20, 3), rows = random_gaussians(250, 20, 4);
  const Hits whole = hits_of(queries, rows, similarity, direction, 7, 1, 250);
  expect_hits(whole, brute_force_hits(queries, rows, similarity, direction, 7));
  for (const std::int64_t block : {1, 3, 64, 249})
    for (const std::size_t threads : {1u, 2u, 5u})
      expect_same_bits(hits_of(queries, rows, similarity, direction, 7, threads, block), whole);
  // The last rows first, as another rank may have them.
  TopRows merged(queries, similarity, direction, 7, 1);
  merged.merge(hits_of(queries, rows.narrow(0, 90, 160), similarity, direction, 7, 1, 50, 90));
  merged.add(rows.narrow(0, 4, 86), 4);
  merged.merge(hits_of(queries, rows.narrow(0, 0, 4), similarity, direction, 7, 1, 50));
  expect_same_bits(merged.hits(), whole);
}

TEST_P(SearchOf, ComparesFewPairsInFloat64) {
  const at::Tensor queries = random_gaussians(4, 24, 10), rows = random_gaussians(6000, 24, 11);
  TopRows search(queries, similarity, direction, 3, 1);
  search.add(rows, 0);
  EXPECT_GE(search.exact_pairs(), 4u * 3u);
  EXPECT_LE(search.exact_pairs(), 4u * 60u);
  expect_hits(search.hits(), brute_force_hits(queries, rows, similarity, direction, 3));
}

TEST_P(SearchOf, EqualRowsComeByRisingNumber) {
  const at::Tensor queries = random_gaussians(3, 10, 5), some = random_gaussians(20, 10, 6);
  const at::Tensor rows = at::cat({some, some, some, some});
  const Hits expected = brute_force_hits(queries, rows, similarity, direction, 6);
  ASSERT_EQ(expected[0][1].row, expected[0][0].row + 20);
  for (const std::int64_t block : {80, 7})
    expect_hits(hits_of(queries, rows, similarity, direction, 6, 2, block), expected);
  // A row that comes late and has the lower number takes the place of its equal.
  TopRows search(queries, similarity, direction, 6, 1);
  for (const std::int64_t begin : {60, 20, 40, 0}) search.add(some, static_cast<std::uint64_t>(begin));
  expect_hits(search.hits(), expected);
}

TEST_P(SearchOf, SmallCorpusIsOrderedAsAWhole) {
  const at::Tensor queries = random_gaussians(4, 6, 7), rows = random_gaussians(11, 6, 8);
  expect_hits(hits_of(queries, rows, similarity, direction, 100, 2, 4),
              brute_force_hits(queries, rows, similarity, direction, 100));
  EXPECT_EQ(TopRows(queries, similarity, direction, 3, 1).hits()[3].size(), 0u);
  EXPECT_EQ(hits_of(queries.narrow(0, 0, 0), rows, similarity, direction, 3, 1, 4).size(), 0u);
}

INSTANTIATE_TEST_SUITE_P(All, SearchOf,
                         testing::Combine(testing::ValuesIn(all_similarities(true)),
                                          testing::Values(SearchDirection::entails, SearchDirection::entailed_by,
                                                          SearchDirection::both)),
                         [](const auto& of) {
                           std::string name(name_of(std::get<0>(of.param)));
                           name += "_" + std::string(name_of(std::get<1>(of.param)));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// The first sixteen rows, of which only the first number is not 0, have a cosine of 1 - 2.8e-6. The others equal the
/// query, but float32 computes 1 - 5.6e-6.
TEST(TopRows, FindsARowWhoseProductsFloat32Loses) {
  const at::Tensor lost = rows_of_lost_products();
  at::Tensor first = at::zeros_like(lost);
  first.mutable_data_ptr<float>()[0] = 1;
  const at::Tensor queries = lost.repeat({16, 1}), rows = at::cat({first.repeat({16, 1}), lost.repeat({16, 1})});
  for (const auto& hits : hits_of(queries, rows, Similarity::cosine, SearchDirection::entails, 1, 1, 16)) {
    EXPECT_EQ(hits.at(0).row, 16u);
    EXPECT_NEAR(hits.at(0).query_given_row, 1, 1e-15);
  }
}

/// A wide Gaussian about a narrow one: the narrow one entails the wide one, sim(wide || narrow) being the smaller.
TEST(TopRows, DirectionsOfTwoGaussians) {
  const at::Tensor query = at::tensor({0.0f, 0.0f}).view({1, 2});  // mean 0, variance 1
  const at::Tensor rows = at::tensor({0.0f, -2.0f, 0.0f, 2.0f}).view({2, 2});
  const auto kl = [](double log_var_p, double log_var_q) {
    return (std::exp(log_var_p - log_var_q) - 1 - (log_var_p - log_var_q)) / 2;
  };
  const Hits entails = hits_of(query, rows, Similarity::joint, SearchDirection::entails, 2, 1, 2);
  ASSERT_EQ(entails[0].size(), 2u);
  EXPECT_EQ(entails[0][0].row, 1u);
  EXPECT_NEAR(entails[0][0].query_given_row, 1 / (1 + kl(0, 2)), 1e-15);
  EXPECT_NEAR(entails[0][0].row_given_query, 1 / (1 + kl(2, 0)), 1e-15);
  EXPECT_EQ(entails[0][0].log_var_difference, 2);
  EXPECT_EQ(hits_of(query, rows, Similarity::joint, SearchDirection::entailed_by, 2, 1, 2)[0][0].row, 0u);
}

TEST(TopRows, RefusesNumbersWithoutASimilarity) {
  at::Tensor rows = random_gaussians(5, 3, 9);
  const auto refusal = [&](Similarity similarity, std::int64_t row, std::int64_t column, float value) {
    const at::Tensor bad = rows.clone();
    bad[row][column] = value;
    return refusal_of([&] { TopRows(rows, similarity, SearchDirection::both, 1, 1).add(bad, 100); });
  };
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  for (const Similarity similarity : {Similarity::joint, Similarity::per_dimension, Similarity::cosine}) {
    EXPECT_TRUE(says(refusal(similarity, 3, 1, nan), "row 103: the embedding has the value nan in column 1"));
    EXPECT_TRUE(says(refusal(similarity, 0, 5, -infinity), "row 100: "));
  }
  EXPECT_TRUE(
      says(refusal(Similarity::joint, 4, 3, 301), "row 104: the embedding has the log-variance 301 in column 3"));
  EXPECT_EQ(refusal(Similarity::joint, 4, 3, 300), "accepted");
  EXPECT_EQ(refusal(Similarity::cosine, 4, 3, 301), "accepted");
  EXPECT_EQ(refusal(Similarity::joint, 4, 2, 301), "accepted") << "a mean";

  rows[2][0] = nan;
  EXPECT_TRUE(says(refusal_of([&] { TopRows(rows, Similarity::joint, SearchDirection::both, 1, 1); }), "query 2: "));
  EXPECT_TRUE(says(refusal_of([&] {
                     TopRows(random_gaussians(1, 3, 1), Similarity::joint, SearchDirection::both, 1, 1)
                         .add(random_gaussians(1, 4, 1), 0);
                   }),
                   "rows of the corpus have 8 numbers, queries have 6"));
}

}  // namespace
}  // namespace gausscse
