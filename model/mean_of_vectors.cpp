#include "model/mean_of_vectors.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

class MeanOfRows : public BatchEmbedder {
 public:
  MeanOfRows(const MeanOfVectors::VectorOf& vector_of, std::size_t width) : vector_of_(vector_of), width_(width) {}

  at::Tensor embed(const PackedBatch& batch) override {
    const std::int64_t sentences = batch.offsets.numel() - 1;
    const auto* ids = batch.ids.const_data_ptr<std::int32_t>();
    const auto* offsets = batch.offsets.const_data_ptr<std::int32_t>();
    at::Tensor means = at::empty({sentences, static_cast<std::int64_t>(width_)}, at::kFloat);
    float* mean = means.mutable_data_ptr<float>();
    for (std::int64_t s = 0; s < sentences; ++s, mean += width_)
      put_mean(std::span(ids + offsets[s], ids + offsets[s + 1]), mean);
    return means;
  }

 private:
  void put_mean(std::span<const std::int32_t> ids, float* mean) {
    sum_.assign(width_, 0.0);
    for (const std::int32_t id : ids) {
      const std::span<const float> vector = vector_of_(static_cast<std::uint32_t>(id));
      GAUSSCSE_CHECK(vector.size() == width_, "id ", id, " has ", vector.size(), " values instead of ", width_);
      for (std::size_t d = 0; d < width_; ++d) sum_[d] += static_cast<double>(vector[d]);
    }
    const double count = ids.empty() ? 1.0 : static_cast<double>(ids.size());
    std::transform(sum_.begin(), sum_.end(), mean, [=](double sum) { return static_cast<float>(sum / count); });
  }

  const MeanOfVectors::VectorOf& vector_of_;
  std::size_t width_;
  std::vector<double> sum_;
};

}  // namespace

MeanOfVectors::MeanOfVectors(VectorOf vector_of, std::int64_t width) : vector_of_(std::move(vector_of)), width_(width) {
  GAUSSCSE_CHECK(width > 0, width);
}

at::TensorOptions MeanOfVectors::options() const {
  return at::TensorOptions().dtype(at::kFloat).device(at::kCPU);
}

PackedBatch MeanOfVectors::pack(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> offsets) const {
  const auto copy_of = [](std::span<const std::uint32_t> numbers) {
    at::Tensor copy = at::empty({static_cast<std::int64_t>(numbers.size())}, at::kInt);
    std::copy(numbers.begin(), numbers.end(), copy.mutable_data_ptr<std::int32_t>());
    return copy;
  };
  PackedBatch batch;
  batch.ids = copy_of(ids);
  batch.offsets = copy_of(offsets);
  return batch;
}

std::unique_ptr<BatchEmbedder> MeanOfVectors::make_batch_embedder() {
  return std::make_unique<MeanOfRows>(vector_of_, static_cast<std::size_t>(width_));
}

}  // namespace gausscse
