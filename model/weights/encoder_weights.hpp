#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "model/weights/encoder_config.hpp"
#include "model/weights/tensor_files.hpp"

namespace gausscse {

/// One parameter of an encoder.
struct ParameterSpec {
  std::string name;                 ///< BERT's of Hugging Face, without prefix: "encoder.layer.0.output.dense.weight"
  std::vector<std::int64_t> shape;  ///< a weight is [outputs, inputs]
  std::string file_name = {};       ///< in a model's weights; empty: `name`

  const std::string& name_in_file() const { return file_name.empty() ? name : file_name; }

  std::size_t size() const;  ///< number of values
};

/// Returns all parameters of an encoder, without pooler, in the order in which they lie in memory: embeddings, then
/// each layer. A layer has the three weights and then the three biases of query, key and value next to each other, so
/// that each three are one matrix and one vector, and so the two weights of a gated part. Parameters that all layers
/// share stand among the embeddings.
std::vector<ParameterSpec> encoder_parameters(const EncoderConfig& config);

/// The weights of an encoder in a Hugging Face folder, matched to `encoder_parameters`. Names are those of the
/// encoder's family, may have its prefix (`bert.`, `roberta.`), may be the old ones (`gamma`, `beta`), and may all
/// stand behind one prefix of a wrapper (`module.`, `0.auto_model.`).
class EncoderCheckpoint {
 public:
  /// Throws InputError as TensorFiles::open, and where tensors are missing, left over, of another shape than `config`
  /// says, or not floating point; the message names up to ten of them. Poolers, language-model and classifier heads and
  /// stored position ids are not left over: they are dropped.
  static EncoderCheckpoint open(const std::filesystem::path& folder, const EncoderConfig& config);

  /// Reads the values of parameter `parameter_index` of `encoder_parameters`, as float32. `values` must have its size.
  /// Throws InputError, naming the tensor, where one is infinite or NaN.
  void load(std::size_t parameter_index, std::span<float> values) const;

  /// Names, as in the file, of the tensors that the encoder has no use for.
  const std::vector<std::string>& dropped() const { return dropped_; }

  /// Returns the prefix of a wrapper that all names have in the file; empty where there is none.
  const std::string& wrapper() const { return wrapper_; }

 private:
  explicit EncoderCheckpoint(TensorFiles files) : files_(std::move(files)) {}

  TensorFiles files_;
  std::vector<const TensorEntry*> entries_;  ///< by parameter
  std::vector<std::string> dropped_;
  std::string wrapper_;
};

}  // namespace gausscse
