#include <nlohmann/json.hpp>

#include "tests/launcher/export_fixture.hpp"
#include "tests/model/similarities/closed_form.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
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

TEST_F(Export, TheCardNamesTheLengthOfMeans) {
  for (const MeanScale scale : {MeanScale::none, MeanScale::unit}) {
    const std::string model = path(concat("model-", name_of(scale))), exported = model + "-exported";
    save_tiny_model(project_, model, {.scale = scale});
    run_expecting(0, {"export", model, exported, "--as", "mean-only"});
    EXPECT_EQ(says(read_whole_file(exported + "/README.md", 1 << 20), "means of Gaussians, scaled to the length 1."),
              scale == MeanScale::unit);
  }
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
  for (const Similarity similarity : all_similarities()) models.push_back({similarity, MeanScale::none});
  for (const auto& [similarity, scale] : models) {
    const std::string name = concat(name_of(similarity), "-", name_of(scale)), model = path(name),
                      exported = path(name + "-exported");
    save_tiny_model(project_, model, {.similarity = similarity, .scale = scale});
    run_expecting(0, {"export", model, exported, "--as", "sentence-transformers-gaussian"});
    run_expecting(0, {"encode", model, input, path(name + ".npz")});
    run_expecting(0, {"score", model, pairs_file, "--json", path(name + ".json")});
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
