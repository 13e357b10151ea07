#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/onnx/token_graph.hpp"

namespace gausscse {

/// Rows between layers, [batch * tokens, hidden], see HiddenStates.
struct OnnxRows {
  std::string values, residual;
};

/// The layers of an encoder as ONNX: the same parts as those of EncoderLayer.
class LayerGraph {
 public:
  /// `tokens` must stay.
  explicit LayerGraph(TokenGraph& tokens);

  OnnxRows layer(const OnnxRows& rows, std::int64_t index);

 private:
  /// Places of tokens for attention of one kind of layers: cosines and sines [tokens, head_size / 2], or empty, and
  /// addends to scores.
  struct Positions {
    std::string cosines, sines, score_bias;
  };

  /// Returns the key's place less the query's [query, key].
  std::string offsets();
  Positions rotary_positions(double base, const std::string& score_bias);
  /// Returns the addends to scores of attention [batch, heads, query, key]: the lowest number for padding, and MPNet's
  /// bias by the place of the key relative to the query's.
  std::string bias_of_scores();
  /// Returns queries or keys [batch, heads, tokens, width] turned by their places.
  std::string rotated(const std::string& x, const Positions& positions);
  /// Returns a part of the rows for each head: [batch, heads, tokens, width], or by `order` of the axes [batch, tokens,
  /// heads, width].
  std::string of_heads(const std::string& rows, const std::vector<std::int64_t>& order);
  /// Returns the output of attention of rows of values, without the residual.
  std::string attention(const std::string& hidden, const std::string& prefix, const Positions& positions);
  /// Returns the output of the feed-forward part, without the residual.
  std::string feed_forward(const std::string& rows, const std::string& prefix);

  TokenGraph& tokens_;
  OnnxGraph& graph_;
  const EncoderConfig& config_;
  const LayerParts& parts_;
  Positions global_, local_;
};

}  // namespace gausscse
