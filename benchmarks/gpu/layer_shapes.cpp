#include "benchmarks/gpu/layer_shapes.hpp"

#include <ATen/ops/randn.h>

#include <random>
#include <vector>

namespace gausscse::benchmarks {

namespace {

std::shared_ptr<const PackedBatch> pack(const std::vector<std::uint32_t>& lengths, at::Device device) {
  std::mt19937 random(2);
  std::vector<std::uint32_t> ids, offsets{0};
  for (const std::uint32_t length : lengths) {
    // A third of a text's words are a few frequent ones.
    for (std::uint32_t i = 0; i < length; ++i)
      ids.push_back(static_cast<std::uint32_t>(random() % (random() % 3 == 0 ? 20 : vocabulary)));
    offsets.push_back(static_cast<std::uint32_t>(ids.size()));
  }
  return std::make_shared<const PackedBatch>(pack_sentences(ids, offsets, {}, 0).on(device, true));
}

}  // namespace

const char* type_name(at::ScalarType type) {
  return type == at::kBFloat16 ? "bf16" : "fp32";
}

std::shared_ptr<const PackedBatch> short_sentences(at::Device device, std::int64_t count) {
  // Three dice of 0 to 7 make 15.5 tokens; every sixteenth sentence has 24 more.
  std::mt19937 random(1);
  std::vector<std::uint32_t> lengths(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    lengths[i] = 5 + (i % 16 == 15 ? 24 : 0);
    for (int die = 0; die < 3; ++die) lengths[i] += static_cast<std::uint32_t>(random() % 8);
  }
  return pack(lengths, device);
}

std::shared_ptr<const PackedBatch> long_sentences(at::Device device, bool few) {
  return pack(std::vector<std::uint32_t>(few ? 2 : 64, few ? 70 : 512), device);
}

double pairs_of_tokens(const PackedBatch& batch) {
  const at::Tensor offsets = batch.offsets.cpu();
  const auto* begin = offsets.const_data_ptr<std::int32_t>();
  double pairs = 0;
  for (std::int64_t s = 0; s < batch.sentences(); ++s) {
    const double tokens = begin[s + 1] - begin[s];
    pairs += tokens * tokens;
  }
  return pairs;
}

at::Tensor random_values(at::IntArrayRef shape, at::Device device, at::ScalarType type) {
  return at::randn(shape, at::TensorOptions(device).dtype(at::kFloat)).to(type);
}

}  // namespace gausscse::benchmarks
