#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace gausscse {

/// Sixteen floats of a row, at an address of a multiple of 64.
struct alignas(64) RowPart {
  float values[16] = {};
};

/// Values of a RowPart.
inline constexpr std::int64_t values_of_part = sizeof(RowPart) / sizeof(float);

/// Input of a linear classifier, a row for each example: the features, a 1 for the bias, zeros up to a multiple of 16.
class FeatureRows {
 public:
  FeatureRows(std::int64_t rows, std::int64_t features);

  std::int64_t rows() const { return rows_; }
  std::int64_t features() const { return features_; }
  /// Floats from one row to the next.
  std::int64_t stride() const { return stride_; }
  float* row(std::int64_t i) { return data() + i * stride_; }
  const float* data() const { return parts_.front().values; }

 private:
  float* data() { return parts_.front().values; }

  std::int64_t rows_, features_, stride_;
  std::vector<RowPart> parts_;
};

/// Returns the floats of a row with `features` features and the bias.
std::int64_t row_stride(std::int64_t features);

/// Returns rows that are the vectors of sentences: the first `width` columns of these rows of `embeddings`, float32 on
/// the CPU. Throws InputError where one is not finite.
FeatureRows sentence_features(const at::Tensor& embeddings, std::int64_t width,
                              std::span<const std::uint32_t> sentences);

/// Returns rows [|u - v|, u * v] of pairs of vectors u and v.
FeatureRows pair_features(const at::Tensor& embeddings, std::int64_t width, std::span<const std::uint32_t> first,
                          std::span<const std::uint32_t> second);

}  // namespace gausscse
