#include "evaluation/transfer/feature_rows.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace gausscse {

namespace {

const float* vector_of(const at::Tensor& embeddings, std::uint32_t sentence) {
  return embeddings.const_data_ptr<float>() + sentence * embeddings.size(1);
}

void check_embeddings(const at::Tensor& embeddings, std::int64_t width) {
  GAUSSCSE_CHECK(embeddings.scalar_type() == at::kFloat && embeddings.is_contiguous() && embeddings.is_cpu() &&
                     width <= embeddings.size(1),
                 "rows of float32");
}

void check_finite(FeatureRows& rows) {
  for (std::int64_t i = 0; i < rows.rows(); ++i)
    if (!std::all_of(rows.row(i), rows.row(i) + rows.stride(), [](float value) { return std::isfinite(value); }))
      throw InputError(
          "the model gives sentences vectors that are not finite (NaN or infinite), which cannot be classified: its "
          "training has failed, or its weights are damaged");
}

}  // namespace

std::int64_t row_stride(std::int64_t features) {
  return (features + 1 + values_of_part - 1) / values_of_part * values_of_part;
}

FeatureRows::FeatureRows(std::int64_t rows, std::int64_t features)
    : rows_(rows),
      features_(features),
      stride_(row_stride(features)),
      // Never empty, so that there is a first part.
      parts_(static_cast<std::size_t>(std::max<std::int64_t>(1, rows * stride_ / values_of_part))) {
  for (std::int64_t i = 0; i < rows; ++i) row(i)[features] = 1;
}

FeatureRows sentence_features(const at::Tensor& embeddings, std::int64_t width,
                              std::span<const std::uint32_t> sentences) {
  check_embeddings(embeddings, width);
  FeatureRows rows(static_cast<std::int64_t>(sentences.size()), width);
  for (std::size_t i = 0; i < sentences.size(); ++i)
    std::copy_n(vector_of(embeddings, sentences[i]), width, rows.row(static_cast<std::int64_t>(i)));
  check_finite(rows);
  return rows;
}

FeatureRows pair_features(const at::Tensor& embeddings, std::int64_t width, std::span<const std::uint32_t> first,
                          std::span<const std::uint32_t> second) {
  check_embeddings(embeddings, width);
  FeatureRows rows(static_cast<std::int64_t>(first.size()), 2 * width);
  for (std::size_t i = 0; i < first.size(); ++i) {
    const float *u = vector_of(embeddings, first[i]), *v = vector_of(embeddings, second[i]);
    float* row = rows.row(static_cast<std::int64_t>(i));
    for (std::int64_t k = 0; k < width; ++k) {
      row[k] = std::abs(u[k] - v[k]);
      row[width + k] = u[k] * v[k];
    }
  }
  check_finite(rows);
  return rows;
}

}  // namespace gausscse
