#include <nlohmann/json.hpp>

#include "model/folder/model_folder.hpp"
#include "model/folder/model_folder_reader.hpp"
#include "model/weights/dtype.hpp"
#include "model/weights/safetensors.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json json_of(const fs::path& file) {
  return json::parse(read_whole_file(file, 1 << 20));
}

/// Folders that tests/golden/compare_sentence_transformers.py compares with the library, by value.
class SavedForSentenceTransformers : public testing::Test {
 protected:
  fs::path save(PoolingKind pooling, HeadSettings head, const SentenceTransformersSettings& form = {},
                EncoderConfig::Architecture architecture = EncoderConfig::Architecture::bert) {
    SentenceEncoderSettings settings = small_settings(architecture, at::kFloat);
    settings.pooling = pooling;
    settings.head = head;
    encoder_ = std::make_unique<SentenceEncoder>(settings);
    randomize(encoder_->parameters(), 1);
    ModelProperties properties;
    properties.max_tokens = 17;
    properties.state = "best";
    if (head.kind != HeadKind::gaussian) properties.similarity = Similarity::cosine;
    write_bytes(folder_ / "vocab.txt", "[PAD]\n");
    fs::remove_all(folder_ / "model");
    save_model(folder_ / "model", *encoder_, properties, {folder_ / "vocab.txt"}, "card\n", form);
    return folder_ / "model";
  }

  void expect_dense(const fs::path& dense, const std::string& layer, const std::string& activation,
                    const std::string& output) {
    const json config = json_of(dense / "config.json");
    EXPECT_EQ(config, json({{"in_features", 24},
                            {"out_features", 24},
                            {"bias", true},
                            {"activation_function", activation},
                            {"module_input_name", "sentence_embedding"},
                            {"module_output_name", output}}));
    const SafetensorsFile file = SafetensorsFile::open(dense / "model.safetensors");
    ASSERT_EQ(file.tensors().size(), 2u);
    EXPECT_EQ(file.metadata(), (std::map<std::string, std::string>{{"format", "pt"}}));
    for (const std::string part : {"weight", "bias"}) {
      const TensorEntry* tensor = file.find("linear." + part);
      ASSERT_NE(tensor, nullptr) << part;
      const at::Tensor expected = encoder_->parameters().value(concat("head.", layer, ".", part));
      EXPECT_EQ(at::IntArrayRef(tensor->shape), expected.sizes());
      std::vector<float> values(static_cast<std::size_t>(expected.numel()));
      copy_to_float32(*tensor, values);
      EXPECT_TRUE(std::equal(values.begin(), values.end(), expected.const_data_ptr<float>())) << part;
    }
  }

  const SentenceTransformersSettings both_{.modules = GaussianModules::mean_and_log_var};
  TemporaryFolder folder_;
  std::unique_ptr<SentenceEncoder> encoder_;
};

TEST_F(SavedForSentenceTransformers, HasItsModules) {
  for (const auto& [pooling, key] : std::map<PoolingKind, std::string>{{PoolingKind::first_token, "cls_token"},
                                                                       {PoolingKind::mean, "mean_tokens"},
                                                                       {PoolingKind::max, "max_tokens"}}) {
    const fs::path model = save(pooling, {HeadKind::gaussian, MeanLayer::tanh}, both_);
    const json modules = json_of(model / "modules.json");
    const std::vector<std::pair<std::string, std::string>> expected{
        {"Transformer", ""}, {"Pooling", "1_Pooling"}, {"Dense", "2_LogVariance"}, {"Dense", "3_Mean"}};
    ASSERT_EQ(modules.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(modules[i]["idx"], i);
      EXPECT_EQ(modules[i]["name"], std::to_string(i));
      EXPECT_EQ(modules[i]["type"], "sentence_transformers.models." + expected[i].first);
      EXPECT_EQ(modules[i]["path"], expected[i].second);
    }
    EXPECT_EQ(json_of(model / "sentence_bert_config.json"),
              json({{"max_seq_length", 17}, {"do_lower_case", false}, {"model_args", {{"add_pooling_layer", false}}}}));
    const json config = json_of(model / "1_Pooling/config.json");
    EXPECT_EQ(config["word_embedding_dimension"], 24);
    for (const std::string other : {"cls_token", "mean_tokens", "max_tokens"})
      EXPECT_EQ(config["pooling_mode_" + other], other == key) << other;
    expect_dense(model / "2_LogVariance", "log_var", "torch.nn.modules.linear.Identity", "log_variance");
    expect_dense(model / "3_Mean", "mean", "torch.nn.modules.activation.Tanh", "sentence_embedding");
  }
}

TEST_F(SavedForSentenceTransformers, LinearMeansHaveNoActivation) {
  for (const auto& [form, path] : {std::pair{both_, "3_Mean"}, std::pair{SentenceTransformersSettings{}, "2_Mean"}})
    expect_dense(save(PoolingKind::mean, {HeadKind::gaussian, MeanLayer::linear}, form) / path, "mean",
                 "torch.nn.modules.linear.Identity", "sentence_embedding");
}

TEST_F(SavedForSentenceTransformers, AnMlpIsOneDenseAndNoHeadNone) {
  for (const HeadKind head : {HeadKind::mlp_tanh, HeadKind::none}) {
    const fs::path model = save(PoolingKind::mean, {head});
    std::vector<std::string> paths;
    for (const json& module : json_of(model / "modules.json")) paths.push_back(module["path"]);
    std::vector<std::string> expected{"", "1_Pooling"};
    if (head == HeadKind::mlp_tanh) {
      expected.push_back("2_Dense");
      expect_dense(model / "2_Dense", "mlp", "torch.nn.modules.activation.Tanh", "sentence_embedding");
    }
    EXPECT_EQ(paths, expected);
    for (const char* other : {"2_LogVariance", "2_Mean", "3_Mean"}) EXPECT_FALSE(fs::exists(model / other)) << other;
  }
}

TEST_F(SavedForSentenceTransformers, IsLeftOutWhereItHasNoSuchPooling) {
  const fs::path model = save(PoolingKind::mean_without_first, {HeadKind::gaussian, MeanLayer::tanh});
  EXPECT_FALSE(fs::exists(model / "modules.json"));
  EXPECT_EQ(open_model(model, std::nullopt).encoder->settings().pooling, PoolingKind::mean_without_first);
}

/// Returns a server's vector for a pooled one. It applies each Dense module to the output of the one before, regardless
/// of the names that the modules give their inputs and outputs.
std::vector<double> stacked_dense(const fs::path& model, std::vector<double> values) {
  for (const json& module : json_of(model / "modules.json")) {
    if (module["type"] != "sentence_transformers.models.Dense") continue;
    const fs::path folder = model / module["path"].get<std::string>();
    const SafetensorsFile file = SafetensorsFile::open(folder / "model.safetensors");
    const std::size_t inputs = values.size();
    std::vector<float> weight(inputs * inputs), bias(inputs);
    copy_to_float32(*file.find("linear.weight"), weight);
    copy_to_float32(*file.find("linear.bias"), bias);
    std::vector<double> outputs(bias.begin(), bias.end());
    for (std::size_t i = 0; i < inputs; ++i)
      for (std::size_t k = 0; k < inputs; ++k) outputs[i] += static_cast<double>(weight[i * inputs + k]) * values[k];
    if (json_of(folder / "config.json")["activation_function"] == "torch.nn.modules.activation.Tanh")
      for (double& value : outputs) value = std::tanh(value);
    values = outputs;
  }
  return values;
}

/// The model's own embedding of some tokens is compared with the stacked modules over its pooled vector.
TEST_F(SavedForSentenceTransformers, StackedModulesGiveTheMeanUnlessBothAreAskedFor) {
  const HeadSettings gaussian{HeadKind::gaussian, MeanLayer::tanh};
  const std::vector<std::uint32_t> ids{2, 7, 5, 3}, offsets{0, 4};
  for (const bool both : {false, true}) {
    const fs::path model = save(PoolingKind::mean, gaussian, both ? both_ : SentenceTransformersSettings{});
    const SavedModel opened = open_model(model, Precision::full);
    EXPECT_TRUE(opened.encoder->parameters().values().equal(encoder_->parameters().values()))
        << "the log-variance is there in both forms";
    SentenceEncoderSettings settings = opened.encoder->settings();
    settings.head = {HeadKind::none};
    SentenceEncoder pooled(settings);
    load_encoder_weights(model, pooled);
    const auto embed = [&](SentenceEncoder& encoder) {
      const at::Tensor row =
          encoder.forward(pack_sentences(ids, offsets, {}, encoder.position_offset()), nullptr, nullptr);
      return std::vector<double>(row.const_data_ptr<float>(), row.const_data_ptr<float>() + row.numel());
    };
    const std::vector<double> own = embed(*opened.encoder), served = stacked_dense(model, embed(pooled));
    ASSERT_EQ(own.size(), 2 * served.size());
    double largest = 0;
    for (std::size_t i = 0; i < served.size(); ++i) largest = std::max(largest, std::abs(served[i] - own[i]));
    if (both)
      EXPECT_GT(largest, 1e-2) << "else this shows nothing";
    else
      EXPECT_LT(largest, 1e-5);
  }
}

TEST_F(SavedForSentenceTransformers, SaysThatSentencesAreLowered) {
  for (const PoolingKind pooling : {PoolingKind::mean, PoolingKind::mean_without_first}) {
    const fs::path model = save(pooling, {HeadKind::gaussian, MeanLayer::tanh}, {.lowers_sentences = true});
    EXPECT_EQ(json_of(model / "sentence_bert_config.json"),
              json({{"max_seq_length", 17}, {"do_lower_case", true}, {"model_args", {{"add_pooling_layer", false}}}}));
  }
}

/// Classes of transformers with a pooler take the argument; DistilBERT's, which has none, would refuse it. This program
/// reads the file without a warning.
TEST_F(SavedForSentenceTransformers, AsksForNoPooler) {
  using enum EncoderConfig::Architecture;
  for (const auto& [architecture, is_asked] : std::map<EncoderConfig::Architecture, bool>{
           {bert, true}, {roberta, true}, {xlm_roberta, true}, {mpnet, true}, {distilbert, false}}) {
    const fs::path model = save(PoolingKind::mean, {HeadKind::gaussian, MeanLayer::tanh}, {}, architecture);
    const json config = json_of(model / "sentence_bert_config.json");
    EXPECT_EQ(config.contains("model_args"), is_asked);
    if (is_asked) {
      EXPECT_EQ(config["model_args"], json({{"add_pooling_layer", false}}));
    }
    EXPECT_EQ(read_model_folder(model, FolderPart::sentence_vectors).warnings, std::vector<std::string>{});
  }
}

/// One bit of one file decides about the results of other programs. Weights are compared where they are read.
TEST_F(SavedForSentenceTransformers, EveryFileIsComparedWithTheMark) {
  const fs::path model =
      save(PoolingKind::mean, {HeadKind::gaussian, MeanLayer::tanh}, {GaussianModules::mean_and_log_var, true});
  const auto expect_named = [&](const std::string& name, const std::string& problem) {
    const std::string start = (model / name).string() + ": " + problem;
    EXPECT_TRUE(says(refusal_of([&] { load_encoder_weights(model, *encoder_); }), start)) << name;
    EXPECT_NE(refusal_of([&] { open_model(model, std::nullopt); }), "accepted") << name;
    if (name.ends_with(".safetensors")) return;
    for (const FolderPart part : {FolderPart::encoder, FolderPart::sentence_vectors})
      EXPECT_TRUE(says(refusal_of([&] { read_model_folder(model, part); }), start)) << name;
  };
  std::vector<std::string> names;
  for (fs::recursive_directory_iterator entry(model), end; entry != end; ++entry)
    if (entry->is_regular_file()) names.push_back(entry->path().lexically_relative(model).generic_string());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names,
            (std::vector<std::string>{".gausscse", "1_Pooling/config.json", "2_LogVariance/config.json",
                                      "2_LogVariance/model.safetensors", "3_Mean/config.json",
                                      "3_Mean/model.safetensors", "README.md", "config.json", "gausscse.safetensors",
                                      "model.safetensors", "modules.json", "sentence_bert_config.json", "vocab.txt"}));
  for (const std::string& name : names) {
    if (name == ".gausscse" || name == "README.md") continue;
    const std::string bytes = read_whole_file(model / name, 1 << 20);
    std::string other = bytes;
    other.back() = static_cast<char>(other.back() ^ (name.ends_with(".json") ? '\n' ^ ' ' : 1));
    write_bytes(model / name, other);
    expect_named(name, "is not the file that was saved: its XXH3-128 is ");
    fs::remove(model / name);
    if (name != "config.json" && name != "model.safetensors") expect_named(name, "is missing");
    write_bytes(model / name, bytes);
  }
  EXPECT_EQ(refusal_of([&] { open_model(model, std::nullopt); }), "accepted");
}

}  // namespace
}  // namespace gausscse
