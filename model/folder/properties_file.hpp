#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/choices.hpp"
#include "model/hub/given_folder.hpp"
#include "model/sentence_encoder.hpp"
#include "model/weights/safetensors.hpp"

namespace gausscse {

/// The file of a saved model, open, that holds its head, the parameters of its training objective, and, in its
/// metadata, its properties. Tensors have the parameters' names, those of the head without their first part "head.":
///
///     mean.weight  mean.bias  log_var.weight  log_var.bias  objective.classifier.hidden.weight ...
class PropertiesFile {
 public:
  /// Key of the metadata whose value is the format, and that value.
  static constexpr const char* format_key = "gausscse";
  static constexpr const char* format = "gausscse-model/2";
  /// Value of the format where a Gaussian head scales its mean or has a hidden layer. Earlier versions refuse it.
  static constexpr const char* format_with_layers = "gausscse-model/3";

  /// Opens the one in a model's folder. Throws InputError where it is missing, damaged or of another format.
  explicit PropertiesFile(const std::filesystem::path& folder);

  const std::filesystem::path& path() const { return path_; }
  HeadSettings head() const;
  /// Returns the parameters of the training objective that the file holds; nothing here knows their right names.
  std::vector<ParameterSpec> objective_parameters() const;
  std::size_t tensors() const { return file_.tensors().size(); }

  /// Reads the tensor of the parameter with this index in the encoder's store. Throws InputError where it is missing,
  /// has another shape, or holds infinite or NaN values.
  void load(std::size_t parameter, SentenceEncoder& encoder) const;

  // Metadata, whose values are texts. Each function throws InputError, with the file, the key, the value and the
  // allowed values, where the key is missing or its value is something else.

  const std::map<std::string, std::string>& values() const { return file_.metadata(); }
  bool has(const std::string& key) const { return values().contains(key); }
  const std::string& text(const std::string& key) const;
  double number(const std::string& key) const;
  /// Returns a whole number from `least` to `most`.
  std::int64_t whole_number(const std::string& key, std::int64_t least, std::int64_t most) const;
  const std::string& one_of(const std::string& key, const std::vector<std::string>& known) const;
  bool truth(const std::string& key) const { return one_of(key, {"true", "false"}) == "true"; }

  template <typename Choice>
  Choice choice(const std::string& key) const {
    return parse_choice<Choice>(concat(path_.string(), ": metadata ", quoted(key)), text(key));
  }

 private:
  std::filesystem::path path_;
  SafetensorsFile file_;
};

/// Returns whether a parameter with this name is the head's, or the training objective's.
bool is_head_parameter(const std::string& parameter);
bool is_objective_parameter(const std::string& parameter);

/// Returns the name of a parameter in the files of a saved model.
std::string name_in_model_folder(const ParameterSpec& spec);

}  // namespace gausscse
