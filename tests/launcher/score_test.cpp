#include <nlohmann/json.hpp>

#include "tests/launcher/tiny_model.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

constexpr std::size_t pairs_of_a_file = 300;

struct Row {
  double forward = 0, backward = 0;
  std::string verdict;
};

std::vector<Row> rows_of(const std::string& output) {
  std::vector<Row> rows;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream columns(line);
    std::string forward, backward;
    Row row;
    std::getline(columns, forward, '\t');
    std::getline(columns, backward, '\t');
    std::getline(columns, row.verdict);
    row.forward = std::stod(forward);
    row.backward = std::stod(backward);
    rows.push_back(std::move(row));
  }
  return rows;
}

class Score : public TinyProjectTest {
 protected:
  Score() : model_(path("saved")), first_(tiny_sentences(pairs_of_a_file, 3)) {
    second_ = tiny_sentences(pairs_of_a_file, 4);
    second_[5] = first_[5];
    second_[6] = "";
    std::string lines;
    for (std::size_t i = 0; i < pairs_of_a_file; ++i) lines += first_[i] + "\t" + second_[i] + "\n";
    file_ = path("pairs.tsv");
    write_bytes(file_, lines);
  }

  /// Saves a model whose threshold divides the pairs, and gives the expected answers.
  std::vector<Row> save_and_expect(TinyModel model, double (*similarity)(const Embedding&, const Embedding&)) {
    save_tiny_model(project_, model_, model);
    const std::vector<Embedding> first = embed_one_by_one(model_, first_), second = embed_one_by_one(model_, second_);
    std::vector<Row> rows;
    std::vector<double> larger;
    for (std::size_t i = 0; i < pairs_of_a_file; ++i) {
      rows.push_back({similarity(second[i], first[i]), similarity(first[i], second[i]), ""});
      larger.push_back(std::max(rows[i].forward, rows[i].backward));
    }
    std::sort(larger.begin(), larger.end());
    threshold_ = larger[pairs_of_a_file / 3];
    model.threshold = threshold_;
    save_tiny_model(project_, model_, model);
    return rows;
  }

  std::string verdict_of(const Row& row, double tolerance) const {
    if (std::max(row.forward, row.backward) < threshold_) return "no entailment";
    if (std::abs(row.forward - row.backward) <= tolerance) return "both";
    return row.forward > row.backward ? "first entails second" : "second entails first";
  }

  /// Compares all columns; pairs so near to a border that rounding decides are left out, and are few.
  void compare(const std::vector<Row>& rows, const std::vector<Row>& expected, double tolerance) {
    ASSERT_EQ(rows.size(), pairs_of_a_file);
    std::map<std::string, int> verdicts;
    for (std::size_t i = 0; i < pairs_of_a_file; ++i) {
      SCOPED_TRACE(concat("pair ", i + 1));
      EXPECT_NEAR(rows[i].forward, expected[i].forward, 3e-6);
      EXPECT_NEAR(rows[i].backward, expected[i].backward, 3e-6);
      const double difference = std::abs(expected[i].forward - expected[i].backward);
      const double from_threshold = std::abs(std::max(expected[i].forward, expected[i].backward) - threshold_);
      if (i != 5 && (std::abs(difference - tolerance) < 1e-5 || from_threshold < 1e-5)) continue;
      EXPECT_EQ(rows[i].verdict, verdict_of(expected[i], tolerance));
      ++verdicts[rows[i].verdict];
    }
    EXPECT_GT(verdicts["no entailment"], 50);
    EXPECT_GT(verdicts["first entails second"], 20);
    EXPECT_GT(verdicts["second entails first"], 20);
    EXPECT_GT(verdicts["both"], 0);
  }

  std::string model_, file_;
  std::vector<std::string> first_, second_;
  double threshold_ = 0;
};

TEST_F(Score, PrintsBothSimilaritiesAndTheVerdictForAnyRanks) {
  const std::vector<Row> expected = save_and_expect({}, per_dimension_similarity);
  std::string output;
  for (const int ranks : {0, 2, 3}) {
    const ProgramRun run =
        run_expecting(0, {"score", model_, file_}, {concat(expected.size(), "/", expected.size(), " lines")}, ranks);
    if (output.empty()) output = run.output;
    EXPECT_EQ(run.output, output) << ranks << " ranks";
  }
  const std::vector<Row> rows = rows_of(output);
  compare(rows, expected, 1e-6);
  EXPECT_EQ(rows[5].forward, 1.0);
  EXPECT_EQ(rows[5].verdict, "both");
}

TEST_F(Score, FollowsTheModelsSimilarity) {
  const std::vector<Row> expected = save_and_expect({.similarity = Similarity::joint}, joint_similarity);
  const ProgramRun run = run_expecting(0, {"score", model_, file_});
  compare(rows_of(run.output), expected, 1e-6);
}

TEST_F(Score, WritesTheSameForPrograms) {
  const std::vector<Row> expected = save_and_expect({}, per_dimension_similarity);
  const std::string report = path("scores.json");
  const ProgramRun text = run_expecting(0, {"score", model_, file_, "--tolerance", "0.125", "--json", report});
  const std::vector<Row> rows = rows_of(text.output);
  for (const int ranks : {0, 2}) {
    const ProgramRun run =
        run_program({"score", model_, file_, "--tolerance", "0.125", "--header", "--json", "-"}, ranks);
    EXPECT_TRUE(run.output == read_whole_file(report, 1 << 20)) << ranks << " ranks: " << run.errors;
  }
  const nlohmann::json json = nlohmann::json::parse(read_whole_file(report, 1 << 20));
  EXPECT_EQ(json["format"], "gausscse-scores/1");
  EXPECT_EQ(json["similarity"], "per_dimension");
  EXPECT_EQ(json["threshold"], threshold_);
  EXPECT_EQ(json["tolerance"], 0.125);
  ASSERT_EQ(json["pairs"].size(), pairs_of_a_file);
  for (std::size_t i = 0; i < pairs_of_a_file; ++i) {
    const nlohmann::json& pair = json["pairs"][i];
    EXPECT_NEAR(pair["sim(second||first)"].get<double>(), expected[i].forward, 3e-6);
    EXPECT_NEAR(pair["sim(first||second)"].get<double>(), expected[i].backward, 3e-6);
    EXPECT_NEAR(pair["sim(second||first)"].get<double>(), rows[i].forward, 5.1e-7);
    EXPECT_EQ(pair["verdict"], rows[i].verdict);
  }
}

TEST_F(Score, TakesATolerance) {
  const std::vector<Row> expected = save_and_expect({}, per_dimension_similarity);
  std::vector<double> differences;
  for (const Row& row : expected) differences.push_back(std::abs(row.forward - row.backward));
  std::sort(differences.begin(), differences.end());
  const double tolerance = std::round(differences[pairs_of_a_file / 3] * 1e4) / 1e4;
  ASSERT_GT(tolerance, 0);
  const ProgramRun run = run_expecting(0, {"score", model_, file_, "--tolerance", concat(tolerance)});
  compare(rows_of(run.output), expected, tolerance);
}

TEST_F(Score, ASimilarityOfJustTheThresholdIsEnough) {
  save_tiny_model(project_, model_, {.threshold = 1.0});
  const std::vector<Row> rows = rows_of(run_program({"score", model_, file_}).output);
  ASSERT_EQ(rows.size(), pairs_of_a_file);
  EXPECT_EQ(rows[5].forward, 1.0);
  EXPECT_EQ(rows[5].verdict, "both");
  EXPECT_EQ(rows[6].verdict, "no entailment");
}

TEST_F(Score, NamesItsColumnsOnce) {
  save_tiny_model(project_, model_, {});
  const ProgramRun bare = run_program({"score", model_, file_}),
                   headed = run_program({"score", model_, file_, "--header"}, 2);
  ASSERT_EQ(headed.exit_code, 0) << headed.errors;
  EXPECT_EQ(headed.output, "sim(second||first)\tsim(first||second)\tverdict\n" + bare.output);
}

TEST_F(Score, BadLinesAreRefusedOrLeftOut) {
  save_tiny_model(project_, model_, {});
  for (const std::string bad : {"w1 w2", "w1\tw2\tw3", "w1\t\xff"}) {
    write_bytes(file_, "w1\tw2\n" + bad + "\nw3\tw3\n");
    EXPECT_EQ(run_expecting(2, {"score", model_, file_}, {"pairs.tsv:2"}).output, "");
    const ProgramRun run = run_expecting(0, {"score", model_, file_, "--skip-bad-lines"}, {"pairs.tsv:2"});
    const std::vector<Row> rows = rows_of(run.output);
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_LT(rows[0].forward, 1.0);
    EXPECT_EQ(rows[1].forward, 1.0);
  }
}

TEST_F(Score, ReportsCutSentences) {
  save_tiny_model(project_, model_, {});
  const ProgramRun run = run_program({"score", model_, file_});
  EXPECT_TRUE(says(run.errors, "pairs.tsv: 12 sentences have more than 16 tokens and are cut"));
}

/// In the opposite order, so in other batches, on one rank and on two: the digits that `--json` writes are all of them.
TEST_F(Score, APairHasTheSameSimilaritiesInAnyOrderOfLines) {
  save_tiny_model(project_, model_, {});
  std::string reversed;
  for (std::size_t i = pairs_of_a_file; i-- > 0;) reversed += first_[i] + "\t" + second_[i] + "\n";
  const std::string reversed_file = file("reversed.tsv", reversed);
  const auto pairs_in = [&](const std::string& pairs, int ranks) {
    run_expecting(0, {"score", model_, pairs, "--json", path("scores.json"), "--overwrite"}, {}, ranks);
    const nlohmann::json report = nlohmann::json::parse(read_whole_file(path("scores.json"), 1 << 22));
    std::vector<std::string> texts;
    for (const nlohmann::json& pair : report["pairs"]) texts.push_back(pair.dump());
    std::filesystem::remove(path("scores.json"));
    return texts;
  };
  const std::vector<std::string> expected = pairs_in(file_, 0);
  ASSERT_EQ(expected.size(), pairs_of_a_file);
  EXPECT_NE(expected.front(), expected.back());
  for (const int ranks : {0, 2}) {
    std::vector<std::string> others = pairs_in(reversed_file, ranks);
    std::ranges::reverse(others);
    EXPECT_EQ(others, expected) << ranks << " ranks";
  }
}

}  // namespace
}  // namespace gausscse
