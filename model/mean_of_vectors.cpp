#include "model/mean_of_vectors.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

class MeanOfRows : public BatchEmbedder {
 public:
  MeanOfRows(std::span<const float> vectors, std::size_t width) : vectors_(vectors), width_(width) {}

  at::Tensor embed(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> offsets) override {
    const auto sentences = static_cast<std::int64_t>(offsets.size()) - 1;
    at::Tensor means = at::empty({sentences, static_cast<std::int64_t>(width_)}, at::kFloat);
    float* mean = means.mutable_data_ptr<float>();
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s, mean += width_)
      put_mean(ids.subspan(offsets[s], offsets[s + 1] - offsets[s]), mean);
    return means;
  }

 private:
  void put_mean(std::span<const std::uint32_t> ids, float* mean) {
    sum_.assign(width_, 0.0);
    for (const std::uint32_t id : ids) {
      const std::span<const float> vector = vectors_.subspan(id * width_, width_);
      for (std::size_t d = 0; d < width_; ++d) sum_[d] += static_cast<double>(vector[d]);
    }
    const double count = ids.empty() ? 1.0 : static_cast<double>(ids.size());
    std::transform(sum_.begin(), sum_.end(), mean, [=](double sum) { return static_cast<float>(sum / count); });
  }

  std::span<const float> vectors_;
  std::size_t width_;
  std::vector<double> sum_;
};

}  // namespace

MeanOfVectors::MeanOfVectors(std::span<const float> vectors, std::int64_t width) : vectors_(vectors), width_(width) {
  GAUSSCSE_CHECK(width > 0 && vectors.size() % static_cast<std::size_t>(width) == 0, vectors.size(),
                 " values of width ", width);
}

at::TensorOptions MeanOfVectors::options() const {
  return at::TensorOptions().dtype(at::kFloat).device(at::kCPU);
}

std::unique_ptr<BatchEmbedder> MeanOfVectors::make_batch_embedder() {
  return std::make_unique<MeanOfRows>(vectors_, static_cast<std::size_t>(width_));
}

}  // namespace gausscse
