#include "model/given_vectors.hpp"

#include <ATen/ops/empty.h>

#include <utility>

#include "base/error.hpp"

namespace gausscse {

namespace {

class CopiedRows : public BatchEmbedder {
 public:
  CopiedRows(const GivenVectors::CopyRow& copy_row, std::int64_t width) : copy_row_(copy_row), width_(width) {}

  at::Tensor embed(const PackedBatch& batch) override {
    const std::int64_t sentences = batch.sentences();
    GAUSSCSE_CHECK(batch.tokens() == sentences, batch.tokens(), " tokens of ", sentences, " sentences");
    const auto* ids = batch.ids.const_data_ptr<std::int32_t>();
    at::Tensor rows = at::empty({sentences, width_}, at::kFloat);
    float* values = rows.mutable_data_ptr<float>();
    for (std::int64_t s = 0; s < sentences; ++s, values += width_)
      copy_row_(static_cast<std::uint32_t>(ids[s]), {values, static_cast<std::size_t>(width_)});
    return rows;
  }

 private:
  const GivenVectors::CopyRow& copy_row_;
  std::int64_t width_;
};

}  // namespace

GivenVectors::GivenVectors(CopyRow copy_row, std::int64_t width, at::Device device)
    : copy_row_(std::move(copy_row)), width_(width), device_(device) {
  GAUSSCSE_CHECK(width > 0, width);
}

PackedBatch GivenVectors::pack(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> offsets) const {
  return pack_sentences(ids, offsets, {}, 0);
}

std::unique_ptr<BatchEmbedder> GivenVectors::make_batch_embedder() {
  return std::make_unique<CopiedRows>(copy_row_, width_);
}

}  // namespace gausscse
