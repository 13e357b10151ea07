#include "model/sentence_transformers_folder.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "model/weights/safetensors_writer.hpp"

namespace gausscse {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* modules_file = "modules.json";

/// The key that is true in a pooling module's config.json.
constexpr std::pair<PoolingKind, const char*> pooling_keys[] = {{PoolingKind::first_token, "pooling_mode_cls_token"},
                                                                {PoolingKind::mean, "pooling_mode_mean_tokens"},
                                                                {PoolingKind::max, "pooling_mode_max_tokens"}};
/// The words of its newer form.
constexpr std::pair<PoolingKind, const char*> pooling_words[] = {
    {PoolingKind::first_token, "cls"}, {PoolingKind::mean, "mean"}, {PoolingKind::max, "max"}};

struct Module {
  std::string type, path;
};

/// "Pooling" of "sentence_transformers.models.Pooling".
std::string class_of(const std::string& type) {
  return type.substr(type.rfind('.') + 1);
}

std::vector<Module> read_modules(const fs::path& file) {
  const JsonDocument document = read_strict_json(file);
  const nlohmann::json& modules = document;
  std::vector<Module> read;
  if (modules.is_array()) {
    for (const nlohmann::json& module : modules) {
      const auto type = module.find("type"), path = module.find("path");
      if (!module.is_object() || type == module.end() || !type->is_string() || path == module.end() ||
          !path->is_string())
        break;
      read.push_back({type->get<std::string>(), path->get<std::string>()});
    }
  }
  if (read.empty() || read.size() != modules.size())
    throw InputError(concat(file.string(), ": is not a list of modules, each with the texts \"type\" and \"path\""));
  return read;
}

PoolingKind read_pooling(const fs::path& file) {
  const JsonDocument document = read_strict_json(file);
  const nlohmann::json& config = document;
  std::vector<PoolingKind> found;
  if (config.is_object()) {
    const auto mode = config.find("pooling_mode");
    for (const auto& [kind, word] : pooling_words)
      if (mode != config.end() && mode->is_string() && *mode == word) found.push_back(kind);
    for (const auto& [key, value] : config.items()) {
      if (mode != config.end() || !key.starts_with("pooling_mode_") || !value.is_boolean() || !value.get<bool>())
        continue;
      const std::size_t before = found.size();
      for (const auto& [kind, name] : pooling_keys)
        if (key == name) found.push_back(kind);
      if (found.size() == before)
        throw InputError(concat(file.string(), ": ", quoted(key), " is a pooling that this program does not have: ",
                                "it has the first token, the mean and the maximum"));
    }
  }
  if (found.size() != 1)
    throw InputError(concat(file.string(), ": names ", found.empty() ? "no pooling" : "several kinds of pooling",
                            " of first token, mean and maximum, but one is needed"));
  return found.front();
}

/// One of the head's linear layers, as a module of class Dense.
struct DenseModule {
  std::string path, layer, activation, output;
};

/// Those of a head, in the order that they are to be computed in.
std::vector<DenseModule> dense_modules(const HeadSettings& head) {
  const std::string identity = "torch.nn.modules.linear.Identity", tanh = "torch.nn.modules.activation.Tanh";
  switch (head.kind) {
    case HeadKind::gaussian:
      // Both read the pooled vector, which the mean takes the place of: it comes last.
      return {{"2_LogVariance", "log_var", identity, "log_variance"},
              {"3_Mean", "mean", head.mean == MeanActivation::tanh ? tanh : identity, "sentence_embedding"}};
    case HeadKind::mlp_tanh:
      return {{"2_Dense", "mlp", tanh, "sentence_embedding"}};
    case HeadKind::none:
      return {};
  }
  throw std::logic_error("no head of this number");
}

void add_dense(AtomicFolder& output, const SentenceEncoder& encoder, const DenseModule& module) {
  const ParameterStore& parameters = encoder.parameters();
  std::vector<TensorEntry> tensors;
  std::vector<at::Tensor> values;  // which the tensors point to
  for (const char* part : {"weight", "bias"}) {
    const std::size_t index = parameters.index_of("head." + module.layer + "." + part);
    values.push_back(parameters.values().narrow(0, parameters.offset(index), parameters.count(index)).cpu());
    tensors.push_back(
        float32_tensor(concat("linear.", part), parameters.specs()[index].shape,
                       {values.back().const_data_ptr<float>(), static_cast<std::size_t>(values.back().numel())}));
  }
  const SafetensorsImage weights(tensors, {{"format", "pt"}});
  const std::int64_t hidden = encoder.settings().encoder.hidden_size;
  const Json config{{"in_features", hidden},
                    {"out_features", hidden},
                    {"bias", true},
                    {"activation_function", module.activation},
                    {"module_input_name", "sentence_embedding"},
                    {"module_output_name", module.output}};
  output.add_file(fs::path(module.path) / "config.json", config.dump(2) + "\n");
  output.add_file(fs::path(module.path) / "model.safetensors", weights.parts());
}

}  // namespace

std::optional<SentenceTransformersFolder> read_sentence_transformers_folder(const fs::path& folder) {
  const fs::path file = folder / modules_file;
  if (!fs::exists(file)) return std::nullopt;
  std::vector<Module> modules = read_modules(file);
  if (modules.size() > 2 && class_of(modules.back().type) == "Normalize") modules.pop_back();
  for (const Module& module : modules)
    if (class_of(module.type) != "Transformer" && class_of(module.type) != "Pooling")
      throw InputError(concat(file.string(), ": the module ", quoted(module.type),
                              " is not one that this program computes: Transformer, Pooling and Normalize"));
  if (modules.size() != 2 || class_of(modules[0].type) != "Transformer" || class_of(modules[1].type) != "Pooling")
    throw InputError(concat(file.string(), ": is not a Transformer, then a Pooling"));
  return SentenceTransformersFolder{folder / modules[0].path, read_pooling(folder / modules[1].path / "config.json")};
}

fs::path transformer_folder(const fs::path& folder) {
  const fs::path file = folder / modules_file;
  if (fs::exists(folder / "config.json") || !fs::exists(file)) return folder;
  for (const Module& module : read_modules(file))
    if (class_of(module.type) == "Transformer") return folder / module.path;
  throw InputError(concat(file.string(), ": has no module Transformer, whose weights a training could start from"));
}

bool opens_in_sentence_transformers(PoolingKind pooling) {
  switch (pooling) {
    case PoolingKind::first_token:
    case PoolingKind::mean:
    case PoolingKind::max:
      return true;
    case PoolingKind::mean_without_first:
      return false;
  }
  throw std::logic_error("no pooling of this number");
}

void add_sentence_transformers_files(AtomicFolder& output, const SentenceEncoder& encoder, std::int64_t max_tokens) {
  const std::int64_t hidden = encoder.settings().encoder.hidden_size;
  Json modules = Json::array();
  const auto add_module = [&](const char* type, const std::string& path) {
    modules.push_back({{"idx", modules.size()},
                       {"name", std::to_string(modules.size())},
                       {"path", path},
                       {"type", concat("sentence_transformers.models.", type)}});
  };
  add_module("Transformer", "");
  add_module("Pooling", "1_Pooling");
  const std::vector<DenseModule> of_head = dense_modules(encoder.settings().head);
  for (const DenseModule& module : of_head) add_module("Dense", module.path);
  output.add_file(modules_file, modules.dump(2) + "\n");
  output.add_file("sentence_bert_config.json",
                  Json{{"max_seq_length", max_tokens}, {"do_lower_case", false}}.dump(2) + "\n");

  Json pooling{{"word_embedding_dimension", hidden}};
  for (const auto& [kind, key] : pooling_keys) pooling[key] = kind == encoder.settings().pooling;
  output.add_file("1_Pooling/config.json", pooling.dump(2) + "\n");
  for (const DenseModule& module : of_head) add_dense(output, encoder, module);
}

}  // namespace gausscse
