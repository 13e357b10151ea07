#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/onnx/graph.hpp"
#include "model/sentence_encoder.hpp"

namespace gausscse {

/// Less than any hidden state or score of attention, and finite.
constexpr float onnx_lowest = -3e38f;

/// Graph of an encoder with its inputs, and the steps that its parts are made of: parameters by their names, and linear
/// layers and norms by them.
class TokenGraph {
 public:
  explicit TokenGraph(const SentenceEncoder& encoder);

  static OnnxAttributes axis(std::int64_t number) { return {.integers = {{"axis", number}}}; }

  std::string parameter(const std::string& name);
  std::span<const float> values_of(const std::string& name) const;
  /// Returns `value` as [batch, tokens, last...].
  std::string shaped(const std::string& value, const std::vector<std::int64_t>& last);
  /// Returns rows W^T, plus the bias where there is one.
  std::string linear(const std::string& rows, const std::string& name, bool has_bias = true);
  /// Returns rows W^T by part `part` of a weight that is `parts` of them, without a bias.
  std::string part_of_linear(const std::string& rows, const std::string& name, std::int64_t part, std::int64_t parts);
  std::string layer_norm(const std::string& rows, const std::string& name);
  /// Returns x (1 + erf(x / sqrt 2)) / 2.
  std::string gelu(const std::string& x);

  OnnxGraph graph;
  std::string ids, mask;  ///< inputs [batch, tokens]
  std::string shape;      ///< [batch, tokens], as numbers
  std::string places;     ///< 0, 1, ..., tokens - 1
  std::string is_token;   ///< [batch, tokens]
  const SentenceEncoderSettings& settings;
  const EncoderConfig& config;

 private:
  const ParameterStore& parameters_;
};

}  // namespace gausscse
