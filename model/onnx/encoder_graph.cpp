#include "model/onnx/encoder_graph.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/kernels/relative_position.hpp"

namespace gausscse {

namespace {

/// Less than any hidden state or score of attention, and finite.
constexpr float lowest = -3e38f;

/// Builder of the graph of one encoder. Hidden states are [batch * tokens, hidden] between the layers.
class EncoderGraph {
 public:
  explicit EncoderGraph(const SentenceEncoder& encoder)
      : parameters_(encoder.parameters()), settings_(encoder.settings()), config_(encoder.settings().encoder) {}

  OnnxGraph build() {
    ids_ = graph_.input("input_ids", {{"batch"}, {"tokens"}});
    mask_ = graph_.input("attention_mask", {{"batch"}, {"tokens"}});
    shape_ = graph_.node("Shape", {ids_});
    places_ = graph_.node(
        "Range", {graph_.integer(0), graph_.node("Gather", {shape_, graph_.integer(1)}, axis(0)), graph_.integer(1)});
    is_token_ = graph_.node("Greater", {mask_, graph_.integer(0)});
    score_bias_ = bias_of_scores();
    std::string hidden = embeddings();
    for (std::int64_t i = 0; i < config_.layers; ++i) hidden = layer(hidden, concat("encoder.layer.", i, "."));
    add_head(pooled(shaped(hidden, {config_.hidden_size})));
    return std::move(graph_);
  }

 private:
  static OnnxAttributes axis(std::int64_t number) { return {.integers = {{"axis", number}}}; }

  std::string parameter(const std::string& name) {
    const std::size_t index = parameters_.index_of(name);
    return graph_.weights(name, parameters_.specs()[index].shape, values_of(index));
  }

  std::span<const float> values_of(std::size_t index) const {
    return {parameters_.values().const_data_ptr<float>() + parameters_.offset(index),
            static_cast<std::size_t>(parameters_.count(index))};
  }

  /// Returns `value` as [batch, tokens, last...].
  std::string shaped(const std::string& value, const std::vector<std::int64_t>& last) {
    return graph_.node("Reshape", {value, graph_.node("Concat", {shape_, graph_.integers(last)}, axis(0))});
  }

  std::string linear(const std::string& rows, const std::string& name) {
    return graph_.node("Gemm", {rows, parameter(name + ".weight"), parameter(name + ".bias")},
                       {.integers = {{"transB", 1}}});
  }

  std::string layer_norm(const std::string& rows, const std::string& name) {
    return graph_.node(
        "LayerNormalization", {rows, parameter(name + ".weight"), parameter(name + ".bias")},
        {.integers = {{"axis", -1}}, .floats = {{"epsilon", static_cast<float>(config_.layer_norm_eps)}}});
  }

  std::string embeddings() {
    const std::string positions = graph_.node("Add", {places_, graph_.integer(config_.first_position())});
    std::string sum = graph_.node(
        "Add", {graph_.node("Gather", {parameter("embeddings.word_embeddings.weight"), ids_}, axis(0)),
                graph_.node("Gather", {parameter("embeddings.position_embeddings.weight"), positions}, axis(0))});
    if (config_.type_vocabulary_size > 0) {
      // All tokens of a single sentence have the first type.
      const std::string name = "embeddings.token_type_embeddings.weight";
      const auto hidden = static_cast<std::size_t>(config_.hidden_size);
      sum = graph_.node("Add", {sum, graph_.weights(name, {config_.hidden_size},
                                                    values_of(parameters_.index_of(name)).first(hidden))});
    }
    const std::string rows = graph_.node("Reshape", {sum, graph_.integers({-1, config_.hidden_size})});
    return layer_norm(rows, "embeddings.LayerNorm");
  }

  /// Returns the addends to scores of attention [batch, heads, query, key]: the lowest number for padding, and MPNet's
  /// bias by the place of the key relative to the query's.
  std::string bias_of_scores() {
    const std::string of_keys = graph_.node("Unsqueeze", {is_token_, graph_.integers({1, 2})});
    std::string bias = graph_.node("Where", {of_keys, graph_.constant(0), graph_.constant(lowest)});
    if (config_.relative_position_buckets == 0) return bias;
    // A row of biases for each offset from the farthest before to the farthest behind that differ.
    constexpr int farthest = 128;
    const std::size_t index = parameters_.index_of("encoder.relative_attention_bias.weight");
    const auto heads = static_cast<std::size_t>(config_.heads);
    std::vector<float> rows;
    for (int offset = -farthest; offset <= farthest; ++offset) {
      const auto bucket = static_cast<std::size_t>(kernels::relative_position_bucket(offset));
      const std::span<const float> row = values_of(index).subspan(bucket * heads, heads);
      rows.insert(rows.end(), row.begin(), row.end());
    }
    const std::string table = graph_.constant({2 * farthest + 1, config_.heads}, std::move(rows));
    const std::string offsets = graph_.node("Sub", {graph_.node("Unsqueeze", {places_, graph_.integers({0})}),
                                                    graph_.node("Unsqueeze", {places_, graph_.integers({1})})});
    const std::string near =
        graph_.node("Min", {graph_.node("Max", {offsets, graph_.integer(-farthest)}), graph_.integer(farthest)});
    const std::string found =
        graph_.node("Gather", {table, graph_.node("Add", {near, graph_.integer(farthest)})}, axis(0));
    return graph_.node("Add", {bias, graph_.node("Transpose", {found}, {.lists = {{"perm", {2, 0, 1}}}})});
  }

  /// Returns a part of the rows for each head: [batch, heads, tokens, width], or by `order` of the axes [batch, tokens,
  /// heads, width].
  std::string of_heads(const std::string& rows, const std::vector<std::int64_t>& order) {
    return graph_.node("Transpose", {shaped(rows, {config_.heads, config_.hidden_size / config_.heads})},
                       {.lists = {{"perm", order}}});
  }

  std::string layer(const std::string& hidden, const std::string& prefix) {
    const std::string self = prefix + "attention.self.";
    const float scale = 1.0f / std::sqrt(static_cast<float>(config_.hidden_size / config_.heads));
    const std::string queries = of_heads(linear(hidden, self + "query"), {0, 2, 1, 3}),
                      keys = of_heads(linear(hidden, self + "key"), {0, 2, 3, 1}),
                      values = of_heads(linear(hidden, self + "value"), {0, 2, 1, 3});
    const std::string products = graph_.node("Mul", {graph_.node("MatMul", {queries, keys}), graph_.constant(scale)});
    const std::string probabilities =
        graph_.node("Softmax", {graph_.node("Add", {products, score_bias_})}, {.integers = {{"axis", -1}}});
    const std::string context =
        graph_.node("Transpose", {graph_.node("MatMul", {probabilities, values})}, {.lists = {{"perm", {0, 2, 1, 3}}}});
    const std::string rows = graph_.node("Reshape", {context, graph_.integers({-1, config_.hidden_size})});
    const std::string attended =
        layer_norm(graph_.node("Add", {linear(rows, prefix + "attention.output.dense"), hidden}),
                   prefix + "attention.output.LayerNorm");
    const std::string wide = gelu(linear(attended, prefix + "intermediate.dense"));
    return layer_norm(graph_.node("Add", {linear(wide, prefix + "output.dense"), attended}),
                      prefix + "output.LayerNorm");
  }

  /// Returns x (1 + erf(x / sqrt 2)) / 2.
  std::string gelu(const std::string& x) {
    const std::string erf =
        graph_.node("Erf", {graph_.node("Mul", {x, graph_.constant(static_cast<float>(1 / std::numbers::sqrt2))})});
    return graph_.node(
        "Mul", {graph_.node("Mul", {x, graph_.constant(0.5f)}), graph_.node("Add", {erf, graph_.constant(1.0f)})});
  }

  /// Returns [batch, hidden] of hidden states [batch, tokens, hidden].
  std::string pooled(const std::string& hidden) {
    switch (settings_.pooling) {
      case PoolingKind::first_token:
        return graph_.node("Gather", {hidden, graph_.integer(0)}, axis(1));
      case PoolingKind::mean:
        return mean_of_tokens(hidden, is_token_);
      case PoolingKind::mean_without_first:
        return mean_of_tokens(hidden,
                              graph_.node("And", {is_token_, graph_.node("Greater", {places_, graph_.integer(0)})}));
      case PoolingKind::max: {
        const std::string of_rows = graph_.node("Unsqueeze", {is_token_, graph_.integers({2})});
        return graph_.node("ReduceMax", {graph_.node("Where", {of_rows, hidden, graph_.constant(lowest)})},
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
        std::string mean = head.mean == MeanLayer::identity ? read : linear(read, "head.mean");
        if (head.mean == MeanLayer::tanh) mean = graph_.node("Tanh", {mean});
        if (head.scale == MeanScale::unit && head.mean != MeanLayer::identity) mean = scaled(mean);
        graph_.output(mean, "mean", shape);
        const bool is_mlp = head.log_var == LogVarLayer::mlp;
        graph_.output(
            linear(is_mlp ? graph_.node("Tanh", {linear(read, "head.log_var.hidden")}) : read, "head.log_var"),
            "log_var", shape);
        return;
      }
      case HeadKind::mlp_tanh:
        graph_.output(graph_.node("Tanh", {linear(vectors, "head.mlp")}), "embedding", shape);
        return;
      case HeadKind::none:
        graph_.output(vectors, "embedding", shape);
        return;
    }
    throw std::logic_error("no head of this number");
  }

  const ParameterStore& parameters_;
  const SentenceEncoderSettings& settings_;
  const EncoderConfig& config_;
  OnnxGraph graph_;
  std::string ids_, mask_, shape_, places_, is_token_, score_bias_;
};

}  // namespace

OnnxGraph onnx_graph_of(const SentenceEncoder& encoder) {
  GAUSSCSE_CHECK(encoder.parameters().values().is_cpu() && encoder.settings().type == at::kFloat,
                 "ONNX is written from float32 on the CPU");
  return EncoderGraph(encoder).build();
}

}  // namespace gausscse
