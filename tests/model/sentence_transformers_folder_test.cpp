#include "model/sentence_transformers_folder.hpp"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "model/model_folder.hpp"
#include "model/weights/float_conversion.hpp"
#include "model/weights/safetensors.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing_support::refusal_of;
using testing_support::says;
using testing_support::TemporaryFolder;
using testing_support::write_bytes;

json json_of(const fs::path& file) {
  return json::parse(read_whole_file(file, 1 << 20));
}

/// What tests/golden/compare_sentence_transformers.py compares with the library, by value.
class SavedForSentenceTransformers : public testing::Test {
 protected:
  fs::path save(PoolingKind pooling, HeadSettings head) {
    SentenceEncoderSettings settings = testing_support::small_settings(EncoderConfig::Architecture::bert, at::kFloat);
    settings.pooling = pooling;
    settings.head = head;
    encoder_ = std::make_unique<SentenceEncoder>(settings);
    testing_support::randomize(encoder_->parameters(), 1);
    ModelProperties properties;
    properties.max_tokens = 17;
    properties.state = "best";
    if (head.kind != HeadKind::gaussian) properties.similarity = Similarity::cosine;
    write_bytes(folder_ / "vocab.txt", "[PAD]\n");
    fs::remove_all(folder_ / "model");
    save_model(folder_ / "model", *encoder_, properties, {folder_ / "vocab.txt"}, "card\n");
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
      const at::Tensor expected = encoder_->parameters().value("head." + layer + "." + part);
      EXPECT_EQ(at::IntArrayRef(tensor->shape), expected.sizes());
      std::vector<float> values(static_cast<std::size_t>(expected.numel()));
      copy_to_float32(*tensor, values);
      EXPECT_TRUE(std::equal(values.begin(), values.end(), expected.const_data_ptr<float>())) << part;
    }
  }

  TemporaryFolder folder_;
  std::unique_ptr<SentenceEncoder> encoder_;
};

TEST_F(SavedForSentenceTransformers, HasItsModules) {
  for (const auto& [pooling, key] : std::map<PoolingKind, std::string>{{PoolingKind::first_token, "cls_token"},
                                                                       {PoolingKind::mean, "mean_tokens"},
                                                                       {PoolingKind::max, "max_tokens"}}) {
    const fs::path model = save(pooling, {HeadKind::gaussian, MeanActivation::tanh});
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
    EXPECT_EQ(json_of(model / "sentence_bert_config.json"), json({{"max_seq_length", 17}, {"do_lower_case", false}}));
    const json config = json_of(model / "1_Pooling/config.json");
    EXPECT_EQ(config["word_embedding_dimension"], 24);
    for (const std::string other : {"cls_token", "mean_tokens", "max_tokens"})
      EXPECT_EQ(config["pooling_mode_" + other], other == key) << other;
    expect_dense(model / "2_LogVariance", "log_var", "torch.nn.modules.linear.Identity", "log_variance");
    expect_dense(model / "3_Mean", "mean", "torch.nn.modules.activation.Tanh", "sentence_embedding");
  }
}

TEST_F(SavedForSentenceTransformers, LinearMeansHaveNoActivation) {
  expect_dense(save(PoolingKind::mean, {HeadKind::gaussian, MeanActivation::linear}) / "3_Mean", "mean",
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
    for (const char* other : {"2_LogVariance", "3_Mean"}) EXPECT_FALSE(fs::exists(model / other)) << other;
  }
}

TEST_F(SavedForSentenceTransformers, IsLeftOutWhereItHasNoSuchPooling) {
  const fs::path model = save(PoolingKind::mean_without_first, {HeadKind::gaussian, MeanActivation::tanh});
  EXPECT_FALSE(fs::exists(model / "modules.json"));
  EXPECT_EQ(open_model(model, std::nullopt).encoder->settings().pooling, PoolingKind::mean_without_first);
}

class SentenceTransformersFolderTest : public testing::Test {
 protected:
  void write(const std::string& modules, const std::string& pooling) {
    fs::create_directories(folder_ / "1_Pooling");
    write_bytes(folder_ / "modules.json", modules);
    write_bytes(folder_ / "1_Pooling/config.json", pooling);
  }
  std::string refusal(const std::string& modules, const std::string& pooling) {
    write(modules, pooling);
    return refusal_of([&] { read_sentence_transformers_folder(folder_.path()); });
  }

  const std::string transformer_ =
      R"({"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"})";
  const std::string pooling_ =
      R"({"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"})";
  const std::string two_ = "[" + transformer_ + ", " + pooling_ + "]";
  const std::string mean_ = R"({"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false})";
  TemporaryFolder folder_;
};

TEST_F(SentenceTransformersFolderTest, TellsItsPooling) {
  EXPECT_FALSE(read_sentence_transformers_folder(folder_.path()).has_value());
  const std::map<std::string, PoolingKind> configs{
      {mean_, PoolingKind::mean},
      {R"({"pooling_mode_cls_token": true})", PoolingKind::first_token},
      {R"({"pooling_mode_max_tokens": true, "pooling_mode_weightedmean_tokens": false})", PoolingKind::max},
      {R"({"pooling_mode": "cls", "embedding_dimension": 4})", PoolingKind::first_token},
      {R"({"pooling_mode": "mean"})", PoolingKind::mean},
      {R"({"pooling_mode": "max"})", PoolingKind::max}};
  for (const auto& [config, pooling] : configs) {
    write(two_, config);
    const auto folder = read_sentence_transformers_folder(folder_.path());
    ASSERT_TRUE(folder.has_value());
    EXPECT_EQ(folder->pooling, pooling) << config;
    EXPECT_EQ(folder->encoder, folder_.path() / "");
  }
  write("[" + transformer_ + ", " + pooling_ +
            R"(, {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}])",
        mean_);
  EXPECT_EQ(read_sentence_transformers_folder(folder_.path())->pooling, PoolingKind::mean);
  write(R"([{"path": "0_Transformer", "type": "x.Transformer"}, )" + pooling_ + "]", mean_);
  EXPECT_EQ(read_sentence_transformers_folder(folder_.path())->encoder, folder_ / "0_Transformer");
}

TEST_F(SentenceTransformersFolderTest, RefusesWhatItCannotCompute) {
  EXPECT_EQ(refusal(two_, mean_), "accepted");
  EXPECT_TRUE(says(refusal("{}", mean_), "modules.json: is not a list of modules"));
  EXPECT_TRUE(says(refusal("[3]", mean_), "is not a list of modules"));
  EXPECT_TRUE(says(refusal(R"([{"type": "a.Transformer"}])", mean_), "is not a list of modules"));
  EXPECT_TRUE(says(refusal("[" + transformer_ + "]", mean_), "is not a Transformer, then a Pooling"));
  EXPECT_TRUE(says(refusal("[" + pooling_ + ", " + transformer_ + "]", mean_), "is not a Transformer, then a Pooling"));
  EXPECT_TRUE(says(refusal("[" + transformer_ + ", " + pooling_ + R"(, {"path": "2", "type": "a.Dense"}])", mean_),
                   "the module \"a.Dense\" is not one that this program computes"));
  EXPECT_TRUE(says(refusal(two_, R"({"pooling_mode_lasttoken": true})"),
                   "\"pooling_mode_lasttoken\" is a pooling that this program does not have"));
  EXPECT_TRUE(says(refusal(two_, R"({"pooling_mode_mean_tokens": true, "pooling_mode_max_tokens": true})"),
                   "several kinds of pooling"));
  EXPECT_TRUE(says(refusal(two_, "{}"), "names no pooling"));
  EXPECT_TRUE(says(refusal(two_, R"({"pooling_mode": "lasttoken"})"), "names no pooling"));
  EXPECT_TRUE(says(refusal(two_, R"({"pooling_mode": ["cls", "mean"]})"), "names no pooling"));
  EXPECT_TRUE(says(refusal(two_, "{"), "1_Pooling/config.json:1"));
}

}  // namespace
}  // namespace gausscse
