#include "model/sentence_transformers_writer.hpp"

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

/// The key that is true in a pooling module's config.json.
constexpr std::pair<PoolingKind, const char*> pooling_keys[] = {{PoolingKind::first_token, "pooling_mode_cls_token"},
                                                                {PoolingKind::mean, "pooling_mode_mean_tokens"},
                                                                {PoolingKind::max, "pooling_mode_max_tokens"}};
/// One of the head's linear layers, as a module of class Dense.
struct DenseModule {
  std::string path, layer, activation, output;
};

constexpr const char* usual_output = "sentence_embedding";

/// Returns the modules of a head, in the order that they are to be computed in.
std::vector<DenseModule> dense_modules(const HeadSettings& head, GaussianModules modules) {
  const std::string identity = "torch.nn.modules.linear.Identity", tanh = "torch.nn.modules.activation.Tanh";
  const std::string of_mean = head.mean == MeanActivation::tanh ? tanh : identity;
  switch (head.kind) {
    case HeadKind::gaussian:
      if (modules == GaussianModules::mean) return {{"2_Mean", "mean", of_mean, usual_output}};
      // Both read the pooled vector, which the mean takes the place of: it comes last.
      return {{"2_LogVariance", "log_var", identity, "log_variance"}, {"3_Mean", "mean", of_mean, usual_output}};
    case HeadKind::mlp_tanh:
      return {{"2_Dense", "mlp", tanh, usual_output}};
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
                    {"module_input_name", usual_output},
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
  const std::vector<DenseModule> of_head = dense_modules(encoder.settings().head, settings.modules);
  for (const DenseModule& module : of_head) add_module("Dense", module.path);
  output.add_file("modules.json", modules.dump(2) + "\n");
  add_sentence_settings(output, settings, max_tokens);

  Json pooling{{"word_embedding_dimension", hidden}};
  for (const auto& [kind, key] : pooling_keys) pooling[key] = kind == encoder.settings().pooling;
  output.add_file("1_Pooling/config.json", pooling.dump(2) + "\n");
  for (const DenseModule& module : of_head) add_dense(output, encoder, module);
}

void add_sentence_settings(AtomicFolder& output, const SentenceTransformersSettings& settings,
                           std::int64_t max_tokens) {
  const Json config{{"max_seq_length", max_tokens}, {"do_lower_case", settings.lowers_sentences}};
  output.add_file("sentence_bert_config.json", config.dump(2) + "\n");
}

}  // namespace gausscse
