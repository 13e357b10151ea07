#include "tests/launcher/tiny_model.hpp"
#include "tests/results/read_matrix.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

constexpr std::size_t plain_dimension = 32, plain_sentences = 80;

double cosine(const Embedding& p, const Embedding& q) {
  double product = 0, square_p = 0, square_q = 0;
  for (std::size_t d = 0; d < p.size(); ++d) {
    const double a = static_cast<double>(p[d]), b = static_cast<double>(q[d]);
    product += a * b;
    square_p += a * a;
    square_q += b * b;
  }
  return product / std::sqrt(square_p * square_q);
}

/// A saved model whose embeddings are plain vectors.
class PlainModel : public TinyProjectTest, public testing::WithParamInterface<HeadKind> {
 protected:
  PlainModel() : model_(path("saved")) {}

  void save(std::optional<double> threshold, PoolingKind pooling = PoolingKind::mean) {
    TinyModel model;
    model.similarity = Similarity::cosine;
    model.threshold = threshold;
    model.head = GetParam();
    model.pooling = pooling;
    std::filesystem::remove_all(model_);
    save_tiny_model(project_, model_, model);
  }

  std::string model_;
};

TEST_P(PlainModel, IsEncodedAsOneDataset) {
  const std::vector<std::string> given = tiny_sentences(plain_sentences, 1);
  const std::string input = file("in.txt", lines_of(given));
  for (const PoolingKind pooling : {PoolingKind::first_token, PoolingKind::max}) {
    save(std::nullopt, pooling);
    const std::vector<Embedding> expected = embed_one_by_one(model_, given);
    std::string bytes;
    for (const int ranks : {0, 2}) {
      const std::string output = (folder_ / concat("out-", name_of(pooling), ranks, ".h5")).string();
      run_expecting(0, {"encode", model_, input, output}, {}, ranks);
      const std::vector<float> rows = read_matrix(output, "/embedding", plain_sentences, plain_dimension);
      for (std::size_t i = 0; i < plain_sentences; ++i) {
        ASSERT_EQ(expected[i].size(), plain_dimension);
        for (std::size_t d = 0; d < plain_dimension; ++d)
          ASSERT_NEAR(rows[i * plain_dimension + d], expected[i][d], 1e-5) << i;
      }
      const std::string written = read_whole_file(output, 1 << 20);
      EXPECT_EQ(written.find("log_var"), std::string::npos);
      if (bytes.empty()) bytes = written;
      EXPECT_TRUE(written == bytes) << ranks << " ranks";
    }
  }
}

TEST_P(PlainModel, PairsHaveACosineAndNoDirection) {
  std::vector<std::string> first = tiny_sentences(plain_sentences, 3), second = tiny_sentences(plain_sentences, 4);
  second[5] = first[5];
  std::string lines;
  for (std::size_t i = 0; i < plain_sentences; ++i) lines += first[i] + "\t" + second[i] + "\n";
  const std::string pairs = file("pairs.tsv", lines);
  save(std::nullopt);
  const std::vector<Embedding> p = embed_one_by_one(model_, first), q = embed_one_by_one(model_, second);
  std::vector<double> expected, sorted;
  for (std::size_t i = 0; i < plain_sentences; ++i) expected.push_back(cosine(p[i], q[i]));
  sorted = expected;
  std::sort(sorted.begin(), sorted.end());
  const double middle = (sorted[plain_sentences / 2 - 1] + sorted[plain_sentences / 2]) / 2;
  for (const std::optional<double> threshold : {std::optional<double>(), std::optional<double>(middle)}) {
    save(threshold);
    const ProgramRun run = run_expecting(0, {"score", model_, pairs, "--header"}, {}, threshold ? 2 : 0);
    std::istringstream output(run.output);
    std::string line;
    std::getline(output, line);
    EXPECT_EQ(line, "sim(second||first)\tsim(first||second)\tverdict");
    for (std::size_t i = 0; i < plain_sentences; ++i) {
      ASSERT_TRUE(std::getline(output, line));
      std::istringstream columns(line);
      std::string forward, backward, verdict;
      std::getline(columns, forward, '\t');
      std::getline(columns, backward, '\t');
      std::getline(columns, verdict);
      EXPECT_NEAR(std::stod(forward), expected[i], 3e-6) << i;
      EXPECT_EQ(forward, backward);
      if (!threshold) {
        EXPECT_EQ(verdict, "none");
      } else if (std::abs(expected[i] - middle) > 1e-5) {
        EXPECT_EQ(verdict, expected[i] < middle ? "no entailment" : "entailment") << i;
      }
    }
    EXPECT_FALSE(std::getline(output, line));
  }
}

INSTANTIATE_TEST_SUITE_P(Heads, PlainModel, testing::Values(HeadKind::mlp_tanh, HeadKind::none),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

/// A Gaussian model gives no verdict without a threshold either.
TEST(GaussianModel, WithoutAThresholdGivesNoVerdict) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const std::string model = (folder / "saved").string();
  save_tiny_model(project, model, {.threshold = std::nullopt});
  write_bytes(folder / "pairs.tsv", "w1 w2\tw3\n");
  EXPECT_TRUE(says(run_expecting(0, {"score", model, (folder / "pairs.tsv").string()}).output, "\tnone\n"));
  write_bytes(folder / "dev.jsonl", R"({"sentence1": "w1", "sentence2": "w2", "gold_label": "entailment"})"
                                    "\n");
  run_expecting(2, {"eval", model, "--test", "t=" + (folder / "dev.jsonl").string()},
                {"the model has no threshold for the set \"t\": give --dev FILE or --own-dev t=FILE"});
}

}  // namespace
}  // namespace gausscse
