#include "model/onnx/layer_graph.hpp"

#include <cmath>

#include "base/error.hpp"
#include "model/kernels/relative_position.hpp"

namespace gausscse {

LayerGraph::LayerGraph(TokenGraph& tokens)
    : tokens_(tokens), graph_(tokens.graph), config_(tokens.config), parts_(config_.parts()) {
  const std::string score_bias = bias_of_scores();
  global_.score_bias = score_bias;
  if (config_.has_position_table()) return;
  const RotaryPositions& rotary = config_.rotary;
  global_ = rotary_positions(rotary.base, score_bias);
  if (rotary.global_every == 1) return;
  const std::string is_far =
      graph_.node("Greater", {graph_.node("Abs", {offsets()}), graph_.integer(rotary.local_distance)});
  const std::string left_out = graph_.node("Where", {is_far, graph_.constant(onnx_lowest), graph_.constant(0)});
  // The lowest number twice would not be finite.
  local_ = rotary_positions(rotary.local_base, graph_.node("Min", {score_bias, left_out}));
}

std::string LayerGraph::offsets() {
  return graph_.node("Sub", {graph_.node("Unsqueeze", {tokens_.places, graph_.integers({0})}),
                             graph_.node("Unsqueeze", {tokens_.places, graph_.integers({1})})});
}

LayerGraph::Positions LayerGraph::rotary_positions(double base, const std::string& score_bias) {
  const std::int64_t half = config_.hidden_size / config_.heads / 2;
  std::vector<float> frequencies;
  for (std::int64_t i = 0; i < half; ++i)
    frequencies.push_back(static_cast<float>(std::pow(base, -static_cast<double>(i) / static_cast<double>(half))));
  constexpr std::int64_t to_float = 1;
  const std::string places = graph_.node(
      "Unsqueeze", {graph_.node("Cast", {tokens_.places}, {.integers = {{"to", to_float}}}), graph_.integers({1})});
  const std::string angles = graph_.node("Mul", {places, graph_.constant({1, half}, std::move(frequencies))});
  return {graph_.node("Cos", {angles}), graph_.node("Sin", {angles}), score_bias};
}

std::string LayerGraph::rotated(const std::string& x, const Positions& positions) {
  if (positions.cosines.empty()) return x;
  const std::int64_t width = config_.hidden_size / config_.heads;
  const auto part = [&](std::int64_t first, std::int64_t end) {
    return graph_.node("Slice", {x, graph_.integers({first}), graph_.integers({end}), graph_.integers({3})});
  };
  const auto times = [&](const std::string& a, const std::string& b) { return graph_.node("Mul", {a, b}); };
  const std::string a = part(0, width / 2), b = part(width / 2, width);
  return graph_.node("Concat",
                     {graph_.node("Sub", {times(a, positions.cosines), times(b, positions.sines)}),
                      graph_.node("Add", {times(b, positions.cosines), times(a, positions.sines)})},
                     TokenGraph::axis(-1));
}

std::string LayerGraph::bias_of_scores() {
  const std::string of_keys = graph_.node("Unsqueeze", {tokens_.is_token, graph_.integers({1, 2})});
  std::string bias = graph_.node("Where", {of_keys, graph_.constant(0), graph_.constant(onnx_lowest)});
  if (config_.relative_position_buckets == 0) return bias;
  // A row of biases for each offset from the farthest before to the farthest behind that differ.
  constexpr int farthest = 128;
  const std::span<const float> biases = tokens_.values_of("encoder.relative_attention_bias.weight");
  const auto heads = static_cast<std::size_t>(config_.heads);
  std::vector<float> rows;
  for (int offset = -farthest; offset <= farthest; ++offset) {
    const auto bucket = static_cast<std::size_t>(kernels::relative_position_bucket(offset));
    const std::span<const float> row = biases.subspan(bucket * heads, heads);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  const std::string table = graph_.constant({2 * farthest + 1, config_.heads}, std::move(rows));
  const std::string near =
      graph_.node("Min", {graph_.node("Max", {offsets(), graph_.integer(-farthest)}), graph_.integer(farthest)});
  const std::string found =
      graph_.node("Gather", {table, graph_.node("Add", {near, graph_.integer(farthest)})}, TokenGraph::axis(0));
  return graph_.node("Add", {bias, graph_.node("Transpose", {found}, {.lists = {{"perm", {2, 0, 1}}}})});
}

std::string LayerGraph::of_heads(const std::string& rows, const std::vector<std::int64_t>& order) {
  return graph_.node("Transpose", {tokens_.shaped(rows, {config_.heads, config_.hidden_size / config_.heads})},
                     {.lists = {{"perm", order}}});
}

std::string LayerGraph::attention(const std::string& hidden, const std::string& prefix, const Positions& positions) {
  const std::string self = prefix + "attention.self.";
  const float scale = 1.0f / std::sqrt(static_cast<float>(config_.hidden_size / config_.heads));
  const auto part = [&](const char* name, std::int64_t number) {
    return parts_.joins_qkv ? tokens_.part_of_linear(hidden, self + "qkv", number, 3)
                            : tokens_.linear(hidden, self + name, parts_.linear_biases);
  };
  const std::string queries = rotated(of_heads(part("query", 0), {0, 2, 1, 3}), positions);
  // Without rotary positions the keys are transposed in one step.
  const bool is_rotary = !positions.cosines.empty();
  std::string keys = of_heads(
      part("key", 1), is_rotary ? std::vector<std::int64_t>{0, 2, 1, 3} : std::vector<std::int64_t>{0, 2, 3, 1});
  if (is_rotary) keys = graph_.node("Transpose", {rotated(keys, positions)}, {.lists = {{"perm", {0, 1, 3, 2}}}});
  const std::string values = of_heads(part("value", 2), {0, 2, 1, 3});
  const std::string products = graph_.node("Mul", {graph_.node("MatMul", {queries, keys}), graph_.constant(scale)});
  const std::string probabilities =
      graph_.node("Softmax", {graph_.node("Add", {products, positions.score_bias})}, {.integers = {{"axis", -1}}});
  const std::string context =
      graph_.node("Transpose", {graph_.node("MatMul", {probabilities, values})}, {.lists = {{"perm", {0, 2, 1, 3}}}});
  const std::string rows = graph_.node("Reshape", {context, graph_.integers({-1, config_.hidden_size})});
  return tokens_.linear(rows, prefix + "attention.output.dense", parts_.linear_biases);
}

std::string LayerGraph::feed_forward(const std::string& rows, const std::string& prefix) {
  std::string wide;
  if (parts_.gate) {
    const std::string first = prefix + "intermediate.dense";
    const std::string a =
        parts_.joins_gate ? tokens_.part_of_linear(rows, first, 0, 2) : tokens_.linear(rows, first, false);
    const std::string b = parts_.joins_gate ? tokens_.part_of_linear(rows, first, 1, 2)
                                            : tokens_.linear(rows, prefix + "intermediate.gate", false);
    const std::string activated = *parts_.gate == kernels::Activation::gelu
                                      ? tokens_.gelu(a)
                                      : graph_.node("Mul", {a, graph_.node("Sigmoid", {a})});
    wide = graph_.node("Mul", {activated, b});
  } else {
    wide = tokens_.gelu(tokens_.linear(rows, prefix + "intermediate.dense", parts_.linear_biases));
  }
  return tokens_.linear(wide, prefix + "output.dense", parts_.linear_biases);
}

OnnxRows LayerGraph::layer(const OnnxRows& rows, std::int64_t index) {
  const std::string prefix = concat("encoder.layer.", index, ".");
  const auto add_norm = [&](const std::string& product, const std::string& residual, const std::string& norm) {
    const std::string sum = graph_.node("Add", {product, residual}), values = tokens_.layer_norm(sum, prefix + norm);
    return OnnxRows{values, parts_.norm_first ? sum : values};
  };
  const bool is_local = config_.rotary.is_local(index);
  const OnnxRows attended = add_norm(attention(rows.values, prefix, is_local ? local_ : global_), rows.residual,
                                     "attention.output.LayerNorm");
  return add_norm(feed_forward(attended.values, prefix), attended.residual, "output.LayerNorm");
}

}  // namespace gausscse
