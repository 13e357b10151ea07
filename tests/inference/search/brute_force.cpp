#include "tests/inference/search/brute_force.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

#include "base/philox.hpp"
#include "tests/model/similarities/closed_form.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

double square(double number) {
  return number * number;
}

double similarity_by_formula(const float* p, const float* q, std::int64_t width, Similarity similarity) {
  const std::int64_t dimension = width / 2;
  double sum = 0, square_p = 0, square_q = 0;
  if (is_gaussian(similarity)) return closed_form(p, q, dimension, similarity);
  for (std::int64_t i = 0; i < width; ++i) {
    sum += static_cast<double>(p[i]) * static_cast<double>(q[i]);
    square_p += square(static_cast<double>(p[i]));
    square_q += square(static_cast<double>(q[i]));
  }
  return square_p == 0 || square_q == 0 ? 0 : sum / std::sqrt(square_p * square_q);
}

double mean_log_var(const float* row, std::int64_t width) {
  const std::int64_t half = width / 2;
  double sum = 0;
  for (std::int64_t i = half; i < width; ++i) sum += static_cast<double>(row[i]);
  return sum / static_cast<double>(width - half);
}

}  // namespace

std::vector<std::vector<SearchHit>> brute_force_hits(const at::Tensor& queries, const at::Tensor& rows,
                                                     Similarity similarity, SearchDirection direction,
                                                     std::size_t top) {
  const std::int64_t width = queries.size(1);
  std::vector<std::vector<SearchHit>> hits;
  for (std::int64_t i = 0; i < queries.size(0); ++i) {
    const float* query = queries.const_data_ptr<float>() + i * width;
    std::vector<SearchHit> of_query;
    for (std::int64_t j = 0; j < rows.size(0); ++j) {
      const float* row = rows.const_data_ptr<float>() + j * width;
      of_query.push_back(
          {static_cast<std::uint64_t>(j), similarity_by_formula(query, row, width, similarity),
           similarity_by_formula(row, query, width, similarity),
           similarity == Similarity::cosine ? 0 : mean_log_var(row, width) - mean_log_var(query, width)});
    }
    const auto key = [&](const SearchHit& hit) {
      if (direction == SearchDirection::both) return std::min(hit.query_given_row, hit.row_given_query);
      return direction == SearchDirection::entails ? hit.query_given_row : hit.row_given_query;
    };
    std::stable_sort(of_query.begin(), of_query.end(),
                     [&](const SearchHit& a, const SearchHit& b) { return key(a) > key(b); });
    of_query.resize(std::min(top, of_query.size()));
    hits.push_back(std::move(of_query));
  }
  return hits;
}

at::Tensor random_gaussians(std::int64_t rows, std::int64_t dimension, std::uint64_t seed, float mean_width,
                            float lowest, float highest) {
  at::Tensor result = at::empty({rows, 2 * dimension});
  PhiloxStream stream(seed, 0);
  auto* values = result.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t d = 0; d < 2 * dimension; ++d) {
      const auto uniform = static_cast<float>(stream.uniform());
      *values++ = d < dimension ? mean_width * (uniform - 0.5f) : lowest + (highest - lowest) * uniform;
    }
  }
  return result;
}

std::vector<AdversarialRows> adversarial_rows() {
  constexpr std::int64_t dimension = 48;
  const at::Tensor some = random_gaussians(6, dimension, 1), many = random_gaussians(60, dimension, 2);
  const auto moved = [](const at::Tensor& rows, float mean_factor, float mean_offset, float log_var_offset) {
    return at::cat({rows.narrow(1, 0, dimension) * mean_factor + mean_offset,
                    rows.narrow(1, dimension, dimension) + log_var_offset},
                   1);
  };
  /// Sixty rows about the first of `rows`, at a distance of about `width` in each number.
  const auto near = [&](const at::Tensor& rows, float width) {
    return rows.narrow(0, 0, 1) + random_gaussians(60, dimension, 3, 2 * width, -width, width);
  };
  std::vector<AdversarialRows> all{
      {"random", some, many},
      {"equal", some, at::cat({some, some, some})},
      {"near", some, near(some, 1e-3f)},
      {"far from each other", at::cat({moved(some, 1, 1000, 0), moved(some, 1, -1000, 0)}),
       at::cat({near(moved(some, 1, 1000, 0), 1e-2f), near(moved(some, 1, -1000, 0), 1e-2f)})},
      {"narrow", moved(some, 1, 0, -25), near(moved(some, 1, 0, -25), 1e-6f)},
      {"wide queries of narrow rows", moved(some, 1, 0, 30), moved(many, 1, 0, -30)},
      {"a narrow query of far rows", moved(some.narrow(0, 0, 1), 0, 0, -40), moved(many, 1e4f, 0, 0)},
      {"all log-variances", random_gaussians(9, dimension, 4, 1, -79, 79),
       random_gaussians(60, dimension, 5, 1, -79, 79)},
      {"beyond float32", random_gaussians(9, dimension, 6, 1, -300, 300),
       random_gaussians(60, dimension, 7, 1, -300, 300)},
      {"tiny", moved(some, 1e-30f, 0, -60), moved(many, 1e-35f, 0, -70)},
      {"great means", moved(some, 1e15f, 0, 0), moved(many, 1e19f, 0, 0)},
      {"greatest means", moved(some, 1e38f, 0, -50), moved(many, -3e38f, 0, -50)}};
  // Errors of equal dimensions are equal, too, and add up.
  for (float value = 0.01f; value < 2; value *= 1.07f)
    all.push_back({"equal dimensions", at::full({1, 2 * dimension}, value),
                   at::cat({at::full({1, 2 * dimension}, value * 1.3f), at::full({1, 2 * dimension}, value * 0.9f)})});
  return all;
}

at::Tensor rows_of_lost_products() {
  constexpr std::int64_t width = 192;
  const double small = std::sqrt(0.98 * 0x1p-25), length = std::sqrt(1 + (width - 1) * small * small);
  at::Tensor row = at::full({1, width}, small / length, at::kFloat);
  row.mutable_data_ptr<float>()[0] = static_cast<float>(1 / length);
  return row;
}

void expect_hits(const std::vector<std::vector<SearchHit>>& hits, const std::vector<std::vector<SearchHit>>& expected) {
  ASSERT_EQ(hits.size(), expected.size());
  for (std::size_t query = 0; query < hits.size(); ++query) {
    ASSERT_EQ(hits[query].size(), expected[query].size()) << "query " << query;
    for (std::size_t rank = 0; rank < hits[query].size(); ++rank) {
      SCOPED_TRACE(testing::Message() << "query " << query << ", rank " << rank);
      const SearchHit &hit = hits[query][rank], &wanted = expected[query][rank];
      EXPECT_EQ(hit.row, wanted.row);
      EXPECT_NEAR(hit.query_given_row, wanted.query_given_row, 1e-13);
      EXPECT_NEAR(hit.row_given_query, wanted.row_given_query, 1e-13);
      EXPECT_NEAR(hit.log_var_difference, wanted.log_var_difference, 1e-12);
    }
  }
}

}  // namespace gausscse
