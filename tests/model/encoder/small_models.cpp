#include "tests/model/encoder/small_models.hpp"

#include "base/philox.hpp"

namespace gausscse {

RandomSentences random_sentences(std::size_t count, std::uint64_t seed, std::uint32_t most_tokens) {
  RandomSentences sentences;
  PhiloxStream stream(seed, 1);
  for (std::size_t s = 0; s < count; ++s) {
    const std::uint32_t length = 1 + stream.below(most_tokens);
    for (std::uint32_t t = 0; t < length; ++t) sentences.ids.push_back(stream.below(50));
    sentences.offsets.push_back(static_cast<std::uint32_t>(sentences.ids.size()));
  }
  return sentences;
}

void randomize(ParameterStore& parameters, std::uint64_t seed) {
  PhiloxStream stream(seed, 2);
  for (const ParameterSpec& spec : parameters.specs()) {
    at::Tensor flat = parameters.value(spec.name).view(-1);
    const double center = spec.name.ends_with("LayerNorm.weight") ? 1.0 : 0.0;
    for (std::int64_t i = 0; i < flat.numel(); ++i) {
      const double value = center + 0.6 * (stream.uniform() - 0.5);
      if (flat.scalar_type() == at::kDouble)
        flat.mutable_data_ptr<double>()[i] = value;
      else
        flat.mutable_data_ptr<float>()[i] = static_cast<float>(value);
    }
  }
}

}  // namespace gausscse
