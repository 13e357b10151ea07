#pragma once

#include <cstdint>
#include <span>

#include "model/sentence_embedder.hpp"

namespace gausscse {

/// A sentence is the mean of its tokens' vectors, which are given: summed in float64, rounded to float32. A sentence
/// without tokens is the zero vector. On the CPU.
class MeanOfVectors : public SentenceEmbedder {
 public:
  /// `vectors` [ids, width] must outlive the model.
  MeanOfVectors(std::span<const float> vectors, std::int64_t width);

  std::int64_t width() const override { return width_; }
  at::TensorOptions options() const override;
  std::unique_ptr<BatchEmbedder> make_batch_embedder() override;

 private:
  std::span<const float> vectors_;
  std::int64_t width_;
};

}  // namespace gausscse
