#include <nlohmann/json.hpp>

#include "model/weights/safetensors.hpp"
#include "results/hdf5_values.hpp"
#include "tests/launcher/export_fixture.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
std::set<std::string> files_below(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) names.insert(entry.path().lexically_relative(folder).string());
  return names;
}

/// A module of sentence-transformers of the type Dense.
struct DenseOfFolder {
  std::string input, output;
  bool has_tanh = false;
  std::vector<float> weight, bias;

  std::vector<double> apply(const std::vector<double>& x) const {
    std::vector<double> y;
    for (std::size_t i = 0; i < bias.size(); ++i) {
      double sum = static_cast<double>(bias[i]);
      for (std::size_t k = 0; k < x.size(); ++k) sum += static_cast<double>(weight[i * x.size() + k]) * x[k];
      y.push_back(has_tanh ? std::tanh(sum) : sum);
    }
    return y;
  }
};

/// Reads the modules of type Dense that modules.json lists, in its order.
std::vector<DenseOfFolder> dense_modules_of(const fs::path& folder) {
  const auto json_of = [](const fs::path& file) { return nlohmann::json::parse(read_whole_file(file, 1 << 20)); };
  std::vector<DenseOfFolder> modules;
  for (const nlohmann::json& module : json_of(folder / "modules.json")) {
    if (!module["type"].get<std::string>().ends_with(".Dense")) continue;
    const fs::path of_module = folder / module["path"].get<std::string>();
    const nlohmann::json config = json_of(of_module / "config.json");
    DenseOfFolder dense{config["module_input_name"],
                        config["module_output_name"],
                        config["activation_function"].get<std::string>().ends_with(".Tanh"),
                        {},
                        {}};
    const SafetensorsFile file = SafetensorsFile::open(of_module / "model.safetensors");
    dense.weight.resize(32 * 32);
    dense.bias.resize(32);
    copy_to_float32(*file.find("linear.weight"), dense.weight);
    copy_to_float32(*file.find("linear.bias"), dense.bias);
    modules.push_back(std::move(dense));
  }
  return modules;
}

/// Mean as a program computes it that knows modules.json but not the names of a module's input and output: each Dense
/// on the output of the one before. It is our mean where the folder has the mean alone.
TEST_F(Export, AStackOfAllDenseModulesIsTheMean) {
  const std::vector<std::string> sentences = tiny_sentences(30, 2);
  const std::string input = file("in.txt", lines_of(sentences));
  const std::vector<float> expected = encode(model_, input);
  ASSERT_TRUE(ended(export_as("mean-only", path("plain")), 0));
  ASSERT_TRUE(ended(export_as("sentence-transformers", path("with-head")), 0));
  // Without gausscse's own file the folder is an encoder: these are the pooled vectors.
  const std::vector<float> pooled = encode(path("plain"), input, {"--pooling", "first_token"});
  ASSERT_EQ(pooled.size(), 30u * 32);
  for (const std::string& folder : {model_, path("plain"), path("with-head")}) {
    const std::vector<DenseOfFolder> modules = dense_modules_of(folder);
    ASSERT_EQ(modules.size(), 1u) << folder;
    for (std::size_t row = 0; row < 30; ++row) {
      std::vector<double> x(pooled.begin() + static_cast<std::ptrdiff_t>(row * 32),
                            pooled.begin() + static_cast<std::ptrdiff_t>((row + 1) * 32));
      for (const DenseOfFolder& dense : modules) x = dense.apply(x);
      for (std::size_t d = 0; d < 32; ++d) ASSERT_NEAR(x[d], expected[row * 64 + d], 1e-5) << folder;
    }
  }
}

TEST_F(Export, TheGaussianFormGivesTheLogVarianceToo) {
  const std::string input = file("in.txt", lines_of(tiny_sentences(30, 2)));
  const std::vector<float> expected = encode(model_, input);
  ASSERT_TRUE(ended(export_as("mean-only", path("plain")), 0));
  const std::vector<float> pooled = encode(path("plain"), input, {"--pooling", "first_token"});
  ASSERT_TRUE(ended(export_as("sentence-transformers-gaussian", path("both")), 0));
  const std::vector<DenseOfFolder> modules = dense_modules_of(path("both"));
  ASSERT_EQ(modules.size(), 2u);
  for (std::size_t row = 0; row < 30; ++row) {
    std::map<std::string, std::vector<double>> features;
    features["sentence_embedding"] = {pooled.begin() + static_cast<std::ptrdiff_t>(row * 32),
                                      pooled.begin() + static_cast<std::ptrdiff_t>((row + 1) * 32)};
    for (const DenseOfFolder& dense : modules) features[dense.output] = dense.apply(features.at(dense.input));
    for (std::size_t d = 0; d < 32; ++d) {
      ASSERT_NEAR(features.at("sentence_embedding")[d], expected[row * 64 + d], 1e-5);
      ASSERT_NEAR(features.at("log_variance")[d], expected[row * 64 + 32 + d], 1e-4);
    }
  }
}

TEST_F(Export, GausscseOpensWhatHasItsFile) {
  const std::string input = file("in.txt", lines_of(tiny_sentences(30, 2)));
  const std::vector<float> expected = encode(model_, input);
  for (const char* form : {"sentence-transformers", "sentence-transformers-gaussian"}) {
    ASSERT_TRUE(ended(export_as(form, path(form)), 0));
    EXPECT_EQ(encode(path(form), input), expected) << form;
  }
  ASSERT_TRUE(ended(export_as("mean-only", path("plain")), 0));
  std::set<std::string> names = files_below(path("sentence-transformers"));
  EXPECT_EQ(names.erase("gausscse.safetensors"), 1u);
  EXPECT_EQ(files_below(path("plain")), names);
  // A tokenizer of which sentence-transformers lowers the sentences.
  const fs::path settings = fs::path(model_) / "sentence_bert_config.json";
  nlohmann::json lowered = nlohmann::json::parse(read_whole_file(settings, 1 << 20));
  lowered["do_lower_case"] = true;
  write_bytes(settings, lowered.dump());
  fs::remove(fs::path(model_) / ".gausscse");  // with the hashes of its files
  ASSERT_TRUE(ended(export_as("mean-only", path("lowered")), 0));
  EXPECT_EQ(nlohmann::json::parse(read_whole_file(path("lowered") + "/sentence_bert_config.json", 1 << 20)), lowered);
  // Nothing that is there is replaced.
  EXPECT_TRUE(ended(export_as("mean-only", path("plain")), 2, {"OUT"}));
  EXPECT_TRUE(ended(export_as("onnx", path("plain"), {"--overwrite"}), 2, {"OUT"}));
}

TEST_F(Export, OnnxLiesNextToItsTokenizer) {
  ASSERT_TRUE(ended(export_as("onnx", path("onnx")), 0));
  std::set<std::string> names = files_below(path("onnx"));
  EXPECT_EQ(
      names.erase("vocab.txt") + names.erase("model.onnx") + names.erase("config.json") + names.erase("README.md"), 4u);
  EXPECT_EQ(names, std::set<std::string>());
  const std::string card = read_whole_file(path("onnx") + "/README.md", 1 << 20);
  for (const char* text : {"mean, log_var = session.run", "max_length=16", "float32 [batch, 32]"})
    EXPECT_TRUE(says(card, text));
  const std::string model = read_whole_file(path("onnx") + "/model.onnx", 1 << 24);
  for (const char* text : {"head.log_var.weight", "similarity", "joint", "max_tokens", "pooling", "first_token"})
    EXPECT_TRUE(says(model, text));
  // A key and its value as ONNX has them: the model's number, not the encoder's positions.
  EXPECT_TRUE(says(model,
                   "max_tokens\x12\x02"
                   "16"));
}

TEST_F(Export, RefusesWhatOtherProgramsCannotCompute) {
  EXPECT_TRUE(ended(export_as("torch", path("out")), 2,
                    {"--as", "sentence-transformers-gaussian", "mean-only", "onnx", "features"}));
  EXPECT_TRUE(ended(export_as("onnx", path("out"), {"--side", "query"}), 2, {"are of --as features"}));
  save_tiny_model(project_, path("tail"), {.pooling = PoolingKind::mean_without_first});
  run_expecting(2, {"export", path("tail"), path("out"), "--as", "sentence-transformers"},
                {"no pooling \"mean_without_first\"", "--as onnx"});
  save_tiny_model(project_, path("mlp"), {.similarity = Similarity::cosine, .head = HeadKind::mlp_tanh});
  run_expecting(2, {"export", path("mlp"), path("out"), "--as", "sentence-transformers-gaussian"},
                {"the model is not Gaussian"});
  run_expecting(
      2, {"export", project_.model().string(), path("out"), "--pooling", "mean", "--as", "sentence-transformers"},
      {"gausscse did not train this model"});
  const std::string vectors = file("vectors.txt", "w1 1 2\nw2 3 4\n");
  run_expecting(2, {"export", vectors, path("out"), "--as", "onnx"}, {"word vectors have no encoder"});
  EXPECT_FALSE(fs::exists(path("out")));
  // An encoder without a head is exported with the pooling that is given.
  run_expecting(0, {"export", project_.model().string(), path("out"), "--pooling", "mean", "--as", "onnx"});
  const std::string card = read_whole_file(path("out") + "/README.md", 1 << 20);
  EXPECT_TRUE(says(card, "(embedding,) = session.run"));
}

}  // namespace
}  // namespace gausscse
