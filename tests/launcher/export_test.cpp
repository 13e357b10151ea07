#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "inference/export/features.hpp"
#include "model/weights/safetensors.hpp"
#include "results/embeddings_file.hpp"
#include "results/hdf5_values.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/model/similarities/closed_form.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using namespace testing_support;

class Export : public TinyProjectTest {
 protected:
  Export() : model_(path("saved")) { save_tiny_model(project_, model_, {.similarity = Similarity::joint}); }

  ProgramRun export_as(const std::string& form, const std::string& output,
                       const std::vector<std::string>& more = {}) const {
    return run_program(with({"export", model_, output, "--as", form}, more));
  }
  /// Returns all rows of `encode`, [mean | log_var] or plain vectors.
  std::vector<float> encode(const std::string& model, const std::string& input,
                            const std::vector<std::string>& more = {}) {
    const std::string output = path("encoded.h5");
    EXPECT_TRUE(ended(run_program(with({"encode", model, input, output, "--overwrite"}, more)), 0));
    const EmbeddingsReader file(output);
    return file.read(0, file.rows());
  }

  std::string model_;
};

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

/// The hub reads these lines; each form names the program that opens it.
TEST_F(Export, TheCardHasTheFactsThatAreGiven) {
  const std::vector<std::string> facts{"--base-model", "org/one",    "--language", "en",    "--language", "de",
                                       "--license",    "apache-2.0", "--dataset",  "o/s\"", "--dataset",  "o/m"};
  const std::string given =
      "base_model: \"org/one\"\nlanguage:\n- \"en\"\n- \"de\"\nlicense: \"apache-2.0\"\ndatasets:\n- \"o/s\\\"\"\n- "
      "\"o/m\"\ntags:\n- \"sentence-similarity\"\n- \"feature-extraction\"\n- \"gaussian-embedding\"\n---\n";
  for (const auto& [form, library] : {std::pair("mean-only", "sentence-transformers"),
                                      {"sentence-transformers-gaussian", "sentence-transformers"},
                                      {"onnx", "onnx"}}) {
    ASSERT_TRUE(ended(export_as(form, path(form), facts), 0));
    const std::string begin = concat("---\nlibrary_name: \"", library, "\"\npipeline_tag: \"sentence-similarity\"\n");
    EXPECT_TRUE(read_whole_file(path(form) + "/README.md", 1 << 20).starts_with(begin + given)) << form;
  }
  ASSERT_TRUE(ended(export_as("onnx", path("plain")), 0));
  EXPECT_EQ(read_whole_file(path("plain") + "/README.md", 1 << 20).find("license"), std::string::npos);
  EXPECT_TRUE(
      ended(export_as("features", path("f.npy"),
                      {"--sentences", path("s"), "--side", "query", "--direction", "entails", "--license", "mit"}),
            2, {"has no README.md"}));
}

TEST_F(Export, OnnxLiesNextToItsTokenizer) {
  ASSERT_TRUE(ended(export_as("onnx", path("onnx")), 0));
  std::set<std::string> names = files_below(path("onnx"));
  EXPECT_EQ(
      names.erase("vocab.txt") + names.erase("model.onnx") + names.erase("config.json") + names.erase("README.md"), 4u);
  EXPECT_EQ(names, std::set<std::string>());
  const std::string card = read_whole_file(path("onnx") + "/README.md", 1 << 20);
  for (const char* text : {"mean, log_var = session.run", "max_length=16", "float32 [batch, 32]"})
    EXPECT_NE(card.find(text), std::string::npos) << card;
  const std::string model = read_whole_file(path("onnx") + "/model.onnx", 1 << 24);
  for (const char* text : {"head.log_var.weight", "similarity", "joint", "max_tokens", "pooling", "first_token"})
    EXPECT_NE(model.find(text), std::string::npos) << text;
  // A key and its value as ONNX has them: the model's number, not the encoder's positions.
  EXPECT_NE(model.find("max_tokens\x12\x02"
                       "16"),
            std::string::npos);
}

TEST_F(Export, RefusesWhatOtherProgramsCannotCompute) {
  EXPECT_TRUE(ended(export_as("torch", path("out")), 2,
                    {"--as", "sentence-transformers-gaussian", "mean-only", "onnx", "features"}));
  EXPECT_TRUE(ended(export_as("onnx", path("out"), {"--side", "query"}), 2, {"are of --as features"}));
  save_tiny_model(project_, path("tail"), {.pooling = PoolingKind::mean_without_first});
  EXPECT_TRUE(ended(run_program({"export", path("tail"), path("out"), "--as", "sentence-transformers"}), 2,
                    {"no pooling \"mean_without_first\"", "--as onnx"}));
  save_tiny_model(project_, path("mlp"), {.similarity = Similarity::cosine, .head = HeadKind::mlp_tanh});
  EXPECT_TRUE(ended(run_program({"export", path("mlp"), path("out"), "--as", "sentence-transformers-gaussian"}), 2,
                    {"the model is not Gaussian"}));
  EXPECT_TRUE(ended(run_program({"export", project_.model().string(), path("out"), "--pooling", "mean", "--as",
                                 "sentence-transformers"}),
                    2, {"gausscse did not train this model"}));
  const std::string vectors = file("vectors.txt", "w1 1 2\nw2 3 4\n");
  EXPECT_TRUE(
      ended(run_program({"export", vectors, path("out"), "--as", "onnx"}), 2, {"word vectors have no encoder"}));
  EXPECT_FALSE(fs::exists(path("out")));
  // An encoder without a head is exported with the pooling that is given.
  ASSERT_TRUE(
      ended(run_program({"export", project_.model().string(), path("out"), "--pooling", "mean", "--as", "onnx"}), 0));
  const std::string card = read_whole_file(path("out") + "/README.md", 1 << 20);
  EXPECT_NE(card.find("(embedding,) = session.run"), std::string::npos) << card;
}

/// KL(q || p) of two rows [mean | log_var], in float64.
double divergence_of_rows(const float* q, const float* p, std::size_t dimension) {
  double sum = 0;
  for (std::size_t d = 0; d < dimension; ++d) {
    const double var_q = std::exp(static_cast<double>(q[dimension + d])),
                 var_p = std::exp(static_cast<double>(p[dimension + d]));
    const double apart = static_cast<double>(q[d]) - static_cast<double>(p[d]);
    sum += var_q / var_p + apart * apart / var_p - 1 + std::log(var_p / var_q);
  }
  return sum / 2;
}

/// The order of all rows by inner product of features is that by joint KL in float64, and the products are KL but for a
/// constant of the query.
TEST_F(Export, InnerProductsOfFeaturesOrderByJointKl) {
  const std::string corpus = file("corpus.txt", lines_of(tiny_sentences(150, 3))),
                    queries = file("queries.txt", lines_of(tiny_sentences(12, 9)));
  const std::vector<float> rows = encode(model_, corpus), asked = encode(model_, queries);
  ASSERT_TRUE(ended(run_program({"encode", model_, corpus, path("corpus.safetensors")}), 0));
  for (const std::string direction : {"entails", "entailed-by"}) {
    SCOPED_TRACE(direction);
    const auto features_of = [&](const std::string& sentences, const std::string& side, const std::string& output) {
      EXPECT_TRUE(ended(export_as("features", path(output),
                                  {"--sentences", sentences, "--side", side, "--direction", direction, "--overwrite"}),
                        0));
      const std::string bytes = read_whole_file(path(output), 1 << 24);
      const std::size_t count = bytes.size() / (65 * sizeof(float));  // the header is shorter than a row of features
      std::vector<float> values(count * 65);
      std::copy_n(bytes.data() + bytes.size() - values.size() * sizeof(float), values.size() * sizeof(float),
                  reinterpret_cast<char*>(values.data()));
      EXPECT_NE(bytes.find(concat("'shape': (", count, ", 65)")), std::string::npos);
      return values;
    };
    const std::vector<float> stored = features_of(corpus, "stored", "stored.npy"),
                             query = features_of(queries, "query", "query.npy");
    EXPECT_EQ(features_of(path("corpus.safetensors"), "stored", "again.npy"), stored);
    ASSERT_EQ(stored.size(), 150u * 65);
    ASSERT_EQ(query.size(), 12u * 65);
    for (std::size_t i = 0; i < 12; ++i) {
      std::vector<double> products(150), divergences(150);
      for (std::size_t k = 0; k < 150; ++k) {
        for (std::size_t d = 0; d < 65; ++d)
          products[k] += static_cast<double>(query[i * 65 + d]) * static_cast<double>(stored[k * 65 + d]);
        const float *of_query = &asked[i * 64], *of_row = &rows[k * 64];
        divergences[k] = direction == "entails" ? divergence_of_rows(of_query, of_row, 32)
                                                : divergence_of_rows(of_row, of_query, 32);
      }
      for (std::size_t k = 1; k < 150; ++k)
        ASSERT_NEAR(products[k] - products[0], -2 * (divergences[k] - divergences[0]),
                    2e-4 * (1 + divergences[k] + divergences[0]));
      std::vector<std::size_t> by_product(150), by_divergence(150);
      std::iota(by_product.begin(), by_product.end(), std::size_t{0});
      by_divergence = by_product;
      std::ranges::stable_sort(by_product, [&](std::size_t a, std::size_t b) { return products[a] > products[b]; });
      std::ranges::stable_sort(by_divergence,
                               [&](std::size_t a, std::size_t b) { return divergences[a] < divergences[b]; });
      // Rows in the same place are the same, or as near as float32 knows.
      for (std::size_t place = 0; place < 150; ++place)
        ASSERT_NEAR(divergences[by_product[place]], divergences[by_divergence[place]],
                    1e-4 * (1 + divergences[by_divergence[place]]))
            << "query " << i << ", place " << place;
      EXPECT_NE(by_divergence.front(), by_divergence.back());
    }
  }
}

TEST_F(Export, FeaturesNeedTheirSideAndDirection) {
  const std::string input = file("in.txt", "w1 w2\n");
  const auto features = [&](const std::vector<std::string>& more) {
    return export_as("features", path("out.npy"), more);
  };
  EXPECT_TRUE(ended(features({}), 2, {"give --sentences"}));
  EXPECT_TRUE(ended(features({"--sentences", input}), 2, {"give --side stored|query"}));
  EXPECT_TRUE(ended(features({"--sentences", input, "--side", "query"}), 2, {"give --direction"}));
  EXPECT_TRUE(ended(features({"--sentences", input, "--side", "query", "--direction", "both"}), 2,
                    {"--direction: \"both\" is not known"}));
  EXPECT_TRUE(ended(features({"--sentences", input, "--side", "left", "--direction", "entails"}), 2, {"--side"}));
  const std::vector<std::string> all{"--sentences", input, "--side", "query", "--direction", "entails"};
  EXPECT_TRUE(ended(export_as("features", path("out.csv"), all), 2, {"embeddings are not written as \".csv\""}));
  for (const auto& [similarity, advice] : {std::pair{Similarity::wasserstein, "search by Euclidean distance"},
                                           {Similarity::cosine, "search by cosine"},
                                           {Similarity::symmetric, "use `gausscse search`"}}) {
    const std::string other = path(std::string(name_of(similarity)));
    save_tiny_model(
        project_, other,
        {.similarity = similarity, .head = similarity == Similarity::cosine ? HeadKind::mlp_tanh : HeadKind::gaussian});
    EXPECT_TRUE(ended(run_program(with({"export", other, path("out.npy"), "--as", "features"}, all)), 2,
                      {std::string(name_of(similarity)), advice}));
  }
  EXPECT_FALSE(fs::exists(path("out.npy")));
  save_tiny_model(project_, path("each"), {});
  EXPECT_TRUE(ended(run_program(with({"export", path("each"), path("out.npy"), "--as", "features"}, all)), 0,
                    {"these features order by joint KL", "1 rows of 65 features"}));
  EXPECT_TRUE(ended(export_as("features", path("out.npy"), all), 2, {"--overwrite"}));
}

/// The file names its side, direction and model; bad lines are left out on demand.
TEST_F(Export, FeaturesNameWhatTheyAreOf) {
  const std::string input = file("bad.txt", "w1 w2\n\xff\nw3\n");
  const std::vector<std::string> options{"--sentences", input, "--side", "stored", "--direction", "entailed-by"};
  EXPECT_TRUE(ended(export_as("features", path("no.h5"), options), 2, {"bad.txt:2: byte 1"}));
  ASSERT_TRUE(ended(export_as("features", path("features.h5"), with(options, {"--skip-bad-lines"})), 0,
                    {"bad.txt: 1 of 3 lines is left out", "2 rows of 65 features"}));
  ASSERT_TRUE(ended(run_program({"encode", model_, file("in.txt", "w1 w2\nw3\n"), path("in.npz")}), 0));
  const H5::H5File features(path("features.h5"), H5F_ACC_RDONLY);
  EXPECT_EQ(read_text_attribute(features, "format"), "gausscse-features/1");
  EXPECT_EQ(read_text_attribute(features, "side"), "stored");
  EXPECT_EQ(read_text_attribute(features, "direction"), "entailed-by");
  EXPECT_EQ(read_text_attribute(features, "model"), model_);
  EXPECT_EQ(read_text_attribute(features, "model_hash"),
            EmbeddingsReader(path("in.npz")).attributes().at("model_hash"));
  EXPECT_EQ(features.openDataSet("features").getSpace().getSimpleExtentNpoints(), 2 * 65);
}

/// A row behind the first block of a file has its own number, from 1.
TEST_F(Export, FeaturesThatAreTooLargeAreNamedByTheirRow) {
  constexpr std::size_t count = 8200;
  std::vector<float> mean(32 * count, 0.5f), log_var(32 * count, 0.5f);
  log_var[32 * 8195] = -200;
  EmbeddingsWriter writer(path("large.h5"), {"mean", "log_var"}, count, 32);
  writer.append({mean, log_var});
  writer.commit();
  EXPECT_TRUE(ended(export_as("features", path("features.npy"),
                              {"--sentences", path("large.h5"), "--side", "stored", "--direction", "entails"}),
                    2, {"large.h5: row 8196: "}));
}

/// Runs the Python of an exported folder's README.md, with the arrays of `encode` in the place of
/// sentence-transformers, and compares its similarities with those of `score`.
TEST_F(Export, ThePythonOfTheCardComputesTheSimilaritiesOfScore) {
  const std::string python = GAUSSCSE_PYTHON_WITH_NUMPY;
  if (!fs::exists(python)) GTEST_SKIP() << "no Python with numpy";
  const std::vector<std::string> first = tiny_sentences(20, 3), second = tiny_sentences(20, 4);
  std::string pairs, lines;
  for (std::size_t i = 0; i < 20; ++i) {
    pairs += first[i] + "\t" + second[i] + "\n";
    lines += first[i] + "\n" + second[i] + "\n";
  }
  const std::string pairs_file = file("pairs.tsv", pairs), input = file("in.txt", lines);
  file("run.py", R"(import sys, types, numpy
card, arrays = open(sys.argv[1]).read(), numpy.load(sys.argv[2])
class Tensor:
    def __init__(self, row): self.row = row
    def cpu(self): return self
    def numpy(self): return self.row
means = arrays["mean"]
if sys.argv[3] == "unit": means = means / numpy.linalg.norm(means, axis=1, keepdims=True)
class SentenceTransformer:
    def __init__(self, folder): pass
    def encode(self, sentences, output_value=None):
        return means if output_value is None else [Tensor(row) for row in arrays[{"log_variance": "log_var"}[output_value]]]
sys.modules["sentence_transformers"] = types.SimpleNamespace(SentenceTransformer=SentenceTransformer)
code = "\n".join(line[4:] for line in card.splitlines() if line.startswith("    ") or not line)
scope = {"MODEL_DIR": "", "sentences": None, "print": lambda *_: None}
exec(code, scope)
for i in range(0, len(arrays["mean"]), 2):
    print(repr(float(scope["similarity"](i + 1, i))), repr(float(scope["similarity"](i, i + 1))))
)");
  std::vector<std::pair<Similarity, MeanScale>> models{{Similarity::joint, MeanScale::unit}};
  for (const Similarity similarity : testing_support::all_similarities())
    models.push_back({similarity, MeanScale::none});
  for (const auto& [similarity, scale] : models) {
    const std::string name = concat(name_of(similarity), "-", name_of(scale)), model = path(name),
                      exported = path(name + "-exported");
    save_tiny_model(project_, model, {.similarity = similarity, .scale = scale});
    ASSERT_TRUE(ended(run_program({"export", model, exported, "--as", "sentence-transformers-gaussian"}), 0));
    ASSERT_TRUE(ended(run_program({"encode", model, input, path(name + ".npz")}), 0));
    const ProgramRun scores = run_program({"score", model, pairs_file, "--json", path(name + ".json")});
    ASSERT_EQ(scores.exit_code, 0);
    const nlohmann::json report = nlohmann::json::parse(read_whole_file(path(name + ".json"), 1 << 20));
    FILE* pipe = ::popen(concat("'", python, "' '", path("run.py"), "' '", exported, "/README.md' '",
                                path(name + ".npz"), "' ", name_of(scale), " 2>&1")
                             .c_str(),
                         "r");
    ASSERT_NE(pipe, nullptr);
    std::string output;
    char buffer[4096];
    while (const std::size_t count = ::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, count);
    ASSERT_EQ(::pclose(pipe), 0) << output;
    std::istringstream values(output);
    for (std::size_t i = 0; i < 20; ++i) {
      double forward = -1, backward = -1;
      values >> forward >> backward;
      const nlohmann::json& pair = report["pairs"][i];
      EXPECT_NEAR(forward, pair["sim(second||first)"].get<double>(), 1e-6) << name << ", pair " << i << "\n" << output;
      EXPECT_NEAR(backward, pair["sim(first||second)"].get<double>(), 1e-6) << name << ", pair " << i;
    }
  }
}

}  // namespace
}  // namespace gausscse
