#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "model/sentence_embedder.hpp"

namespace gausscse {

/// A model whose embeddings are given: the token of a sentence, its only one, is the number of its row. Rows are copied
/// on the CPU.
class GivenVectors : public SentenceEmbedder {
 public:
  /// Function that copies a row into `values` [width]; for any number of threads.
  using CopyRow = std::function<void(std::uint32_t row, std::span<float> values)>;

  /// `device` is that of the model that reads the vectors.
  GivenVectors(CopyRow copy_row, std::int64_t width, at::Device device);

  std::int64_t width() const override { return width_; }
  at::TensorOptions options() const override { return at::TensorOptions(device_).dtype(at::kFloat); }
  PackedBatch pack(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> offsets) const override;
  /// Makes an embedder whose rows lie on the CPU. A sentence of another number of tokens than one is a fault of the
  /// program.
  std::unique_ptr<BatchEmbedder> make_batch_embedder() override;

 private:
  CopyRow copy_row_;
  std::int64_t width_;
  at::Device device_;
};

}  // namespace gausscse
