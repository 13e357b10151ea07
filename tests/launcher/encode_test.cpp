#include <random>

#include "base/process.hpp"
#include "inference/embed_texts.hpp"
#include "inference/sentence_file.hpp"
#include "results/embeddings_file.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/results/read_matrix.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t gaussian_dimension = 32;

class Encode : public TinyProjectTest {
 protected:
  Encode() : model_(path("saved")) { save_tiny_model(project_, model_, {}); }
  std::string out(const std::string& name) const { return (folder_ / name).string(); }

  std::string model_;
};

/// Row `row` of a file of `rows` is `expected`, but for rounding.
void expect_row(const std::vector<float>& mean, const std::vector<float>& log_var, std::size_t row,
                const Embedding& expected) {
  for (std::size_t d = 0; d < gaussian_dimension; ++d) {
    ASSERT_NEAR(mean[row * gaussian_dimension + d], expected[d], 1e-5)
        << "mean of line " << row + 1 << ", dimension " << d;
    ASSERT_NEAR(log_var[row * gaussian_dimension + d], expected[gaussian_dimension + d],
                1e-5 * (1 + std::abs(expected[gaussian_dimension + d])))
        << "log-variance of line " << row + 1 << ", dimension " << d;
  }
}

TEST_F(Encode, GivesEveryLineItsRowForAnyRanksAndThreads) {
  std::vector<std::string> sentences = tiny_sentences(600, 1);
  sentences[7] = "";
  sentences[8] = "  ";
  sentences[200] = sentences[100];
  const std::string input = file("in.txt", lines_of(sentences));
  const std::vector<Embedding> expected = embed_one_by_one(model_, sentences);
  std::string bytes;
  for (const auto& [ranks, threads] : {std::pair{0, "1"}, {0, "2"}, {0, "3"}, {2, "1"}, {3, "2"}}) {
    SCOPED_TRACE(concat(ranks, " ranks, ", threads, " threads"));
    const std::string output = out(concat("out-", ranks, "-", threads));
    run_expecting(0, {"encode", model_, input, output, "--threads", threads},
                  {"600/600 lines", "in.txt: 12 sentences have more than 16 tokens and are cut"}, ranks);
    const std::vector<float> mean = read_matrix(output, "/mean", 600, gaussian_dimension),
                             log_var = read_matrix(output, "/log_var", 600, gaussian_dimension);
    for (std::size_t row = 0; row < 600; ++row) expect_row(mean, log_var, row, expected[row]);
    const std::string written = read_whole_file(output, 1 << 22);
    if (bytes.empty()) bytes = written;
    EXPECT_TRUE(written == bytes);
  }
}

TEST_F(Encode, BlocksFollowEachOther) {
  constexpr std::size_t block = SentenceFile::lines_of_block;
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < 2 * block + 3; ++i) sentences.push_back(concat("w", i % 55, " w", i % 7, " w", i % 31));
  for (std::string* longer : {&sentences.front(), &sentences.back()})
    for (int i = 0; i < 12; ++i) *longer += " w1";
  const std::string input = file("in.txt", lines_of(sentences));
  const std::vector<std::size_t> rows{0, block - 1, block, block + 1, 2 * block - 1, 2 * block, 2 * block + 2};
  std::vector<std::string> chosen;
  for (const std::size_t row : rows) chosen.push_back(sentences[row]);
  const std::vector<Embedding> expected = embed_one_by_one(model_, chosen);
  std::string bytes;
  for (const int ranks : {0, 2}) {
    const std::string output = out(concat("out-", ranks));
    const ProgramRun run = run_expecting(0, {"encode", model_, input, output},
                                         {"in.txt: 2 sentences have more than 16 tokens and are cut"}, ranks);
    // One rank reports the line, of the first block and of the last.
    for (const std::size_t lines : {block, sentences.size()}) {
      const std::string done = concat(" ", lines, "/", sentences.size(), " lines  ");
      const std::size_t place = run.errors.find(done);
      ASSERT_NE(place, std::string::npos) << done << "\n" << run.errors;
      EXPECT_EQ(run.errors.find(done, place + 1), std::string::npos) << run.errors;
    }
    const std::vector<float> mean = read_matrix(output, "/mean", sentences.size(), gaussian_dimension);
    const std::vector<float> log_var = read_matrix(output, "/log_var", sentences.size(), gaussian_dimension);
    for (std::size_t i = 0; i < rows.size(); ++i) expect_row(mean, log_var, rows[i], expected[i]);
    const std::string written = read_whole_file(output, 1 << 24);
    if (bytes.empty()) bytes = written;
    EXPECT_TRUE(written == bytes) << ranks << " ranks";
  }
}

/// This test has LibTorch, and the program that it starts has none.
TEST_F(Encode, HasTheBitsOfLibtorchInEachPrecision) {
  const std::vector<std::string> sentences = tiny_sentences(90, 5);
  const std::string input = file("in.txt", lines_of(sentences));
  std::vector<std::vector<float>> of_precisions;
  for (const std::string precision : {"fp32", "bf16", "int8"}) {
    SentenceModel model = open_sentence_model({.path = model_, .precision = precision}, at::kCPU);
    const at::Tensor expected = embed_texts(sentences, model, 2).rows;
    const std::string output = out(precision + ".h5");
    run_expecting(0, {"encode", model_, input, output, "--precision", precision});
    const std::vector<float> rows = EmbeddingsReader(output).read(0, sentences.size());
    ASSERT_EQ(rows.size(), static_cast<std::size_t>(expected.numel()));
    EXPECT_EQ(std::memcmp(rows.data(), expected.const_data_ptr<float>(), expected.nbytes()), 0) << precision;
    for (const std::vector<float>& others : of_precisions) EXPECT_NE(rows, others);
    of_precisions.push_back(rows);
  }
}

/// In another order, so in other batches: on one rank and on two.
TEST_F(Encode, ASentenceHasTheSameBitsInAnyOrderOfLines) {
  std::vector<std::string> sentences = tiny_sentences(700, 3);
  run_expecting(0, {"encode", model_, file("in.txt", lines_of(sentences)), out("out.h5")});
  const std::vector<float> rows = EmbeddingsReader(out("out.h5")).read(0, 700);
  std::vector<std::size_t> order(700);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 draw(7);
  for (const int ranks : {0, 2}) {
    std::shuffle(order.begin(), order.end(), draw);
    std::vector<std::string> shuffled;
    for (const std::size_t line : order) shuffled.push_back(sentences[line]);
    const std::string input = file("shuffled.txt", lines_of(shuffled)), output = out(concat("out-", ranks, ".h5"));
    run_expecting(0, {"encode", model_, input, output}, {}, ranks);
    const std::vector<float> others = EmbeddingsReader(output).read(0, 700);
    constexpr std::size_t width = 2 * gaussian_dimension;
    for (std::size_t i = 0; i < 700; ++i)
      ASSERT_TRUE(std::equal(&others[i * width], &others[i * width] + width, &rows[order[i] * width]))
          << "line " << i + 1 << ", " << ranks << " ranks";
  }
}

TEST_F(Encode, NamesItsModel) {
  const std::string input = file("in.txt", lines_of(tiny_sentences(100, 1)));  // two of which are cut
  const auto attributes_of = [&](const std::vector<std::string>& more) {
    run_expecting(0, with({"encode", model_, input, out("out.h5"), "--overwrite"}, more));
    return EmbeddingsReader(out("out.h5")).attributes();
  };
  std::map<std::string, std::string> attributes = attributes_of({});
  const std::string hash = attributes.at("model_hash"), version = attributes.at("version");
  EXPECT_EQ(hash.size(), 32u);
  EXPECT_NE(run_program({"--version"}).output.find(version), std::string::npos) << version;
  std::map<std::string, std::string> expected{{"format", "gausscse-embeddings/1"},
                                              {"model", model_},
                                              {"model_hash", hash},
                                              {"similarity", "per_dimension"},
                                              {"precision", "fp32"},
                                              {"pooling", "first_token"},
                                              {"max_tokens", "16"},
                                              {"version", version},
                                              {"cut_sentences", "2"}};
  EXPECT_EQ(attributes, expected);
  attributes = attributes_of({"--max-tokens", "12"});
  EXPECT_EQ(attributes.at("max_tokens"), "12");
  EXPECT_NE(attributes.at("model_hash"), hash);
  EXPECT_NE(attributes_of({"--precision", "bf16"}).at("model_hash"), hash);
  EXPECT_EQ(attributes_of({"--precision", "bf16"}).at("precision"), "bf16");
  EXPECT_NE(attributes_of({"--precision", "int8"}).at("model_hash"), hash);
  EXPECT_EQ(attributes_of({"--precision", "int8"}).at("precision"), "int8");
  std::map<std::string, std::string> hash_of_pooling;
  for (const std::string pooling : {"first_token", "mean"}) {
    run_expecting(0, {"encode", project_.model(), input, out("out.h5"), "--overwrite", "--pooling", pooling});
    attributes = EmbeddingsReader(out("out.h5")).attributes();
    EXPECT_EQ(attributes.at("pooling"), pooling);
    hash_of_pooling[attributes.at("model_hash")] = pooling;
  }
  EXPECT_EQ(hash_of_pooling.size(), 2u);
  save_tiny_model(project_, out("other"), {.head_seed = 6, .similarity = Similarity::joint});
  run_expecting(0, {"encode", out("other"), input, out("other.safetensors")});
  attributes = EmbeddingsReader(out("other.safetensors")).attributes();
  EXPECT_EQ(attributes.at("similarity"), "joint");
  EXPECT_NE(attributes.at("model_hash"), hash);
}

TEST_F(Encode, ReplacesAFileOnlyIfAskedTo) {
  const std::string input = file("in.txt", "w1\n"), existing = file("out.h5", "mine");
  run_expecting(2, {"encode", model_, input, existing}, {"--overwrite"});
  EXPECT_EQ(read_whole_file(existing, 100), "mine");
  run_expecting(0, {"encode", model_, input, existing, "--overwrite"});
  EXPECT_EQ(read_matrix(existing, "/mean", 1, gaussian_dimension).size(), gaussian_dimension);
}

TEST_F(Encode, WritesWhatTheSuffixSays) {
  const std::string input = file("in.txt", "w1\nw2 w3\n");
  run_expecting(0, {"encode", model_, input, out("out.h5")});
  run_expecting(0, {"encode", model_, input, out("out.safetensors")});
  const std::vector<float> mean = read_matrix(out("out.h5"), "/mean", 2, gaussian_dimension);
  const std::vector<float> log_var = read_matrix(out("out.h5"), "/log_var", 2, gaussian_dimension);
  const std::string bytes = read_whole_file(out("out.safetensors"), 1 << 20);
  std::string values(reinterpret_cast<const char*>(mean.data()), mean.size() * sizeof(float));
  values.append(reinterpret_cast<const char*>(log_var.data()), log_var.size() * sizeof(float));
  EXPECT_TRUE(bytes.ends_with(values));
  for (const auto& [name, text] : {std::pair{"out.npy", "a .npy file holds one array"},
                                   {"out.csv", "embeddings are not written as \".csv\": name the file .h5"}}) {
    run_expecting(2, {"encode", model_, input, out(name)}, {text});
    EXPECT_FALSE(fs::exists(out(name)));
  }
}

TEST_F(Encode, NeverWritesOverWhatItReads) {
  const std::string input = file("in.txt", "w1\n");
  run_expecting(2, {"encode", model_, input, input, "--overwrite"}, {}, 2);
  EXPECT_EQ(read_whole_file(input, 100), "w1\n");
  const std::string weights = model_ + "/model.safetensors";
  const std::string before = read_whole_file(weights, 1 << 24);
  run_expecting(2, {"encode", model_, input, weights, "--overwrite"});
  EXPECT_EQ(read_whole_file(weights, 1 << 24), before);
}

TEST_F(Encode, LooksAtItsOutputBeforeAnythingElse) {
  run_expecting(2, {"encode", out("no-model"), out("no.txt"), out("no-folder/out.h5")}, {"OUT"});
}

TEST_F(Encode, BadLinesAreRefusedOrLeftOut) {
  const std::string input = file("in.txt", "w1 w2\nw3 \xff\nw4\n");
  run_expecting(2, {"encode", model_, input, out("out.h5")}, {"in.txt:2"});
  EXPECT_FALSE(fs::exists(out("out.h5")));
  run_expecting(0, {"encode", model_, input, out("out.h5"), "--skip-bad-lines"}, {"lines is left out", "in.txt:2"}, 2);
  const std::vector<float> mean = read_matrix(out("out.h5"), "/mean", 2, gaussian_dimension);
  const std::vector<float> log_var = read_matrix(out("out.h5"), "/log_var", 2, gaussian_dimension);
  const std::vector<Embedding> expected = embed_one_by_one(model_, {"w1 w2", "w4"});
  for (std::size_t row = 0; row < 2; ++row) expect_row(mean, log_var, row, expected[row]);
}

TEST_F(Encode, AFullDiskLeavesNothing) {
  const std::string input = file("in.txt", lines_of(tiny_sentences(2000, 2)));
  run_expecting(2, {"encode", model_, input, out("out.h5")}, {}, {.largest_file = 100'000});
  EXPECT_FALSE(fs::exists(out("out.h5")));
  for (const auto& entry : fs::directory_iterator(folder_.path()))
    EXPECT_EQ(entry.path().string().find(".tmp-"), std::string::npos) << entry.path();
}

/// No process has the first number, which is above the largest that Linux gives; the second lives.
TEST_F(Encode, RemovesWhatAKilledOneLeft) {
  const std::string input = file("in.txt", "w1\n");
  const std::string dead = concat(".tmp-", host_name(), "-4194305-0"), alive = concat(".tmp-", host_name(), "-1-0");
  const std::vector<std::string> others{"out.h5" + alive, "other.h5" + dead, "out.h5.tmp-elsewhere-17-0"};
  for (const std::string& name : others) file(name, "another's");
  file("out.h5" + dead, "half");
  run_expecting(0, {"encode", model_, input, out("out.h5")}, {}, 2);
  EXPECT_FALSE(fs::exists(out("out.h5" + dead)));
  for (const std::string& name : others) EXPECT_TRUE(fs::exists(out(name))) << name;
}

TEST_F(Encode, BadFilesAreCodeTwo) {
  run_expecting(2, {"encode", model_, file("empty.txt", ""), out("out.h5")});
  run_expecting(2, {"encode", project_.model().string(), file("in.txt", "w1\n"), out("out.h5")});
  run_expecting(2, {"encode", "/nowhere", file("in.txt", "w1\n"), out("out.h5")});
  EXPECT_FALSE(fs::exists(out("out.h5")));
}

}  // namespace
}  // namespace gausscse
