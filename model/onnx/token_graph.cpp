#include "model/onnx/token_graph.hpp"

#include <cmath>
#include <numbers>

#include "base/error.hpp"

namespace gausscse {

TokenGraph::TokenGraph(const SentenceEncoder& encoder)
    : settings(encoder.settings()), config(encoder.settings().encoder), parameters_(encoder.parameters()) {
  ids = graph.input("input_ids", {{"batch"}, {"tokens"}});
  mask = graph.input("attention_mask", {{"batch"}, {"tokens"}});
  shape = graph.node("Shape", {ids});
  places = graph.node("Range",
                      {graph.integer(0), graph.node("Gather", {shape, graph.integer(1)}, axis(0)), graph.integer(1)});
  is_token = graph.node("Greater", {mask, graph.integer(0)});
}

std::string TokenGraph::parameter(const std::string& name) {
  return graph.weights(name, parameters_.specs()[parameters_.index_of(name)].shape, values_of(name));
}

std::span<const float> TokenGraph::values_of(const std::string& name) const {
  const std::size_t index = parameters_.index_of(name);
  return {parameters_.values().const_data_ptr<float>() + parameters_.offset(index),
          static_cast<std::size_t>(parameters_.count(index))};
}

std::string TokenGraph::shaped(const std::string& value, const std::vector<std::int64_t>& last) {
  return graph.node("Reshape", {value, graph.node("Concat", {shape, graph.integers(last)}, axis(0))});
}

std::string TokenGraph::linear(const std::string& rows, const std::string& name, bool has_bias) {
  std::vector<std::string> inputs{rows, parameter(name + ".weight")};
  if (has_bias) inputs.push_back(parameter(name + ".bias"));
  return graph.node("Gemm", inputs, {.integers = {{"transB", 1}}});
}

std::string TokenGraph::part_of_linear(const std::string& rows, const std::string& name, std::int64_t part,
                                       std::int64_t parts) {
  const std::string weight = name + ".weight";
  const std::vector<std::int64_t>& of_all = parameters_.specs()[parameters_.index_of(weight)].shape;
  const std::span<const float> all = values_of(weight);
  const std::size_t count = all.size() / static_cast<std::size_t>(parts);
  const std::string of_part = graph.weights(concat(name, ".", part, ".weight"), {of_all[0] / parts, of_all[1]},
                                            all.subspan(static_cast<std::size_t>(part) * count, count));
  return graph.node("Gemm", {rows, of_part}, {.integers = {{"transB", 1}}});
}

std::string TokenGraph::layer_norm(const std::string& rows, const std::string& name) {
  std::vector<std::string> inputs{rows, parameter(name + ".weight")};
  if (config.parts().norm_biases) inputs.push_back(parameter(name + ".bias"));
  return graph.node("LayerNormalization", inputs,
                    {.integers = {{"axis", -1}}, .floats = {{"epsilon", static_cast<float>(config.layer_norm_eps)}}});
}

std::string TokenGraph::gelu(const std::string& x) {
  const std::string erf =
      graph.node("Erf", {graph.node("Mul", {x, graph.constant(static_cast<float>(1 / std::numbers::sqrt2))})});
  return graph.node("Mul",
                    {graph.node("Mul", {x, graph.constant(0.5f)}), graph.node("Add", {erf, graph.constant(1.0f)})});
}

}  // namespace gausscse
