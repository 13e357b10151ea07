#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "model/batch/packed_batch.hpp"

namespace gausscse::benchmarks {

/// The shape of an encoder's layers.
struct LayerShape {
  const char* name;
  std::int64_t hidden, heads, intermediate;
};
constexpr std::array<LayerShape, 2> layer_shapes{{{"minilm", 384, 12, 1536}, {"bert-base", 768, 12, 3072}}};

/// Types of factors that are measured.
constexpr std::array<at::ScalarType, 2> factor_types{at::kFloat, at::kBFloat16};
const char* type_name(at::ScalarType type);

/// Words of a vocabulary as large as BERT's, and the positions of its table.
constexpr std::int64_t vocabulary = 30522, positions = 512;

/// Sentences of 5 to 50 tokens, 17 on average; the same ones in every run.
std::shared_ptr<const PackedBatch> short_sentences(at::Device device, std::int64_t count);
/// Returns 64 sentences of 512 tokens.
std::shared_ptr<const PackedBatch> long_sentences(at::Device device, bool few);

/// Returns the sum of the squares of the sentences' tokens.
double pairs_of_tokens(const PackedBatch& batch);

/// Returns normally distributed values.
at::Tensor random_values(at::IntArrayRef shape, at::Device device, at::ScalarType type = at::kFloat);

}  // namespace gausscse::benchmarks
