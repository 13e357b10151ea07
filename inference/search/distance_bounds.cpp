#include "inference/search/distance_bounds.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "model/similarities/list.hpp"

namespace gausscse {

namespace {

using kernels::EmbeddedRows;
using kernels::PairSide;

constexpr float infinity = std::numeric_limits<float>::infinity();
/// Half a unit in the last place of 1 in float32: the relative error of one operation.
constexpr float rounding = 0x1p-24f;
/// Greatest absolute log-variance whose exponential the kernels compute.
constexpr float kernels_log_var = 80;

PairSide other_side(PairSide side) {
  return side == PairSide::p ? PairSide::q : PairSide::p;
}

EmbeddedRows embedded_rows(const at::Tensor& rows) {
  return {rows.const_data_ptr<float>(), rows.size(0), rows.size(1)};
}

/// Returns the beginning of `buffer` as a matrix; `buffer` grows if it is smaller.
at::Tensor matrix_in(at::Tensor& buffer, std::int64_t rows, std::int64_t columns) {
  if (!buffer.defined() || buffer.numel() < rows * columns) buffer = at::empty({rows * columns}, at::kFloat);
  return buffer.narrow(0, 0, rows * columns).view({rows, columns});
}

/// Numbers of rows that a bound is made of: value + offset + offset' - error * error'.
struct RowNumbers {
  float *offsets, *errors;
};

/// Returns the sum that float32 rounds no further than to the next number, upwards.
float rounded_up(double value) {
  return std::nextafter(static_cast<float>(value + 1e-14 * (1 + std::abs(value))), infinity);
}

bool kernels_have(const EmbeddedRows& rows, std::int64_t row) {
  const std::int64_t dimension = rows.width / 2;
  return kernels::search_kernels().all_within(rows.rows + row * rows.width + dimension, dimension, kernels_log_var);
}

/// Distances that are inner products. A sum of n products has an error of up to n * `rounding` * the sum of their
/// absolute values, in any order of summation. That sum is at most the product of both factors' norms (Cauchy,
/// Schwarz).
class ProductBounds final : public DistanceBounds {
 public:
  ProductBounds(const at::Tensor& queries, Similarity similarity, PairSide side)
      : similarity_(similarity), side_(side), center_(at::zeros({queries.size(1)}, at::kFloat)) {
    if (is_gaussian(similarity) && queries.size(0) > 0) set_center(queries);
    factors_ = at::empty({queries.size(0), factors_of(queries.size(1))});
    numbers_ = at::empty({4, queries.size(0)}, at::kFloat);
    fill(embedded_rows(queries), side, factors_, numbers_);
    // Roundings of the constant, and of the errors themselves.
    const double constant = constant_of_dimension() * static_cast<double>(queries.size(1) / 2);
    auto *offsets = numbers_.mutable_data_ptr<float>(), *errors = offsets + queries.size(0);
    for (std::int64_t query = 0; query < queries.size(0); ++query) {
      offsets[query] += static_cast<float>(constant) - static_cast<float>(std::abs(constant)) * relative_error();
      errors[query] *= relative_error();
    }
  }

  void prepare(const EmbeddedRows& rows, RowScratch& scratch) const override {
    at::Tensor factors = matrix_in(scratch.rows, rows.count, factors_of(rows.width));
    at::Tensor numbers = matrix_in(scratch.numbers, 4, rows.count);
    fill(rows, other_side(side_), factors, numbers);
  }

  void compute(std::int64_t first_query, std::int64_t queries, std::int64_t rows, bool raise, RowScratch& scratch,
               at::Tensor& bounds) const override {
    at::Tensor values = matrix_in(raise ? scratch.values : bounds, queries, rows);
    const at::Tensor factors = matrix_in(scratch.rows, rows, factors_.size(1));
    at::mm_out(values, factors_.narrow(0, first_query, queries), factors.t());
    const float *const of_rows = scratch.numbers.const_data_ptr<float>(), *const of_queries =
                                                                              numbers_.const_data_ptr<float>() +
                                                                              first_query;
    for (std::int64_t query = 0; query < queries; ++query)
      kernels::search_kernels().lower_bounds(
          values.const_data_ptr<float>() + query * rows, rows,
          {of_rows, of_rows + rows, of_queries[query], of_queries[numbers_.size(1) + query]}, raise,
          bounds.mutable_data_ptr<float>() + query * rows);
  }

  float distance_at(double similarity) const override {
    if (!is_gaussian(similarity_)) return rounded_up(-similarity);
    return kernels::with_similarity<kernels::HostMath>(similarity_, [&](auto of) {
      using S = decltype(of);
      if constexpr (kernels::InnerProduct<S>) return rounded_up(S::sum_of(similarity));
      return infinity;
    });
  }

 private:
  /// Sets the center to the mean of the queries.
  void set_center(const at::Tensor& queries) {
    const std::int64_t count = queries.size(0), width = queries.size(1);
    const float* const values = queries.const_data_ptr<float>();
    std::vector<double> sums(static_cast<std::size_t>(width), 0.0);
    for (std::int64_t i = 0; i < count * width; ++i) sums[static_cast<std::size_t>(i % width)] += double{values[i]};
    std::transform(sums.begin(), sums.end(), center_.mutable_data_ptr<float>(),
                   [&](double sum) { return static_cast<float>(sum / static_cast<double>(count)); });
  }

  /// Returns the error of a sum relative to its absolute terms. Of n factors the products and their sum take n
  /// roundings. The other 64 are for each product's two factors, of less than 16 roundings each, and for the sum of
  /// rests.
  float relative_error() const { return static_cast<float>(factors_.size(1) + 64) * rounding; }

  /// Returns the number of factors of a row of `width` values.
  std::int64_t factors_of(std::int64_t width) const {
    if (!is_gaussian(similarity_)) return width;
    return kernels::with_similarity<kernels::HostMath>(similarity_, [&](auto of) {
      using S = decltype(of);
      if constexpr (kernels::InnerProduct<S>) return width / 2 * S::products;
      return width;
    });
  }

  double constant_of_dimension() const {
    if (!is_gaussian(similarity_)) return 0;
    return kernels::with_similarity<kernels::HostMath>(similarity_, [](auto of) {
      using S = decltype(of);
      if constexpr (kernels::InnerProduct<S>) return S::product_constant;
      return 0.0;
    });
  }

  /// Writes the factors of rows, and of each row offset and error, into the first two of the four rows of `numbers`.
  void fill(const EmbeddedRows& rows, PairSide side, at::Tensor& factors, at::Tensor& numbers) const {
    float *const offsets = numbers.mutable_data_ptr<float>(), *const errors = offsets + rows.count;
    float* const magnitudes = errors + rows.count;
    const bool gaussian = is_gaussian(similarity_);
    if (!gaussian) numbers.zero_();
    kernels::search_kernels().product_factors(rows, center_.const_data_ptr<float>(), similarity_, side,
                                              {factors.mutable_data_ptr<float>(), offsets, magnitudes, errors});
    for (std::int64_t row = 0; row < rows.count; ++row) {
      // No sum of products overflows: it is at most the product of two norms, 3.24e38, and offsets of up to 1e36 are
      // added. The greatest float is 3.4e38, so that norms from its root, 1.845e19, on have squares that overflow.
      constexpr float greatest_norm = 1.8e19f, greatest_magnitude = 1e36f;
      const bool bounded =
          errors[row] < greatest_norm && magnitudes[row] < greatest_magnitude && (!gaussian || kernels_have(rows, row));
      // 1 % more than the norm covers the rounding of the norm itself. 1e-30 covers products that underflow.
      offsets[row] = bounded ? offsets[row] - relative_error() * magnitudes[row] - 1e-30f : -infinity;
      errors[row] = bounded ? 1.01f * errors[row] + 1e-30f : 0;
    }
  }

  Similarity similarity_;
  PairSide side_;
  at::Tensor center_;
  at::Tensor factors_, numbers_;  ///< values of the queries
};

/// Distances -sim of a similarity that is no inner product: each pair is computed, and off by what the similarity
/// states for float (see BoundedInFloat); in double, by less than 1e-7.
class ScanBounds final : public DistanceBounds {
 public:
  ScanBounds(const at::Tensor& queries, Similarity similarity, PairSide side)
      : similarity_(similarity), side_(side), dimension_(queries.size(1) / 2) {
    numbers_ = at::empty({queries.size(0)}, at::kFloat);
    fill(embedded_rows(queries), packed_, numbers_.mutable_data_ptr<float>());
    const auto error = kernels::with_similarity<kernels::HostMath>(similarity, [&](auto of) {
      if constexpr (kernels::BoundedInFloat<decltype(of)>)
        return decltype(of)::float_error(static_cast<double>(kernels::search_kernels().reciprocal_error),
                                         static_cast<double>(dimension_));
      return error_in_double;
    });
    for (float& number : std::span(numbers_.mutable_data_ptr<float>(), static_cast<std::size_t>(queries.size(0))))
      number -= static_cast<float>(error);
  }

  void prepare(const EmbeddedRows& rows, RowScratch& scratch) const override {
    at::Tensor numbers = matrix_in(scratch.numbers, 4, rows.count);
    numbers.zero_();
    fill(rows, scratch.rows, numbers.mutable_data_ptr<float>());
  }

  void compute(std::int64_t first_query, std::int64_t queries, std::int64_t rows, bool raise, RowScratch& scratch,
               at::Tensor& bounds) const override {
    float* values = matrix_in(raise ? scratch.values : bounds, queries, rows).mutable_data_ptr<float>();
    const kernels::PackedSide of_queries{
        packed_.const_data_ptr<float>() + kernels::scan_floats(first_query, dimension_, similarity_), queries},
        of_rows{scratch.rows.const_data_ptr<float>(), rows};
    if (side_ == PairSide::p)
      kernels::search_kernels().scan(of_queries, of_rows, dimension_, similarity_, {values, rows, 1});
    else
      kernels::search_kernels().scan(of_rows, of_queries, dimension_, similarity_, {values, 1, rows});
    const float* numbers = scratch.numbers.const_data_ptr<float>();
    for (std::int64_t query = 0; query < queries; ++query)
      kernels::search_kernels().lower_bounds(
          values + query * rows, rows,
          {numbers, numbers + rows, numbers_.const_data_ptr<float>()[first_query + query], 0}, raise,
          bounds.mutable_data_ptr<float>() + query * rows);
  }

  float distance_at(double similarity) const override { return rounded_up(-similarity); }

 private:
  /// Error of a similarity in double, with the rounding of its negative to float.
  static constexpr double error_in_double = 2e-7;

  /// Packs rows into `packed`, and writes the offsets of bounds.
  void fill(const EmbeddedRows& rows, at::Tensor& packed, float* offsets) const {
    at::Tensor floats = matrix_in(packed, 1, kernels::scan_floats(rows.count, dimension_, similarity_));
    kernels::search_kernels().pack_gaussians(rows, similarity_, floats.mutable_data_ptr<float>(), offsets);
    kernels::with_similarity<kernels::HostMath>(similarity_, [&](auto of) {
      for (std::int64_t row = 0; row < rows.count; ++row) {
        double error = 0;
        if constexpr (kernels::BoundedInFloat<decltype(of)>)
          error = decltype(of)::float_error_of_row(static_cast<double>(offsets[row]));
        offsets[row] = kernels_have(rows, row) ? -static_cast<float>(error) : -infinity;
      }
    });
  }

  Similarity similarity_;
  PairSide side_;
  std::int64_t dimension_;
  at::Tensor packed_, numbers_;  ///< values of the queries
};

}  // namespace

std::unique_ptr<DistanceBounds> make_distance_bounds(const at::Tensor& queries, Similarity similarity, PairSide side) {
  const bool is_product =
      !is_gaussian(similarity) || kernels::with_similarity<kernels::HostMath>(
                                      similarity, [](auto of) { return kernels::InnerProduct<decltype(of)>; });
  if (is_product) return std::make_unique<ProductBounds>(queries, similarity, side);
  return std::make_unique<ScanBounds>(queries, similarity, side);
}

}  // namespace gausscse
