#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "model/choices.hpp"
#include "model/weights/encoder_weights.hpp"

namespace gausscse {

/// Network that classifies pairs of sentences: with u and v the embeddings of premise and hypothesis,
///
///   logits = output(activation(hidden([u, v, |u - v|]))),
///
/// hidden from 3 * width to 3 * width / 2 (rounded down), output from there to the three labels, in the order of
/// NliLabel. Its parameters are objective.classifier.{hidden,output}.{weight,bias}, laid out as torch.nn.Linear's. Bits
/// of a product depend on the number of threads that is set: callers compute in a task of one.
class PairClassifier {
 public:
  static constexpr std::int64_t labels = 3;
  static std::vector<ParameterSpec> parameters(std::int64_t width);

  /// Makes a network over the flat parameters, one after another.
  PairClassifier(const at::Tensor& flat, std::int64_t width, ClassifierActivation activation);

  /// Values that a forward leaves for its backward.
  struct Pass {
    at::Tensor premise, hypothesis;  ///< [pairs, width]
    at::Tensor features, hidden;
    at::Tensor log_probabilities;  ///< float64 [pairs, labels]
  };
  Pass forward(const at::Tensor& premise, const at::Tensor& hypothesis) const;

  struct Gradient {
    at::Tensor premise, hypothesis;  ///< [pairs, width]
  };
  /// Returns the gradient by the sentences, from that by the logits [pairs, labels]; that by the parameters is added to
  /// the flat `by_parameters`.
  Gradient backward(const Pass& pass, const at::Tensor& by_logits, const at::Tensor& by_parameters) const;

 private:
  /// A linear layer within the flat parameters, weight [outputs, inputs] before bias [outputs].
  struct Linear {
    at::Tensor weight, bias;
  };
  struct Layers {
    Layers(const at::Tensor& flat, std::int64_t width);
    Linear hidden, output;
  };

  Layers layers_;
  std::int64_t width_;
  ClassifierActivation activation_;
};

}  // namespace gausscse
