#include "tests/model/objective/labelled_brute_force.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/philox.hpp"

namespace gausscse {

namespace {

std::uint32_t part(std::uint64_t value, int shift) {
  return static_cast<std::uint32_t>(value >> shift);
}

/// Returns the `most` candidates with the smallest words for the anchor, in rising order of their numbers.
std::vector<std::int64_t> drawn(const std::vector<std::int64_t>& candidates, std::int64_t most, std::int64_t anchor,
                                const StepOfTraining& step) {
  const PhiloxCounter key =
      philox({part(step.number, 0), part(step.number, 32), 0, 2}, {part(step.seed, 0), part(step.seed, 32)});
  std::vector<std::pair<std::uint64_t, std::int64_t>> words;
  for (const std::int64_t candidate : candidates) {
    const PhiloxCounter four =
        philox({static_cast<std::uint32_t>(candidate), static_cast<std::uint32_t>(anchor), 0, 0}, {key[0], key[1]});
    words.emplace_back((static_cast<std::uint64_t>(four[1]) << 32) + four[0], candidate);
  }
  std::sort(words.begin(), words.end());
  std::vector<std::int64_t> taken;
  for (std::size_t i = 0; i < words.size() && static_cast<std::int64_t>(i) < most; ++i)
    taken.push_back(words[i].second);
  std::sort(taken.begin(), taken.end());
  return taken;
}

}  // namespace

std::vector<AnchorSets> brute_force_sets(const std::vector<std::int64_t>& labels,
                                         const std::vector<std::int64_t>& groups, const ContrastLimits& limits,
                                         const StepOfTraining& step) {
  std::vector<AnchorSets> all;
  const auto batch = static_cast<std::int64_t>(labels.size());
  for (std::int64_t i = 0; i < batch; ++i) {
    if (labels[static_cast<std::size_t>(i)] != 0) continue;
    std::vector<std::int64_t> others, negatives;
    for (std::int64_t j = 0; j < batch; ++j) {
      if (j == i) continue;
      const bool positive = labels[static_cast<std::size_t>(j)] == 0 &&
                            groups[static_cast<std::size_t>(j)] == groups[static_cast<std::size_t>(i)];
      (positive ? others : negatives).push_back(j);
    }
    AnchorSets sets{i, drawn(others, limits.positives ? *limits.positives - 1 : batch, i, step),
                    drawn(negatives, limits.negatives.value_or(batch), i, step)};
    sets.positives.push_back(i);
    std::sort(sets.positives.begin(), sets.positives.end());
    all.push_back(std::move(sets));
  }
  return all;
}

double cross_entropy_of_pair(const LabelledBatch& batch, ClassifierActivation activation, std::int64_t premise,
                             std::int64_t hypothesis, std::int64_t label) {
  constexpr std::int64_t width = LabelledBatch::width, inputs = 3 * width, hidden = inputs / 2;
  const auto activate = [&](double x) {
    if (activation == ClassifierActivation::relu) return x > 0 ? x : 0;
    return activation == ClassifierActivation::tanh ? std::tanh(x) : x;
  };
  const auto* hidden_weight = batch.input.parameters.const_data_ptr<double>();
  const double* hidden_bias = hidden_weight + hidden * inputs;
  const double* output_weight = hidden_bias + hidden;
  const double* output_bias = output_weight + 3 * hidden;
  double features[inputs], logits[3], total = 0;
  for (std::int64_t d = 0; d < width; ++d) {
    features[d] = batch.value(0, premise, d);
    features[width + d] = batch.value(1, hypothesis, d);
    features[2 * width + d] = std::abs(features[d] - features[width + d]);
  }
  for (std::int64_t k = 0; k < 3; ++k) {
    logits[k] = output_bias[k];
    for (std::int64_t h = 0; h < hidden; ++h) {
      double x = hidden_bias[h];
      for (std::int64_t f = 0; f < inputs; ++f) x += hidden_weight[h * inputs + f] * features[f];
      logits[k] += output_weight[k * hidden + h] * activate(x);
    }
    total += std::exp(logits[k]);
  }
  return std::log(total) - logits[label];
}

}  // namespace gausscse
