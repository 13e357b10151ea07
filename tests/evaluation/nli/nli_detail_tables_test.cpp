#include "evaluation/nli/nli_detail_tables.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using DetailCells = std::vector<std::string>;

/// Returns the rows of tables, each as its words: a line that begins with the two words of an earlier one goes on with
/// that row. No line is wider than 100.
std::vector<DetailCells> words_of_rows(const std::string& text) {
  std::vector<DetailCells> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100u) << line;
    std::istringstream in(line);
    const DetailCells words{std::istream_iterator<std::string>(in), {}};
    const auto known = std::find_if(rows.begin(), rows.end(), [&](const DetailCells& row) {
      return std::equal(row.begin(), row.begin() + 2, words.begin());
    });
    if (known == rows.end())
      rows.push_back(words);
    else
      known->insert(known->end(), words.begin() + 2, words.end());
  }
  return rows;
}

Measurement measured_set(const std::string& name, std::vector<Metric> metrics) {
  Measurement measurement;
  measurement.task = name;
  measurement.kind = "nli";
  measurement.metrics = std::move(metrics);
  return measurement;
}

/// Intervals by Wilson's formula: 80 of 100 are [71.12, 86.66] %, 0 of 10 [0, 27.75] %, 9 of 10 [59.58, 98.21] %.
TEST(NliDetailTables, HaveDirectionsByLengthWithWilsonIntervals) {
  const Measurement set =
      measured_set("sick", {{"directed_pairs", 100, Unit::count},
                            {"direction_sim", 0.8},
                            {"direction_var", 0.5},
                            {"direction_length", 0.9},
                            {"directed_pairs.equal_length", 0, Unit::count},
                            {"direction_sim.equal_length", std::numeric_limits<double>::quiet_NaN()},
                            {"directed_pairs.premise_longer_by_1_to_10", 10, Unit::count},
                            {"direction_sim.premise_longer_by_1_to_10", 0.9},
                            {"direction_var.premise_longer_by_1_to_10", 0.0},
                            {"directed_pairs.premise_shorter_by_1_to_10", 10, Unit::count},
                            {"direction_sim.premise_shorter_by_1_to_10", 0.0},
                            {"direction_var.premise_shorter_by_1_to_10", 0.9}});
  const auto rows = words_of_rows(nli_detail_tables({set}));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0][0], "direction") << "there is no table of probabilities";
  EXPECT_EQ(rows[1], (DetailCells{"sick", "premise_shorter_by_1_to_10", "10", "0.00", "[0.00,", "27.75]", "90.00",
                                  "[59.58,", "98.21]", "0.00"}));
  EXPECT_EQ(rows[2], (DetailCells{"sick", "premise_longer_by_1_to_10", "10", "90.00", "[59.58,", "98.21]", "0.00",
                                  "[0.00,", "27.75]", "100.00"}));
  EXPECT_EQ(rows[3],
            (DetailCells{"sick", "all", "100", "80.00", "[71.12,", "86.66]", "50.00", "[40.38,", "59.62]", "90.00"}));
}

TEST(NliDetailTables, ALongerSentenceGuessesWhereLengthsAreEqual) {
  const Measurement set = measured_set("sick", {{"directed_pairs", 4, Unit::count},
                                                {"directed_pairs.equal_length", 4, Unit::count},
                                                {"direction_sim.equal_length", 0.75},
                                                {"direction_var.equal_length", 0.25}});
  EXPECT_EQ(words_of_rows(nli_detail_tables({set})).at(1).back(), "50.00");
}

TEST(NliDetailTables, HaveProbabilitiesByEachCalibrator) {
  std::vector<Metric> metrics{{"directed_pairs", 0, Unit::count}};
  double value = 0;
  for (const std::string calibrator : {"platt", "logistic", "isotonic"})
    for (const std::string metric :
         {"auprc", "accuracy", "nll", "brier", "ece", "ece_debiased", "ece_low", "ece_high", "ece_null", "aurc",
          "coverage_5", "coverage_10", "answered_5", "error_5", "answered_10", "error_10"})
      metrics.push_back({concat(calibrator, ".", metric), value += 0.01});
  metrics.back().value = std::numeric_limits<double>::quiet_NaN();
  const auto rows = words_of_rows(
      nli_detail_tables({measured_set("none", {}), measured_set("snli", metrics), measured_set("mnli", metrics)}));
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[1],
            (DetailCells{"snli", "platt", "1.00", "2.00", "0.0300", "0.0400", "0.0500", "0.0900", "0.0600", "[0.0700,",
                         "0.0800]", "0.1000", "11.00", "12.00", "13.00", "14.00", "15.00", "16.00"}));
  EXPECT_EQ(rows[2][1], "logistic");
  EXPECT_EQ(rows[6],
            (DetailCells{"mnli", "isotonic", "33.00", "34.00", "0.3500", "0.3600", "0.3700", "0.4100", "0.3800",
                         "[0.3900,", "0.4000]", "0.4200", "43.00", "44.00", "45.00", "46.00", "47.00", "-"}));
  Measurement other = measured_set("sts", metrics);
  other.kind = "sts";
  EXPECT_EQ(nli_detail_tables({other}), "");
}

}  // namespace
}  // namespace gausscse
