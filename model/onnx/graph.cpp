#include "model/onnx/graph.hpp"

#include <bit>
#include <utility>

#include "base/error.hpp"

namespace gausscse {

namespace {

// Numbers of fields and types in onnx.proto3.
namespace model_proto {
constexpr int ir_version = 1, producer_name = 2, graph = 7, operator_set = 8, metadata = 14;
}
namespace graph_proto {
constexpr int node = 1, name = 2, initializer = 5, input = 11, output = 12;
}
namespace node_proto {
constexpr int input = 1, output = 2, name = 3, operation = 4, attribute = 5;
}
namespace attribute_proto {
constexpr int name = 1, number = 2, integer = 3, integers = 8, type = 20;
constexpr std::int64_t type_float = 1, type_integer = 2, type_integers = 7;
}  // namespace attribute_proto
namespace tensor_proto {
constexpr int dimension = 1, type = 2, name = 8, raw_data = 9;
constexpr std::int64_t type_float = 1, type_int64 = 7;
}  // namespace tensor_proto

constexpr std::int64_t ir_version = 8, operator_set = 17;
constexpr std::uint64_t most_bytes = 0x7fffffff;

static_assert(std::endian::native == std::endian::little, "values are written as they lie in memory");

template <typename Value>
std::string_view bytes_of_values(std::span<const Value> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

/// Returns a ValueInfoProto.
ProtobufMessage value_info(const std::string& name, std::int64_t type, const std::vector<OnnxDimension>& shape) {
  ProtobufMessage dimensions, tensor, of_value;
  for (const OnnxDimension& extent : shape) {
    ProtobufMessage dimension;
    if (extent.name.empty())
      dimension.add(1, extent.size);
    else
      dimension.add(2, std::string_view(extent.name));
    dimensions.add(1, dimension);
  }
  tensor.add(1, type).add(2, dimensions);
  of_value.add(1, tensor);
  ProtobufMessage info;
  info.add(1, std::string_view(name)).add(2, of_value);
  return info;
}

/// Returns a TensorProto up to its data.
ProtobufMessage tensor_without_data(const std::string& name, std::int64_t type,
                                    const std::vector<std::int64_t>& shape) {
  ProtobufMessage tensor;
  for (const std::int64_t extent : shape) tensor.add(tensor_proto::dimension, extent);
  tensor.add(tensor_proto::type, type).add(tensor_proto::name, std::string_view(name));
  return tensor;
}

ProtobufMessage attribute_named(const std::string& name, std::int64_t type) {
  ProtobufMessage attribute;
  attribute.add(attribute_proto::name, std::string_view(name)).add(attribute_proto::type, type);
  return attribute;
}

}  // namespace

std::string OnnxGraph::new_name(const std::string& of) {
  return concat(of, "_", names_++);
}

std::string OnnxGraph::input(const std::string& name, const std::vector<OnnxDimension>& shape) {
  inputs_.add(graph_proto::input, value_info(name, tensor_proto::type_int64, shape));
  return name;
}

void OnnxGraph::output(const std::string& value, const std::string& name, const std::vector<OnnxDimension>& shape) {
  ProtobufMessage identity;
  identity.add(node_proto::input, std::string_view(value))
      .add(node_proto::output, std::string_view(name))
      .add(node_proto::name, std::string_view(name))
      .add(node_proto::operation, std::string_view("Identity"));
  nodes_.add(graph_proto::node, identity);
  outputs_.add(graph_proto::output, value_info(name, tensor_proto::type_float, shape));
}

std::string OnnxGraph::weights(const std::string& name, const std::vector<std::int64_t>& shape,
                               std::span<const float> values) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  GAUSSCSE_CHECK(count == static_cast<std::int64_t>(values.size()), name, ": ", values.size(), " values");
  weights_.push_back({name, shape, values});
  return name;
}

std::string OnnxGraph::constant(const std::vector<std::int64_t>& shape, std::vector<float> values) {
  kept_.push_back(std::move(values));
  return weights(new_name("constant"), shape, kept_.back());
}

std::string OnnxGraph::integers(const std::vector<std::int64_t>& values) {
  const std::string name = new_name("integers");
  ProtobufMessage tensor =
      tensor_without_data(name, tensor_proto::type_int64, {static_cast<std::int64_t>(values.size())});
  tensor.add(tensor_proto::raw_data, bytes_of_values(std::span<const std::int64_t>(values)));
  integers_.add(graph_proto::initializer, tensor);
  return name;
}

std::string OnnxGraph::integer(std::int64_t value) {
  const std::string name = new_name("integer");
  ProtobufMessage tensor = tensor_without_data(name, tensor_proto::type_int64, {});
  tensor.add(tensor_proto::raw_data, bytes_of_values(std::span<const std::int64_t>(&value, 1)));
  integers_.add(graph_proto::initializer, tensor);
  return name;
}

std::string OnnxGraph::node(const std::string& operation, const std::vector<std::string>& inputs,
                            const OnnxAttributes& attributes) {
  const std::string name = new_name(operation);
  ProtobufMessage node;
  for (const std::string& value : inputs) node.add(node_proto::input, std::string_view(value));
  node.add(node_proto::output, std::string_view(name))
      .add(node_proto::name, std::string_view(name))
      .add(node_proto::operation, std::string_view(operation));
  for (const auto& [key, value] : attributes.integers)
    node.add(node_proto::attribute,
             attribute_named(key, attribute_proto::type_integer).add(attribute_proto::integer, value));
  for (const auto& [key, value] : attributes.floats)
    node.add(node_proto::attribute,
             attribute_named(key, attribute_proto::type_float).add(attribute_proto::number, value));
  for (const auto& [key, values] : attributes.lists) {
    ProtobufMessage attribute = attribute_named(key, attribute_proto::type_integers);
    for (const std::int64_t value : values) attribute.add(attribute_proto::integers, value);
    node.add(node_proto::attribute, attribute);
  }
  nodes_.add(graph_proto::node, node);
  return name;
}

OnnxImage::OnnxImage(const OnnxGraph& graph, const std::map<std::string, std::string>& properties) {
  // The lengths of messages stand before them, so the graph is gathered first.
  std::uint64_t graph_bytes = 0;
  std::vector<std::string_view> of_graph;
  const auto add = [&](std::string_view bytes) {
    of_graph.push_back(bytes);
    graph_bytes += bytes.size();
  };
  texts_.push_back(ProtobufMessage().add(graph_proto::name, std::string_view("sentence_encoder")).bytes());
  add(texts_.back());
  add(graph.nodes_.bytes());
  add(graph.inputs_.bytes());
  add(graph.outputs_.bytes());
  add(graph.integers_.bytes());
  for (const OnnxGraph::Weights& weights : graph.weights_) {
    ProtobufMessage tensor = tensor_without_data(weights.name, tensor_proto::type_float, weights.shape);
    tensor.add_beginning(tensor_proto::raw_data, weights.values.size_bytes());
    texts_.push_back(ProtobufMessage()
                         .add_beginning(graph_proto::initializer, tensor.bytes().size() + weights.values.size_bytes())
                         .bytes() +
                     tensor.bytes());
    add(texts_.back());
    add(bytes_of_values(weights.values));
  }
  ProtobufMessage head;
  head.add(model_proto::ir_version, ir_version).add(model_proto::producer_name, std::string_view("gausscse"));
  head.add(model_proto::operator_set, ProtobufMessage().add(1, std::string_view()).add(2, operator_set));
  for (const auto& [key, value] : properties)
    head.add(model_proto::metadata, ProtobufMessage().add(1, std::string_view(key)).add(2, std::string_view(value)));
  head.add_beginning(model_proto::graph, graph_bytes);
  texts_.push_back(head.bytes());
  if (texts_.back().size() + graph_bytes > most_bytes)
    throw InputError(
        concat("the model takes ", texts_.back().size() + graph_bytes,
               " bytes as ONNX, and a file of protobuf holds 2 GiB: export it --as sentence-transformers"));
  parts_.push_back(texts_.back());
  parts_.insert(parts_.end(), of_graph.begin(), of_graph.end());
}

}  // namespace gausscse
