#include <nlohmann/json.hpp>

#include "model/folder/model_folder.hpp"
#include "model/folder/model_folder_reader.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A folder of sentence-transformers around an encoder's config.json.
class SentenceTransformersFolderTest : public testing::Test {
 protected:
  SentenceTransformersFolderTest() { write_bytes(folder_ / "config.json", "{}"); }

  void write(const std::string& modules, const std::string& pooling) {
    fs::create_directories(folder_ / "1_Pooling");
    write_bytes(folder_ / "modules.json", modules);
    write_bytes(folder_ / "1_Pooling/config.json", pooling);
  }
  ModelFolder read(FolderPart part = FolderPart::sentence_vectors) { return read_model_folder(folder_.path(), part); }
  std::string refusal(const std::string& modules, const std::string& pooling) {
    write(modules, pooling);
    return refusal_of([&] { read(); });
  }
  /// Returns the notes of a training, or a look at the layers, on settings for which vectors are refused.
  std::string notes_of_encoder() {
    std::string all;
    const ModelFolder folder = read(FolderPart::encoder);
    for (const auto& lines : {folder.notes, folder.warnings})
      for (const std::string& line : lines) all += line + "\n";
    return all;
  }
  std::string with_third(const std::string& type) const {
    return "[" + transformer_ + ", " + pooling_ + R"(, {"path": "2", "type": ")" + type + "\"}]";
  }

  const std::string transformer_ =
      R"({"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"})";
  const std::string pooling_ =
      R"({"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"})";
  const std::string two_ = "[" + transformer_ + ", " + pooling_ + "]";
  const std::string mean_ = R"({"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false})";
  TemporaryFolder folder_;
};

TEST_F(SentenceTransformersFolderTest, ReportsItsPooling) {
  EXPECT_FALSE(read().pooling.has_value());
  const std::map<std::string, PoolingKind> configs{
      {mean_, PoolingKind::mean},
      {R"({"pooling_mode_cls_token": true})", PoolingKind::first_token},
      {R"({"pooling_mode_max_tokens": true, "pooling_mode_weightedmean_tokens": false})", PoolingKind::max},
      {R"({"pooling_mode": "cls", "embedding_dimension": 4})", PoolingKind::first_token},
      {R"({"pooling_mode": "mean"})", PoolingKind::mean},
      {R"({"pooling_mode": "max"})", PoolingKind::max}};
  for (const auto& [config, pooling] : configs) {
    write(two_, config);
    for (const FolderPart part : {FolderPart::sentence_vectors, FolderPart::encoder}) {
      const ModelFolder folder = read(part);
      EXPECT_EQ(folder.pooling, pooling) << config;
      EXPECT_EQ(folder.encoder, folder_.path() / "");
      EXPECT_TRUE(folder.notes.empty() && folder.warnings.empty());
    }
  }
  write(R"([{"path": "0_Transformer", "type": "sentence_transformers.base.modules.Transformer"}, )" + pooling_ + "]",
        mean_);
  EXPECT_EQ(read().encoder, folder_ / "0_Transformer");
}

TEST_F(SentenceTransformersFolderTest, ModulesWithoutABearingOnCosinesAreNoted) {
  write(with_third("sentence_transformers.models.Normalize"), mean_);
  for (const FolderPart part : {FolderPart::sentence_vectors, FolderPart::encoder}) {
    EXPECT_EQ(read(part).pooling, PoolingKind::mean);
    ASSERT_EQ(read(part).notes.size(), 1u);
    EXPECT_TRUE(
        says(read(part).notes[0], "Normalize is not computed: embeddings keep their lengths, which changes no cosine"));
  }
  write(with_third("sentence_transformers.models.Dropout"), mean_);
  EXPECT_EQ(notes_of_encoder(), "");
}

TEST_F(SentenceTransformersFolderTest, RefusesWhatItCannotCompute) {
  EXPECT_EQ(refusal(two_, mean_), "accepted");
  EXPECT_TRUE(says(refusal("{}", mean_), "modules.json: is not a list of modules"));
  EXPECT_TRUE(says(refusal("[3]", mean_), "is not a list of modules"));
  EXPECT_TRUE(says(refusal(R"([{"type": "a.Transformer"}])", mean_), "is not a list of modules"));
  EXPECT_TRUE(says(refusal(R"([{"path": "", "type": "own.Transformer"}, )" + pooling_ + "]", mean_),
                   "has no module Transformer of sentence-transformers (but \"own.Transformer\")"));
  EXPECT_TRUE(says(refusal(two_, "{"), "1_Pooling/config.json:1"));
}

/// A setting for which vectors are refused is a warning where the encoder alone is taken, and the other way round.
TEST_F(SentenceTransformersFolderTest, WhatIsLeftOutOfTheEncoderIsNamed) {
  const auto expect_note = [&](const std::string& modules, const std::string& pooling, const std::string& text) {
    EXPECT_TRUE(says(refusal(modules, pooling), text)) << modules << pooling;
    EXPECT_TRUE(says(refusal(modules, pooling), "give --pooling to take"));
    EXPECT_TRUE(says(notes_of_encoder(), text)) << modules << pooling;
    EXPECT_TRUE(says(notes_of_encoder(), "the encoder is taken without it"));
  };
  for (const char* kind : {"Dense", "LayerNorm", "WeightedLayerPooling", "CNN", "LSTM", "BoW", "WordWeights", "Router",
                           "Asym", "SpladePooling", "Transformer", "Pooling"}) {
    const std::string type = std::string("sentence_transformers.models.") + kind;
    expect_note(with_third(type), mean_, "the module \"" + type + "\" is not one that this program computes");
  }
  expect_note(with_third("custom.Normalize"), mean_, "the module \"custom.Normalize\"");
  expect_note("[" + transformer_ + "]", mean_, "has no Pooling behind a Transformer");
  expect_note("[" + pooling_ + ", " + transformer_ + "]", mean_, "the module \"sentence_transformers.models.Pooling\"");
  expect_note("[" + transformer_ +
                  R"(, {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling", "kwargs": ["task"]}])",
              mean_, "takes arguments");
  expect_note(two_, R"({"pooling_mode_lasttoken": true})",
              "\"pooling_mode_lasttoken\" is a pooling that this program does not have");
  expect_note(two_, R"({"pooling_mode_mean_tokens": true, "pooling_mode_max_tokens": true})",
              "several kinds of pooling");
  expect_note(two_, "{}", "names no pooling");
  expect_note(two_, R"({"pooling_mode": "lasttoken"})", "names no pooling");
  expect_note(two_, R"({"pooling_mode": ["cls", "mean"]})", "names no pooling");
  const auto with_prompts = [&](const std::string& config) {
    write(two_, mean_);
    write_bytes(folder_ / "config_sentence_transformers.json", config);
    return refusal_of([&] { read(); });
  };
  const char* const used = R"({"prompts": {"query": "Query: "}, "default_prompt_name": "query"})";
  EXPECT_EQ(with_prompts(used), "accepted");
  EXPECT_EQ(read().prompts.texts, (std::map<std::string, std::string>{{"query", "Query: "}}));
  EXPECT_EQ(read().prompts.usual, "query");
  EXPECT_EQ(read().prompts.left_out_by, "");
  EXPECT_EQ(read().warnings, std::vector<std::string>{});
  EXPECT_TRUE(says(notes_of_encoder(), "default_prompt_name is \"query\", a text"));
  EXPECT_EQ(with_prompts(R"({"prompts": {"query": ""}, "default_prompt_name": "query"})"), "accepted");
  EXPECT_EQ(notes_of_encoder(), "");
  EXPECT_EQ(with_prompts(R"({"prompts": {"query": "Query: "}, "default_prompt_name": null})"), "accepted");
  EXPECT_TRUE(says(notes_of_encoder(), "the prompts of this model are not used here"));
  EXPECT_EQ(read().notes, std::vector<std::string>{});
  EXPECT_EQ(read().prompts.usual, "");
  EXPECT_TRUE(says(with_prompts(R"({"prompts": {"query": "Query: "}, "default_prompt_name": "passage"})"),
                   "default_prompt_name is \"passage\", which prompts does not have"));
  EXPECT_EQ(with_prompts("{}"), "accepted");
  write(two_, R"({"pooling_mode": "mean", "include_prompt": false})");
  EXPECT_EQ(read().prompts.left_out_by, (folder_ / "1_Pooling/config.json").string());
}

TEST_F(SentenceTransformersFolderTest, FilesOfOtherProgramsAreNamedWhereTheyMatter) {
  write(two_, mean_);
  for (const char* harmless : {"README.md", "onnx.json", "generation_config.json", "pytorch_model.bin"})
    write_bytes(folder_ / harmless, "{}");
  EXPECT_EQ(notes_of_encoder(), "");
  write_bytes(folder_ / "spiece.model", "{}");
  EXPECT_TRUE(says(notes_of_encoder(), "spiece.model: this file is not read: transformers may take its tokens"));
  write_bytes(folder_ / "tokenizer.json", "{}");
  EXPECT_EQ(notes_of_encoder(), "");
  write_bytes(folder_ / "adapter_config.json", "{}");
  EXPECT_TRUE(says(notes_of_encoder(), "adapter_config.json: this file is not read: transformers puts its adapter"));
}

TEST_F(SentenceTransformersFolderTest, AModelOfThisProgramHasItsPoolingAndHeadElsewhere) {
  write("[" + transformer_ + ", " + pooling_ + R"(, {"path": "2_Mean", "type": "sentence_transformers.models.Dense"}])",
        mean_);
  write_bytes(folder_ / "gausscse.safetensors", "");
  EXPECT_EQ(notes_of_encoder(), "");
}

TEST_F(SentenceTransformersFolderTest, ARunsFolderIsTakenForItsModel) {
  const fs::path run = folder_ / "run";
  fs::create_directories(run / "model");
  EXPECT_EQ(read_model_folder(run, FolderPart::encoder).encoder, run) << "there is no model in it yet";
  write_bytes(run / "model/config.json", "{}");
  EXPECT_EQ(read_model_folder(run, FolderPart::encoder).encoder, run / "model");
  write_bytes(run / "config.json", "{}");
  EXPECT_EQ(read_model_folder(run, FolderPart::encoder).encoder, run) << "it is a model itself";
}

TEST_F(SentenceTransformersFolderTest, ANameOfTheHubIsToldHowToGetIt) {
  const auto messages = [&](const fs::path& path) {
    return refusal_of([&] { read_model_folder(path, FolderPart::encoder); });
  };
  EXPECT_TRUE(says(messages(folder_ / "microsoft/mpnet-base"),
                   "hf download microsoft/mpnet-base --include \"*.[jst]*\" --local-dir " +
                       (folder_ / "microsoft/mpnet-base").string()));
  EXPECT_TRUE(says(messages(folder_ / "config.json"),
                   "this is a file of a model folder: give the folder, " + folder_.path().string()));
}

}  // namespace
}  // namespace gausscse
