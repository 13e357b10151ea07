#pragma once

#include "model/folder/model_folder.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/tiny_training.hpp"

namespace gausscse {

/// Effects of the keys of a trial's training.
class TrialTraining : public testing::Test {
 protected:
  using Texts = std::vector<std::string>;

  TinyRun train(const Texts& overrides) const { return training_.train(overrides); }

  const TinyTraining training_;
};

/// Returns the parameters of a saved model whose names begin so, one after another.
inline std::vector<float> parameters_of(const std::filesystem::path& model,
                                        const std::vector<std::string>& beginnings) {
  const SavedModel opened = open_model(model, std::nullopt);
  const ParameterStore& store = opened.encoder->parameters();
  std::vector<float> values;
  for (const ParameterSpec& spec : store.specs()) {
    if (std::none_of(beginnings.begin(), beginnings.end(),
                     [&](const std::string& begin) { return spec.name.starts_with(begin); }))
      continue;
    const at::Tensor value = store.value(spec.name);
    values.insert(values.end(), value.const_data_ptr<float>(), value.const_data_ptr<float>() + value.numel());
  }
  EXPECT_FALSE(values.empty());
  return values;
}

inline double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return largest;
}

}  // namespace gausscse
