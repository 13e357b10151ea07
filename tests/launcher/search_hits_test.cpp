#include <nlohmann/json.hpp>

#include "inference/calibration/calibration.hpp"
#include "results/hdf5_values.hpp"
#include "tests/launcher/search_project.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using nlohmann::json;

/// A search of 9 queries in 300 rows, and a calibration of hits whose probabilities differ from query to query.
class SearchHits : public Search {
 protected:
  SearchHits() : hits_file_(path("hits.json")) {
    numbers_.of = CalibrationOf::hits;
    numbers_.set = "dev";
    numbers_.data_hash = "00";
    numbers_.rows = 300;
    numbers_.platt = {3, -0.5};
    numbers_.logistic = {{0.3, 0.5, 1, 1, 0}, {0.2, 0.4, 1, 1, 1}, {0.5, -0.25, 0.3, -0.2, 2}, 0.1};
    numbers_.isotonic = {{0, 1}, {0.2, 0.8}};
  }

  void write_numbers() { write_bytes(hits_file_, Calibration(numbers_).text()); }

  ProgramRun run(const std::vector<std::string>& options, int ranks = 0) {
    return run_program(with(search({"--calibration", hits_file_}), options), ranks);
  }

  /// Returns P of the best row of each query by each calibrator, from the similarities of the first ten.
  std::vector<std::vector<double>> expected() {
    const auto logit = [](double s) {
      s = std::clamp(s, 1e-7, 1 - 1e-7);
      return std::log(s / (1 - s));
    };
    const json found = json::parse(run_program(search({"--top", "10", "--json", "-"})).output).at("hits");
    std::vector<std::vector<double>> p(3);
    for (std::size_t query = 0; query < queries_.size(); ++query) {
      const json &best = found[10 * query], &second = found[10 * query + 1], &last = found[10 * query + 9];
      const double x = logit(best.at("sim(query||row)"));
      const PairFeatures features = {std::sqrt(x - logit(second.at("sim(query||row)"))),
                                     x - logit(last.at("sim(query||row)")), x, logit(best.at("sim(row||query)")),
                                     -best.at("log_var_difference").get<double>()};
      double score = numbers_.logistic.intercept;
      for (std::size_t i = 0; i < features.size(); ++i)
        score += numbers_.logistic.weight[i] * (features[i] - numbers_.logistic.mean[i]) / numbers_.logistic.scale[i];
      p[0].push_back(1 / (1 + std::exp(-(3 * features[0] - 0.5))));
      p[1].push_back(1 / (1 + std::exp(-score)));
      p[2].push_back(0.2 + 0.6 * std::min(features[0], 1.0));
    }
    return p;
  }

  std::string hits_file_;
  CalibrationNumbers numbers_;
};

TEST_F(SearchHits, HaveTheProbabilityThatTheBestRowIsRight) {
  write_numbers();
  encode_both();
  const std::vector<std::vector<double>> p = expected();
  for (const auto& [calibrator, name] : names<Calibrator>) {
    const std::vector<PrintedRow> rows = printed_rows(run({"--top", "3", "--calibrator", std::string(name)}).output);
    ASSERT_EQ(rows.size(), 27u);
    for (const PrintedRow& row : rows) {
      SCOPED_TRACE(concat(name, " of query ", row.query, ", rank ", row.rank));
      if (row.rank > 1) {
        EXPECT_EQ(row.probability, "") << "it is no probability of a lower row";
        continue;
      }
      EXPECT_NEAR(std::stod(row.probability), p[static_cast<std::size_t>(calibrator)][row.query], 1e-6);
    }
  }
  const ProgramRun of_all = run({});
  EXPECT_EQ(printed_rows(of_all.output).size(), 90u);
  std::string best;
  std::istringstream lines(of_all.output);
  for (std::string line; std::getline(lines, line);)
    if (line.find("\t1\t") == line.find('\t')) best += line + "\n";
  EXPECT_EQ(run({"--top", "1"}).output, best) << "the other rows are compared where they are not shown";
  EXPECT_EQ(run({"--top", "1"}, 3).output, best);
  EXPECT_EQ(run({"--calibrator", "logistic"}).output, of_all.output) << "it is the usual one";
  const json document = json::parse(run({"--json", "-"}).output);
  EXPECT_EQ(document.at("calibration"),
            json({{"of", "hits"}, {"set", "dev"}, {"data", "00"}, {"rows", 300}, {"calibrator", "logistic"}}));
  EXPECT_FALSE(document.at("hits")[0].contains("verdict"));
}

/// The threshold lies between the fourth and the fifth query by P.
TEST_F(SearchHits, AnswerOrAbstainAtARisk) {
  std::vector<double> p = expected()[1], sorted = p;
  std::sort(sorted.rbegin(), sorted.rend());
  const double least = (sorted[3] + sorted[4]) / 2;
  numbers_.cuts[1] = {{least, 100, 0}};
  write_numbers();
  const std::vector<std::string> options{"--top", "2", "--risk", "0.05"};
  const ProgramRun printed = run(with(options, {"--header"}));
  EXPECT_TRUE(ended(printed, 0, {"verdicts at a risk of 5.00 %: found 4, abstains 5"}));
  EXPECT_EQ(printed.output.substr(0, printed.output.find('\n')),
            "query\trank\trow\tsim(query||row)\tsim(row||query)\tprobability\tverdict\tlog_var_difference\ttext");
  EXPECT_EQ(run(with(options, {"--header"}), 2).output, printed.output);
  const json document = json::parse(run(with(options, {"--json", "-"})).output);
  EXPECT_EQ(document.at("calibration").at("risk"), 0.05);
  EXPECT_EQ(document.at("calibration").at("confidence"), least);
  EXPECT_EQ(document.at("calibration").at("found"), 4);
  std::string verdicts;
  for (const json& hit : document.at("hits")) {
    const json verdict = hit.at("verdict");
    if (hit.at("rank") == 2) {
      EXPECT_TRUE(verdict.is_null());
      verdicts += "\n";
      continue;
    }
    EXPECT_EQ(verdict, p[hit.at("query").get<std::size_t>()] >= least ? "found" : "abstains");
    verdicts += verdict.get<std::string>() + "\n";
  }
  std::string in_lines;
  std::istringstream lines(printed.output.substr(printed.output.find('\n') + 1));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream columns(line);
    for (int i = 0; i < 7; ++i) std::getline(columns, line, '\t');
    in_lines += line + "\n";
  }
  EXPECT_EQ(in_lines, verdicts);
  ASSERT_TRUE(ended(run(with(options, {"--out", path("hits.h5")})), 0));
  std::string in_file;
  for (const std::string& verdict : read_texts(H5::H5File(path("hits.h5"), H5F_ACC_RDONLY), "verdict"))
    in_file += verdict + "\n";
  EXPECT_EQ(in_file, verdicts);
  const ProgramRun none = run({"--risk", "0.01", "--top", "1"});
  EXPECT_TRUE(ended(none, 0, {"no probability promises an error of at most 1.00 %", "found 0, abstains 9"}));
  const ProgramRun quiet = run({"--risk", "0.01", "--top", "1", "--quiet"});
  EXPECT_TRUE(ended(quiet, 0, {"warning: no probability promises an error of at most 1.00 %", "every query abstains"}));
  EXPECT_EQ(std::count(quiet.errors.begin(), quiet.errors.end(), '\n'), 1) << quiet.errors;
  EXPECT_EQ(run({"--risk", "0.05", "--quiet"}).errors, "") << "some are answered";
  const std::string one = file("one.txt", "w1 w2\n");
  for (const bool is_alone : {true, false}) {
    const ProgramRun small = run_program({"search", model_, is_alone ? one : file("two.txt", "w1 w2\nw3\n"), one,
                                          "--calibration", hits_file_, "--risk", "0.01", "--quiet"});
    EXPECT_EQ(says(small.errors, "the corpus has one row, and the probability of a best row needs a second one"),
              is_alone);
    EXPECT_FALSE(says(small.errors, "fitted on hits among")) << "another warning stays hidden";
  }
}

TEST_F(SearchHits, WarnOfACorpusOfAnotherSizeAndOfOtherHits) {
  for (const auto& [rows, warns] :
       {std::pair<std::uint64_t, bool>{149, true}, {150, false}, {600, false}, {601, true}}) {
    numbers_.rows = rows;
    write_numbers();
    EXPECT_EQ(run({}).errors.find(concat("the corpus has 300 rows, but the calibration was fitted on hits among ", rows,
                                         " of \"dev\"")) != std::string::npos,
              warns)
        << rows;
  }
  numbers_.logistic.scale = {10, 10, 10, 10, 10};
  write_numbers();
  EXPECT_EQ(run({}).errors.find("best hits unlike those"), std::string::npos);
  // Higher similarities are warned of, too: those of the fit were the best of many rows.
  for (const double mean : {-8.0, 8.0}) {
    numbers_.logistic.mean[2] = mean;
    numbers_.logistic.scale[2] = 1;
    write_numbers();
    EXPECT_TRUE(says(run({}).errors, "queries.txt: 9 best hits unlike those of \"dev\"")) << mean;
  }
}

TEST_F(SearchHits, AreRefusedWhereTheyDoNotServe) {
  write_numbers();
  EXPECT_TRUE(ended(run({"--direction", "both"}), 2, {"is one of the direction \"entails\"", "\"both\""}));
  EXPECT_TRUE(ended(run({"--direction", "entails"}), 0));
  const std::string pairs = file("pairs.tsv", "w1 w2\tw3\n");
  run_expecting(2, {"score", model_, pairs, "--probability", "--calibration", hits_file_},
                {"is a calibration of hits", "gausscse eval MODEL --dev PAIRS --save-calibration FILE"});
  run_expecting(2, search({"--risk", "0.05"}), {"--risk needs a calibration of hits"});
  EXPECT_TRUE(ended(run({"--risk", "1"}), 2, {"is no risk"}));
  EXPECT_TRUE(ended(run({"--risk", "0.1", "--mine", path("mined.csv")}), 2, {"--risk excludes --mine"}));
  numbers_.of = CalibrationOf::pairs;
  write_numbers();
  EXPECT_TRUE(ended(run({"--risk", "0.05"}), 2, {"which is one of pairs", "--retrieval NAME=SET"}));
  // The calibrators of pairs are passed on as well.
  const std::vector<PrintedRow> usual = printed_rows(run({"--top", "2"}).output);
  for (const PrintedRow& row : printed_rows(run({"--top", "2", "--calibrator", "isotonic"}).output))
    EXPECT_NEAR(std::stod(row.probability), 0.2 + 0.6 * std::clamp(std::log(row.forward / (1 - row.forward)), 0.0, 1.0),
                1e-4);
  for (const PrintedRow& row : usual)
    EXPECT_NEAR(std::stod(row.probability), 1 / (1 + std::exp(0.5) * std::pow(row.forward / (1 - row.forward), -3)),
                1e-4);
}

}  // namespace
}  // namespace gausscse
