#include "model/folder/sentence_transformers_writer.hpp"

#include <ATen/TensorOperators.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "model/weights/encoder_family.hpp"
#include "model/weights/safetensors_writer.hpp"

namespace gausscse {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

/// The key that is true in a pooling module's config.json.
constexpr std::pair<PoolingKind, const char*> pooling_keys[] = {{PoolingKind::first_token, "pooling_mode_cls_token"},
                                                                {PoolingKind::mean, "pooling_mode_mean_tokens"},
                                                                {PoolingKind::max, "pooling_mode_max_tokens"}};
constexpr const char* usual_output = "sentence_embedding";

/// A module behind the pooling: one of the head's linear layers, of class Dense, or Normalize, which has no files.
struct HeadModule {
  std::string path;
  std::string layer = {};       ///< as in "mean" for head.mean.weight; empty: Normalize
  std::string activation = {};  ///< class of the activation of a Dense
  std::string input = usual_output, output = usual_output;
};

constexpr const char* identity = "torch.nn.modules.linear.Identity";
constexpr const char* tanh_module = "torch.nn.modules.activation.Tanh";

/// Returns the modules of a Gaussian head, in the order that they are computed in. All of the log-variance read the
/// input of those of the mean, whose output takes its place: they come first.
std::vector<HeadModule> gaussian_modules(const HeadSettings& head, GaussianModules modules) {
  std::vector<HeadModule> all;
  const auto path = [&](const char* name) { return concat(2 + all.size(), "_", name); };
  const bool scales = head.scale == MeanScale::unit;
  if (scales) all.push_back({path("Normalize")});
  if (modules == GaussianModules::mean_and_log_var) {
    std::string input = usual_output;
    if (head.log_var == LogVarLayer::mlp) {
      all.push_back({path("LogVarianceHidden"), "log_var.hidden", tanh_module, input, "log_variance_hidden"});
      input = all.back().output;
    }
    all.push_back({path("LogVariance"), "log_var", identity, input, "log_variance"});
  }
  if (head.mean == MeanLayer::identity) return all;
  all.push_back({path("Mean"), "mean", head.mean == MeanLayer::tanh ? tanh_module : identity});
  if (scales) all.push_back({path("Normalize")});
  return all;
}

std::vector<HeadModule> head_modules(const HeadSettings& head, GaussianModules modules) {
  switch (head.kind) {
    case HeadKind::gaussian:
      return gaussian_modules(head, modules);
    case HeadKind::mlp_tanh:
      return {{"2_Dense", "mlp", tanh_module}};
    case HeadKind::none:
      return {};
  }
  throw std::logic_error("no head of this number");
}

void add_dense(AtomicFolder& output, const SentenceEncoder& encoder, const HeadModule& module) {
  const ParameterStore& parameters = encoder.parameters();
  const std::vector<std::int64_t> shape =
      parameters.specs()[parameters.index_of("head." + module.layer + ".weight")].shape;
  // Normalize gives the length 1, where the head's own layers read the length sqrt(hidden).
  const bool reads_units = encoder.settings().head.scale == MeanScale::unit && module.input == usual_output;
  std::vector<TensorEntry> tensors;
  std::vector<at::Tensor> values;  // which the tensors point to
  for (const char* part : {"weight", "bias"}) {
    const std::size_t index = parameters.index_of("head." + module.layer + "." + part);
    values.push_back(parameters.values().narrow(0, parameters.offset(index), parameters.count(index)).cpu());
    if (reads_units && part == std::string_view("weight"))
      values.back() = values.back() * std::sqrt(static_cast<double>(shape[1]));
    tensors.push_back(
        float32_tensor(concat("linear.", part), parameters.specs()[index].shape,
                       {values.back().const_data_ptr<float>(), static_cast<std::size_t>(values.back().numel())}));
  }
  const SafetensorsImage weights(tensors, {{"format", "pt"}});
  const Json config{{"in_features", shape[1]},
                    {"out_features", shape[0]},
                    {"bias", true},
                    {"activation_function", module.activation},
                    {"module_input_name", module.input},
                    {"module_output_name", module.output}};
  output.add_file(fs::path(module.path) / "config.json", config.dump(2) + "\n");
  output.add_file(fs::path(module.path) / "model.safetensors", weights.parts());
}

}  // namespace

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

void add_sentence_transformers_files(AtomicFolder& output, const SentenceEncoder& encoder,
                                     const SentenceTransformersSettings& settings, std::int64_t max_tokens) {
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
  const std::vector<HeadModule> of_head = head_modules(encoder.settings().head, settings.modules);
  for (const HeadModule& module : of_head) add_module(module.layer.empty() ? "Normalize" : "Dense", module.path);
  output.add_file("modules.json", modules.dump(2) + "\n");
  add_sentence_settings(output, settings, max_tokens, encoder.settings().encoder.architecture);

  Json pooling{{"word_embedding_dimension", hidden}};
  for (const auto& [kind, key] : pooling_keys) pooling[key] = kind == encoder.settings().pooling;
  output.add_file("1_Pooling/config.json", pooling.dump(2) + "\n");
  for (const HeadModule& module : of_head)
    if (!module.layer.empty()) add_dense(output, encoder, module);
}

void add_sentence_settings(AtomicFolder& output, const SentenceTransformersSettings& settings, std::int64_t max_tokens,
                           EncoderConfig::Architecture architecture) {
  Json config{{"max_seq_length", max_tokens}, {"do_lower_case", settings.lowers_sentences}};
  // `transformers` would draw the pooler's weights, and report that they are missing.
  if (family_of(architecture).has_pooler) config["model_args"] = {{"add_pooling_layer", false}};
  output.add_file("sentence_bert_config.json", config.dump(2) + "\n");
}

}  // namespace gausscse
