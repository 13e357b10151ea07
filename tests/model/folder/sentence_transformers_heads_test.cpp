#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/tensor.h>

#include <nlohmann/json.hpp>

#include "model/folder/model_folder.hpp"
#include "model/weights/dtype.hpp"
#include "model/weights/safetensors.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Features = std::map<std::string, at::Tensor>;

json json_in(const fs::path& file) {
  return json::parse(read_whole_file(file, 1 << 20));
}

at::Tensor tensor_of(const SafetensorsFile& file, const char* name) {
  const TensorEntry* entry = file.find(name);
  EXPECT_TRUE(entry) << name;
  const std::int64_t rows = entry->shape[0], columns = entry->shape.size() == 2 ? entry->shape[1] : 1;
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  copy_to_float32(*entry, values);
  return at::tensor(values, at::kDouble).view(at::IntArrayRef(entry->shape));
}

/// Returns the features that sentence-transformers 6.2 computes from pooled vectors: Dense reads and writes the
/// features that its config.json names, Normalize scales sentence_embedding to the length 1.
Features computed(const fs::path& model, const at::Tensor& pooled) {
  Features features{{"sentence_embedding", pooled}};
  for (const json& module : json_in(model / "modules.json")) {
    const std::string type = module["type"];
    if (type == "sentence_transformers.models.Normalize") {
      at::Tensor& rows = features.at("sentence_embedding");
      rows = rows / rows.square().sum({1}, true).sqrt().clamp_min(1e-12);
    }
    if (type != "sentence_transformers.models.Dense") continue;
    const fs::path folder = model / module["path"].get<std::string>();
    const json config = json_in(folder / "config.json");
    const SafetensorsFile file = SafetensorsFile::open(folder / "model.safetensors");
    const at::Tensor weight = tensor_of(file, "linear.weight");
    EXPECT_EQ(config["in_features"], weight.size(1));
    EXPECT_EQ(config["out_features"], weight.size(0));
    const at::Tensor rows =
        at::linear(features.at(config["module_input_name"]), weight, tensor_of(file, "linear.bias"));
    const bool is_tanh = config["activation_function"] == "torch.nn.modules.activation.Tanh";
    features[config["module_output_name"]] = is_tanh ? rows.tanh() : rows;
  }
  return features;
}

std::vector<HeadSettings> gaussian_heads() {
  std::vector<HeadSettings> heads;
  for (const auto& [mean, word] : names<MeanLayer>)
    for (const auto& [scale, of_scale] : names<MeanScale>)
      for (const auto& [log_var, of_log_var] : names<LogVarLayer>)
        heads.push_back({HeadKind::gaussian, mean, scale, log_var, 7});
  return heads;
}

/// Saved models with every Gaussian head, in both forms.
class SentenceTransformersHeads : public testing::Test {
 protected:
  void save(const HeadSettings& head, GaussianModules modules) {
    SentenceEncoderSettings settings = small_settings(EncoderConfig::Architecture::bert, at::kFloat);
    settings.pooling = PoolingKind::mean;
    settings.head = head;
    SentenceEncoder encoder(settings);
    randomize(encoder.parameters(), 1);
    ModelProperties properties;
    properties.state = "best";
    properties.max_tokens = 17;
    write_bytes(folder_ / "vocab.txt", "[PAD]\n");
    fs::remove_all(model_);
    save_model(model_, encoder, properties, {folder_ / "vocab.txt"}, "card\n", {.modules = modules});
  }

  std::vector<std::pair<std::string, std::string>> modules() const {
    std::vector<std::pair<std::string, std::string>> found;
    for (const json& module : json_in(model_ / "modules.json"))
      found.emplace_back(module["type"].get<std::string>().substr(std::string("sentence_transformers.models.").size()),
                         module["path"]);
    return found;
  }

  const TemporaryFolder folder_;
  const fs::path model_ = folder_ / "model";
};

/// Means there have the length 1 where the head scales them, log-variances are the same.
TEST_F(SentenceTransformersHeads, GiveTheModelsMeansAndLogVariances) {
  const auto sentences = random_sentences(9, 3);
  for (const HeadSettings& head : gaussian_heads())
    for (const auto& [form, word] : names<GaussianModules>) {
      SCOPED_TRACE(concat(text_of(head), ", ", word));
      save(head, form);
      const SavedModel opened = open_model(model_, Precision::full);
      SentenceEncoder& encoder = *opened.encoder;
      const at::Tensor own =
          encoder.make_batch_embedder()->embed(encoder.pack(sentences.ids, sentences.offsets)).to(at::kDouble);
      PooledEmbedder pooled(encoder, PoolingKind::mean);
      EXPECT_EQ(pooled.width(), 24);
      const at::Tensor vectors = pooled.make_batch_embedder()->embed(pooled.pack(sentences.ids, sentences.offsets));
      const Features features = computed(model_, vectors.to(at::kDouble));
      const double length = head.scale == MeanScale::unit ? std::sqrt(24.0) : 1;
      EXPECT_LE((features.at("sentence_embedding") * length - own.narrow(1, 0, 24)).abs().max().item<double>(), 2e-5);
      ASSERT_EQ(features.contains("log_variance"), form == GaussianModules::mean_and_log_var);
      if (form == GaussianModules::mean_and_log_var) {
        EXPECT_LE((features.at("log_variance") - own.narrow(1, 24, 24)).abs().max().item<double>(), 2e-5);
      }
    }
}

TEST_F(SentenceTransformersHeads, HaveTheModulesOfTheirLayers) {
  using Modules = std::vector<std::pair<std::string, std::string>>;
  const auto expect = [&](const HeadSettings& head, GaussianModules form, Modules expected) {
    save(head, form);
    expected.insert(expected.begin(), {{"Transformer", ""}, {"Pooling", "1_Pooling"}});
    EXPECT_EQ(modules(), expected) << text_of(head);
  };
  const HeadSettings identity{HeadKind::gaussian, MeanLayer::identity};
  const HeadSettings scaled{HeadKind::gaussian, MeanLayer::identity, MeanScale::unit};
  const HeadSettings all{HeadKind::gaussian, MeanLayer::tanh, MeanScale::unit, LogVarLayer::mlp, 7};
  expect(identity, GaussianModules::mean, {});
  expect(identity, GaussianModules::mean_and_log_var, {{"Dense", "2_LogVariance"}});
  expect(scaled, GaussianModules::mean, {{"Normalize", "2_Normalize"}});
  expect(scaled, GaussianModules::mean_and_log_var, {{"Normalize", "2_Normalize"}, {"Dense", "3_LogVariance"}});
  expect(all, GaussianModules::mean, {{"Normalize", "2_Normalize"}, {"Dense", "3_Mean"}, {"Normalize", "4_Normalize"}});
  expect(all, GaussianModules::mean_and_log_var,
         {{"Normalize", "2_Normalize"},
          {"Dense", "3_LogVarianceHidden"},
          {"Dense", "4_LogVariance"},
          {"Dense", "5_Mean"},
          {"Normalize", "6_Normalize"}});
}

}  // namespace
}  // namespace gausscse
