#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/onnx/protobuf.hpp"

namespace gausscse {

/// Dimension of an input or output: a number, or a name for one that is known when the model runs.
struct OnnxDimension {
  std::string name = {};
  std::int64_t size = 0;
};

/// Attributes of an operation: numbers, or lists of them, by name.
struct OnnxAttributes {
  std::map<std::string, std::int64_t> integers = {};
  std::map<std::string, float> floats = {};
  std::map<std::string, std::vector<std::int64_t>> lists = {};
};

/// Computation in the format of ONNX (operator set 17), while it is being built. A value has a name; functions that
/// compute one return its name.
///
///     OnnxGraph graph;
///     const std::string ids = graph.input("ids", {{"batch"}});
///     graph.output(graph.node("Gather", {graph.weights("table", {9, 2}, table), ids}), "rows", {{"batch"}, {"", 2}});
///     const OnnxImage image(graph, {});
class OnnxGraph {
 public:
  /// Adds an input of int64.
  std::string input(const std::string& name, const std::vector<OnnxDimension>& shape);
  /// Makes `value` an output of float32 called `name`.
  void output(const std::string& value, const std::string& name, const std::vector<OnnxDimension>& shape);

  /// Adds float32 values in the caller's memory, which must stay until the file is written.
  std::string weights(const std::string& name, const std::vector<std::int64_t>& shape, std::span<const float> values);
  /// Adds float32 values that the graph keeps.
  std::string constant(const std::vector<std::int64_t>& shape, std::vector<float> values);
  std::string constant(float value) { return constant({}, {value}); }
  /// Adds whole numbers: a vector, or a single one.
  std::string integers(const std::vector<std::int64_t>& values);
  std::string integer(std::int64_t value);

  /// Adds an operation with one result.
  std::string node(const std::string& operation, const std::vector<std::string>& inputs,
                   const OnnxAttributes& attributes = {});

 private:
  friend class OnnxImage;

  /// Values of float32 and their description.
  struct Weights {
    std::string name;
    std::vector<std::int64_t> shape;
    std::span<const float> values;
  };

  std::string new_name(const std::string& of);

  ProtobufMessage nodes_, inputs_, outputs_, integers_;
  std::vector<Weights> weights_;
  std::deque<std::vector<float>> kept_;
  std::size_t names_ = 0;
};

/// Bytes of an ONNX file. The weights are not copied: `write_file_atomically(path, image.parts())`.
class OnnxImage {
 public:
  /// `properties` are written as the model's metadata. Throws InputError for more than the 2 GiB that a message of
  /// protobuf holds. `graph` must outlive the object.
  OnnxImage(const OnnxGraph& graph, const std::map<std::string, std::string>& properties);
  OnnxImage(const OnnxImage&) = delete;
  OnnxImage& operator=(const OnnxImage&) = delete;

  std::span<const std::string_view> parts() const { return parts_; }

 private:
  std::deque<std::string> texts_;
  std::vector<std::string_view> parts_;
};

}  // namespace gausscse
