#include "model/folder/saved_properties.hpp"

#include <charconv>
#include <limits>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"
#include "model/hub/given_folder.hpp"
#include "model/weights/dtype.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view evaluation_prefix = "evaluation.";  // of settings in the metadata
constexpr std::size_t largest_calibration_file = std::size_t{64} << 20;

bool is_of_encoder(const std::string& parameter) {
  return !is_head_parameter(parameter) && !is_objective_parameter(parameter);
}

std::string shortest_text(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

void add_head(const HeadSettings& head, std::map<std::string, std::string>& metadata) {
  if (head.kind != HeadKind::gaussian) return;
  metadata.emplace("mean", name_of(head.mean));
  if (head.scale == MeanScale::none && head.log_var == LogVarLayer::linear) return;
  metadata[PropertiesFile::format_key] = PropertiesFile::format_with_layers;
  metadata.emplace("scale", name_of(head.scale));
  metadata.emplace("log_var", name_of(head.log_var));
  if (head.log_var == LogVarLayer::mlp) metadata.emplace("log_var_width", std::to_string(head.log_var_width));
}

}  // namespace

std::vector<TensorEntry> tensors_of(const ParameterStore& parameters, const at::Tensor& values, TensorsOf part) {
  std::vector<TensorEntry> tensors;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const ParameterSpec& spec = parameters.specs()[i];
    if (is_of_encoder(spec.name) != (part == TensorsOf::encoder)) continue;
    tensors.push_back(float32_tensor(
        name_in_model_folder(spec), spec.shape,
        {values.const_data_ptr<float>() + parameters.offset(i), static_cast<std::size_t>(parameters.count(i))}));
  }
  return tensors;
}

std::map<std::string, std::string> metadata_of(const SentenceEncoderSettings& settings,
                                               const ModelProperties& properties) {
  std::map<std::string, std::string> metadata = {{PropertiesFile::format_key, PropertiesFile::format},
                                                 {"head", std::string(name_of(settings.head.kind))},
                                                 {"precision", std::string(name_of(settings.precision))},
                                                 {"similarity", std::string(name_of(properties.similarity))},
                                                 {"trim", properties.trim ? "true" : "false"},
                                                 {"state", properties.state},
                                                 {"step", std::to_string(properties.step)}};
  if (settings.vectors) {
    metadata.emplace("backbone", "vectors");
    metadata.emplace("width", std::to_string(settings.encoder.hidden_size));
  } else {
    metadata.emplace("pooling", name_of(settings.pooling));
    metadata.emplace("max_tokens", std::to_string(properties.max_tokens));
  }
  add_head(settings.head, metadata);
  if (properties.classifier) metadata.emplace("classifier", name_of(*properties.classifier));
  if (properties.threshold) metadata.emplace("threshold", shortest_text(*properties.threshold));
  for (const auto& [name, value] : properties.evaluation) metadata.emplace(concat(evaluation_prefix, name), value);
  return metadata;
}

ModelProperties read_properties(const PropertiesFile& file, const fs::path& folder, const HeadSettings& head) {
  ModelProperties properties;
  properties.similarity = file.choice<Similarity>("similarity");
  if (is_gaussian(properties.similarity) && head.kind != HeadKind::gaussian)
    throw InputError(concat(file.path().string(), ": metadata \"similarity\" is ", quoted(file.text("similarity")),
                            ", which is of Gaussians, but \"head\" is ", quoted(file.text("head"))));
  if (file.has("classifier")) properties.classifier = file.choice<ClassifierActivation>("classifier");
  if (file.has("threshold")) properties.threshold = file.number("threshold");
  properties.trim = file.truth("trim");
  properties.state = file.one_of("state", {"best", "last"});
  properties.step = file.whole_number("step", 0, std::numeric_limits<std::int64_t>::max());
  for (const auto& [key, value] : file.values())
    if (key.starts_with(evaluation_prefix)) properties.evaluation.emplace(key.substr(evaluation_prefix.size()), value);
  if (fs::exists(folder / calibration_file))
    properties.calibration = read_whole_file(folder / calibration_file, largest_calibration_file);
  return properties;
}

void load_properties_tensors(const PropertiesFile& file, SentenceEncoder& encoder) {
  std::size_t expected = 0;
  for (std::size_t i = 0; i < encoder.parameters().size(); ++i) {
    if (is_of_encoder(encoder.parameters().specs()[i].name)) continue;
    ++expected;
    file.load(i, encoder);
  }
  if (file.tensors() != expected)
    throw InputError(
        concat(file.path().string(), ": holds ", file.tensors(), " tensors, its head and objective have ", expected));
}

}  // namespace gausscse
