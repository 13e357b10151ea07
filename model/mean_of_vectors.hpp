#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "model/sentence_embedder.hpp"

namespace gausscse {

/// A sentence is the mean of its tokens' vectors, which are given: summed in float64, rounded to float32. A sentence
/// without tokens is the zero vector. On the CPU.
class MeanOfVectors : public SentenceEmbedder {
 public:
  /// Function that returns the vector of an id, of `width` values, which must outlive the model; for any number of
  /// threads.
  using VectorOf = std::function<std::span<const float>(std::uint32_t id)>;

  MeanOfVectors(VectorOf vector_of, std::int64_t width);

  std::int64_t width() const override { return width_; }
  at::TensorOptions options() const override;
  PackedBatch pack(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> offsets) const override;
  std::unique_ptr<BatchEmbedder> make_batch_embedder() override;

 private:
  VectorOf vector_of_;
  std::int64_t width_;
};

}  // namespace gausscse
