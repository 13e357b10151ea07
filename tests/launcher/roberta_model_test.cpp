#include "data/corpus/sentence.hpp"
#include "inference/embed_texts.hpp"
#include "model/initialize.hpp"
#include "tests/data/tokenizer/small_tokenizers.hpp"
#include "tests/launcher/metrics.hpp"
#include "tests/launcher/nli_reference.hpp"
#include "tests/results/read_matrix.hpp"
#include "tests/support/testing.hpp"

// The commands on a RoBERTa, whose positions do not begin at 0 and whose tokens depend on outer blanks.

namespace gausscse {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t roberta_dimension = 16;

class RobertaModel : public testing::TestWithParam<bool> {
 protected:
  RobertaModel() : model_((folder_ / "saved").string()) {
    std::vector<fs::path> tokenizer;
    for (const auto& [name, content] : small_byte_level_files().contents)
      write_bytes(tokenizer.emplace_back(folder_ / name), content);
    SentenceEncoderSettings settings;
    settings.encoder = named_encoder_config("roberta-base");
    settings.encoder.vocabulary_size = 263;
    settings.encoder.hidden_size = roberta_dimension;
    settings.encoder.intermediate_size = 24;
    settings.encoder.layers = 2;
    settings.encoder.heads = 2;
    settings.encoder.max_positions = 66;
    SentenceEncoder encoder(settings);
    initialize_encoder(encoder.parameters(), 1);
    // Large enough that a wrong position or blank shows.
    encoder.parameters().values().mul_(20);
    initialize_head(encoder.parameters(), 2);
    encoder.parameters_changed();
    save_model(model_, encoder,
               {.similarity = Similarity::per_dimension,
                .threshold = 0.5,
                .max_tokens = 64,
                .trim = GetParam(),
                .state = "last",
                .step = 1,
                .evaluation = to_words(NliScoring{})},
               tokenizer, "a small RoBERTa\n");
  }

  std::string file(const std::string& name, const std::string& content) const {
    write_bytes(folder_ / name, content);
    return (folder_ / name).string();
  }

  /// Returns the text that is embedded for a sentence.
  static std::string seen(const std::string& sentence) {
    return GetParam() ? std::string(trimmed(sentence)) : sentence;
  }

  std::vector<Embedding> expected(const std::vector<std::string>& sentences) const {
    std::vector<std::string> all;
    for (const std::string& sentence : sentences) all.push_back(seen(sentence));
    return embed_one_by_one(model_, all);
  }

  TemporaryFolder folder_;
  std::string model_;
};

const std::vector<std::string> sentences{"he ran", " he ran", "she sat down ", "a", "\u00A0he sat", ""};

TEST_P(RobertaModel, IsEncodedAtItsPositionsAndTrimmedAsTrained) {
  const std::string out = (folder_ / "out.h5").string();
  run_expecting(0, {"encode", model_, file("in.txt", lines_of(sentences)), out}, {}, 2);
  const std::vector<Embedding> rows = expected(sentences);
  EXPECT_EQ(rows[0] == rows[1], GetParam()) << "else blanks show in nothing";
  const std::vector<float> mean = read_matrix(out, "/mean", rows.size(), roberta_dimension);
  const std::vector<float> log_var = read_matrix(out, "/log_var", rows.size(), roberta_dimension);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t d = 0; d < roberta_dimension; ++d) {
      ASSERT_NEAR(mean[row * roberta_dimension + d], rows[row][d], 1e-4) << row;
      ASSERT_NEAR(log_var[row * roberta_dimension + d], rows[row][roberta_dimension + d], 1e-4) << row;
    }
  }
}

TEST_P(RobertaModel, EmbedsTextsTrimmedAsTrained) {
  SentenceModel model = open_sentence_model({.path = model_}, at::kCPU);
  const at::Tensor rows = embed_texts(sentences, model, 2).rows;
  const std::vector<Embedding> by_one = expected(sentences);
  for (std::size_t row = 0; row < by_one.size(); ++row)
    for (std::size_t d = 0; d < by_one[row].size(); ++d)
      ASSERT_NEAR(rows.const_data_ptr<float>()[row * by_one[row].size() + d], by_one[row][d], 1e-4) << row;
}

TEST_P(RobertaModel, IsScoredAtItsPositionsAndTrimmedAsTrained) {
  std::string pairs;
  for (std::size_t i = 0; i + 1 < sentences.size(); ++i) pairs += sentences[i] + "\t" + sentences[i + 1] + "\n";
  const ProgramRun run = run_expecting(0, {"score", model_, file("pairs.tsv", pairs)});
  const std::vector<Embedding> rows = expected(sentences);
  std::istringstream lines(run.output);
  std::string line;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    ASSERT_TRUE(std::getline(lines, line));
    std::size_t tab = 0;
    EXPECT_NEAR(std::stod(line, &tab), per_dimension_similarity(rows[i + 1], rows[i]), 1e-4) << line;
    EXPECT_NEAR(std::stod(line.substr(tab)), per_dimension_similarity(rows[i], rows[i + 1]), 1e-4) << line;
  }
  EXPECT_FALSE(std::getline(lines, line));
}

/// Two sentences that differ by a blank have the same row in every other command, too, where the model trims.
TEST_P(RobertaModel, IsTrimmedByEachCommandThatEmbeds) {
  const std::string both = file("both.txt", "he ran\n he ran\n"), one = file("one.txt", "he ran\n"),
                    other = file("other.txt", " he ran\n");
  const auto in_folder = [&](const char* name) { return (folder_ / name).string(); };
  const std::string features = in_folder("features.npy"), matrix = in_folder("matrix.npy");
  const auto last_floats = [](const std::string& path, std::size_t count) {
    const std::string bytes = read_whole_file(path, 1 << 20);
    std::vector<float> values(count);
    std::memcpy(values.data(), bytes.data() + bytes.size() - count * sizeof(float), count * sizeof(float));
    return values;
  };
  run_expecting(0, {"export", model_, features, "--as", "features", "--sentences", both, "--side", "query",
                    "--direction", "entails"});
  constexpr std::size_t width = 2 * roberta_dimension + 1;
  const std::vector<float> rows = last_floats(features, 2 * width);
  EXPECT_EQ(std::equal(rows.begin(), rows.begin() + width, rows.begin() + width), GetParam()) << "export";
  run_expecting(0, {"similarity", model_, both, one, matrix});
  const std::vector<float> of_rows = last_floats(matrix, 2);
  EXPECT_EQ(of_rows[0] == of_rows[1], GetParam()) << "similarity";
  for (const auto& [corpus, queries] : {std::pair{other, one}, {one, other}}) {
    const ProgramRun search =
        run_expecting(0, {"search", model_, corpus, queries, "--top", "1", "--precision", "fp32"});
    EXPECT_EQ(says(search.output, "\t1.000000\t1.000000\t"), GetParam()) << search.output;
  }
  run_expecting(0, {"encode", model_, both, in_folder("both.npz")});
  run_expecting(0, {"similarity", model_, in_folder("both.npz"), one, matrix, "--overwrite"});
  EXPECT_EQ(last_floats(matrix, 2) == of_rows, true) << "encode";
  const ProgramRun texts = run_expecting(0, {"search", model_, in_folder("both.npz"), one, "--text", both});
  EXPECT_EQ(says(texts.output, "\t he ran\n"), !GetParam()) << texts.output;
  SentenceModel opened = open_sentence_model({.path = model_}, at::kCPU);
  const at::Tensor of_texts = embed_texts({"he ran", " he ran"}, opened, 1).rows;
  const auto* values = of_texts.const_data_ptr<float>();
  EXPECT_EQ(std::equal(values, values + 2 * roberta_dimension, values + 2 * roberta_dimension), GetParam())
      << "embed_texts";
  run_expecting(0, {"export", model_, in_folder("onnx"), "--as", "onnx"});
  EXPECT_EQ(says(read_whole_file(in_folder("onnx/README.md"), 1 << 20), "without white space at their ends"),
            GetParam());
}

/// A blank makes the premise the longer one.
TEST_P(RobertaModel, IsEvaluatedTrimmedAsTrained) {
  const std::string report = (folder_ / "report.json").string();
  const std::string test = file("test.jsonl", snli_lines({{"he ", "is", "entailment"}, {"a", "b", "-"}}));
  run_expecting(0, {"eval", model_, "--test", "two=" + test, "--json", report});
  const auto metrics = tasks_of_report(report).at("two");
  EXPECT_EQ(metrics.at("pairs"), 2);
  EXPECT_EQ(metrics.at("direction_length"), GetParam() ? 0.5 : 1) << "as long once trimmed";
}

INSTANTIATE_TEST_SUITE_P(Trim, RobertaModel, testing::Bool());

}  // namespace
}  // namespace gausscse
