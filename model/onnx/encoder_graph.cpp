#include "model/onnx/encoder_graph.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/onnx/layer_graph.hpp"

namespace gausscse {

namespace {

/// Builder of the graph of one encoder. Hidden states are [batch * tokens, hidden] between the layers.
class EncoderGraph {
 public:
  explicit EncoderGraph(const SentenceEncoder& encoder)
      : tokens_(encoder), graph_(tokens_.graph), settings_(tokens_.settings), config_(tokens_.config) {}

  OnnxGraph build() {
    OnnxRows rows = embeddings();
    LayerGraph layers(tokens_);
    for (std::int64_t i = 0; i < config_.layers; ++i) rows = layers.layer(rows, i);
    add_head(pooled(tokens_.shaped(rows.values, {config_.hidden_size})));
    return std::move(graph_);
  }

 private:
  OnnxRows embeddings() {
    std::string sum = graph_.node("Gather", {tokens_.parameter("embeddings.word_embeddings.weight"), tokens_.ids},
                                  TokenGraph::axis(0));
    if (config_.has_position_table()) {
      const std::string positions = graph_.node("Add", {tokens_.places, graph_.integer(config_.first_position())});
      const std::string table = tokens_.parameter("embeddings.position_embeddings.weight");
      sum = graph_.node("Add", {sum, graph_.node("Gather", {table, positions}, TokenGraph::axis(0))});
    }
    if (config_.type_vocabulary_size > 0) {
      // All tokens of a single sentence have the first type.
      const std::string name = "embeddings.token_type_embeddings.weight";
      const auto hidden = static_cast<std::size_t>(config_.hidden_size);
      sum =
          graph_.node("Add", {sum, graph_.weights(name, {config_.hidden_size}, tokens_.values_of(name).first(hidden))});
    }
    const std::string rows = graph_.node("Reshape", {sum, graph_.integers({-1, config_.hidden_size})});
    const std::string values = tokens_.layer_norm(rows, "embeddings.LayerNorm");
    return {values, values};
  }

  /// Returns [batch, hidden] of hidden states [batch, tokens, hidden].
  std::string pooled(const std::string& hidden) {
    switch (settings_.pooling) {
      case PoolingKind::first_token:
        return graph_.node("Gather", {hidden, graph_.integer(0)}, TokenGraph::axis(1));
      case PoolingKind::mean:
        return mean_of_tokens(hidden, tokens_.is_token);
      case PoolingKind::mean_without_first:
        return mean_of_tokens(
            hidden,
            graph_.node("And", {tokens_.is_token, graph_.node("Greater", {tokens_.places, graph_.integer(0)})}));
      case PoolingKind::max: {
        const std::string of_rows = graph_.node("Unsqueeze", {tokens_.is_token, graph_.integers({2})});
        return graph_.node("ReduceMax", {graph_.node("Where", {of_rows, hidden, graph_.constant(onnx_lowest)})},
                           {.integers = {{"keepdims", 0}}, .lists = {{"axes", {1}}}});
      }
    }
    throw std::logic_error("no pooling of this number");
  }

  /// Returns the mean of the chosen rows; zeros where there are none.
  std::string mean_of_tokens(const std::string& hidden, const std::string& is_chosen) {
    const std::string of_rows = graph_.node("Unsqueeze", {is_chosen, graph_.integers({2})});
    const std::string chosen = graph_.node("Where", {of_rows, graph_.constant(1), graph_.constant(0)});
    const auto sum = [&](const std::string& rows) {
      return graph_.node("ReduceSum", {rows, graph_.integers({1})}, {.integers = {{"keepdims", 0}}});
    };
    // Padding's states may be anything but are finite.
    return graph_.node(
        "Div", {sum(graph_.node("Mul", {hidden, chosen})), graph_.node("Max", {sum(chosen), graph_.constant(1)})});
  }

  /// Returns rows scaled to the length sqrt(hidden); rows of zeros stay as they are.
  std::string scaled(const std::string& rows) {
    const std::string lengths =
        graph_.node("ReduceL2", {rows}, {.integers = {{"keepdims", 1}}, .lists = {{"axes", {1}}}});
    const std::string units =
        graph_.node("Div", {rows, graph_.node("Max", {lengths, graph_.constant(std::numeric_limits<float>::min())})});
    return graph_.node("Mul", {units, graph_.constant(static_cast<float>(std::sqrt(config_.hidden_size)))});
  }

  void add_head(const std::string& vectors) {
    const std::vector<OnnxDimension> shape{{"batch"}, {"", config_.hidden_size}};
    switch (settings_.head.kind) {
      case HeadKind::gaussian: {
        const HeadSettings& head = settings_.head;
        const std::string read = head.scale == MeanScale::unit ? scaled(vectors) : vectors;
        std::string mean = head.mean == MeanLayer::identity ? read : tokens_.linear(read, "head.mean");
        if (head.mean == MeanLayer::tanh) mean = graph_.node("Tanh", {mean});
        if (head.scale == MeanScale::unit && head.mean != MeanLayer::identity) mean = scaled(mean);
        graph_.output(mean, "mean", shape);
        const bool is_mlp = head.log_var == LogVarLayer::mlp;
        graph_.output(tokens_.linear(is_mlp ? graph_.node("Tanh", {tokens_.linear(read, "head.log_var.hidden")}) : read,
                                     "head.log_var"),
                      "log_var", shape);
        return;
      }
      case HeadKind::mlp_tanh:
        graph_.output(graph_.node("Tanh", {tokens_.linear(vectors, "head.mlp")}), "embedding", shape);
        return;
      case HeadKind::none:
        graph_.output(vectors, "embedding", shape);
        return;
    }
    throw std::logic_error("no head of this number");
  }

  TokenGraph tokens_;
  OnnxGraph& graph_;
  const SentenceEncoderSettings& settings_;
  const EncoderConfig& config_;
};

}  // namespace

OnnxGraph onnx_graph_of(const SentenceEncoder& encoder) {
  GAUSSCSE_CHECK(encoder.parameters().values().is_cpu() && encoder.settings().type == at::kFloat,
                 "ONNX is written from float32 on the CPU");
  return EncoderGraph(encoder).build();
}

}  // namespace gausscse
