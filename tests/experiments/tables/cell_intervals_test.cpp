#include "experiments/tables/cell_intervals.hpp"

#include "base/philox.hpp"
#include "evaluation/metrics/metrics.hpp"
#include "experiments/statistics/descriptive.hpp"
#include "experiments/statistics/tests_of_significance.hpp"
#include "experiments/tables/make_table.hpp"
#include "tests/experiments/study/sample_study.hpp"
#include "tests/experiments/tables/made_up_study.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Returns the cell of a table of one row.
TableCell cell_with(const StudyResults& study, setting::CellInterval interval,
                    const std::string& metric = "snli.accuracy") {
  return make_table(table_of({"loss"}, metric), study, {.interval = interval}).cells.at(0).at(0);
}

StudyTrial trial_of_seed(std::int64_t seed, double accuracy, double pairs = 100) {
  return done_trial({{"loss", "ent"}}, seed,
                    {{"accuracy", accuracy},
                     {"auprc", accuracy},
                     {"direction_length", 0.5},
                     {"pairs", pairs},
                     {"directed_pairs", pairs / 2}});
}

TEST(CellIntervals, NoneUnlessAsked) {
  const StudyResults study = study_of({trial_of_seed(0, 0.5), trial_of_seed(1, 0.7)});
  EXPECT_FALSE(cell_with(study, setting::CellInterval::none).low);
}

TEST(CellIntervals, StudentsIsOverTrials) {
  const StudyResults study = study_of({trial_of_seed(0, 0.5), trial_of_seed(1, 0.7)});
  const TableCell cell = cell_with(study, setting::CellInterval::t);
  // One degree of freedom: tan(0.475 pi) = 12.7062; deviation over sqrt(2) is 0.1.
  EXPECT_NEAR(cell.low.value(), 0.6 - 1.27062047, 1e-7);
  EXPECT_NEAR(cell.high.value(), 0.6 + 1.27062047, 1e-7);
  EXPECT_FALSE(cell_with(study_of({trial_of_seed(0, 0.5)}), setting::CellInterval::t).low);
}

TEST(CellIntervals, WilsonsIsOverTheItemsOfOneTrial) {
  const StudyResults study = study_of({trial_of_seed(0, 0.5), trial_of_seed(1, 0.7)});
  const double z2 = 1.959963984540054 * 1.959963984540054;
  const auto wanted = [&](double p, double n) {
    return (p + z2 / (2 * n) - std::sqrt(z2) * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n))) / (1 + z2 / n);
  };
  EXPECT_NEAR(cell_with(study, setting::CellInterval::wilson).low.value(), wanted(0.6, 100), 1e-12);
  EXPECT_NEAR(cell_with(study, setting::CellInterval::wilson, "snli.direction_length").low.value(), wanted(0.5, 50),
              1e-12);
  EXPECT_FALSE(cell_with(study, setting::CellInterval::wilson, "snli.auprc").low);
  const StudyResults others = study_of({trial_of_seed(0, 0.5), trial_of_seed(1, 0.7, 90)});
  EXPECT_FALSE(cell_with(others, setting::CellInterval::wilson).low);
}

TEST(CellIntervals, WilsonsOfAPartIsOverItsItems) {
  const StudyResults study = study_of({done_trial({{"loss", "ent"}}, 0,
                                                  {{"accuracy", 0.5},
                                                   {"pairs", 1000},
                                                   {"directed_pairs", 400},
                                                   {"direction_var.equal_length", 0.75},
                                                   {"directed_pairs.equal_length", 8},
                                                   {"accuracy.genre=a", 0.25},
                                                   {"pairs.genre=a", 40},
                                                   {"accuracy.neutral", 0.5},
                                                   {"direction_length.similar_length", 0.5},
                                                   {"directed_pairs.similar_length", 20}})});
  // As statsmodels.stats.proportion.proportion_confint(count, nobs, method="wilson") has them.
  const struct {
    const char* metric;
    double low, high;
  } known[] = {{"snli.direction_var.equal_length", 0.409275430310, 0.928520787248},
               {"snli.accuracy.genre=a", 0.141871186391, 0.401939614208},
               {"snli.direction_length.similar_length", 0.299298008198, 0.700701991802}};
  for (const auto& each : known) {
    const TableCell cell = cell_with(study, setting::CellInterval::wilson, each.metric);
    EXPECT_NEAR(cell.low.value_or(-1), each.low, 1e-11) << each.metric;
    EXPECT_NEAR(cell.high.value_or(-1), each.high, 1e-11) << each.metric;
  }
  EXPECT_FALSE(cell_with(study, setting::CellInterval::wilson, "snli.accuracy.neutral").low) << "of unknown number";
}

TEST(CellIntervals, BootstrapIsOverItems) {
  const TemporaryFolder folder;
  std::string right(200, '1'), less(200, '1');
  right.replace(100, 100, std::string(100, '0'));
  less.replace(50, 150, std::string(150, '0'));
  const StudyResults study = study_of({trial_with_items(folder.path(), {{"loss", "ent"}}, 0, right),
                                       trial_with_items(folder.path(), {{"loss", "ent"}}, 1, less)});
  const TableCell cell = cell_with(study, setting::CellInterval::bootstrap);
  // A quarter of the items 1, a quarter 1/2, half 0: mean .375, deviation sqrt(.25 + .0625 - .375^2) = .4146.
  EXPECT_NEAR(cell.low.value(), 0.375 - 1.96 * 0.4146 / std::sqrt(200.0), 0.005);
  EXPECT_NEAR(cell.high.value(), 0.375 + 1.96 * 0.4146 / std::sqrt(200.0), 0.005);
  EXPECT_FALSE(cell_with(study, setting::CellInterval::bootstrap, "snli.pairs").low);
}

/// Cells of the same items share their draws.
TEST(CellIntervals, OfACellAreTheSameNextToOthers) {
  const TemporaryFolder folder;
  const std::vector<StudyTrial> trials{
      trial_with_items(folder.path(), {{"loss", "a"}}, 0, std::string(40, '1') + std::string(20, '0')),
      trial_with_items(folder.path(), {{"loss", "b"}}, 0, std::string(15, '1') + std::string(45, '0')),
      trial_with_items(folder.path(), {{"loss", "c"}}, 0, std::string(20, '1') + std::string(10, '0'))};
  const TableOptions options{.interval = setting::CellInterval::bootstrap};
  const StudyTable together = make_table(table_of({"loss"}), study_of(trials), options);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const TableCell alone = make_table(table_of({"loss"}), study_of({trials[i]}), options).cells[0][0];
    EXPECT_EQ(together.cells[i][0].low, alone.low);
    EXPECT_EQ(together.cells[i][0].high, alone.high);
    EXPECT_LT(alone.low.value(), alone.value);
    EXPECT_GT(alone.high.value(), alone.value);
  }
}

/// Returns a measurement of 24 pairs, every second an entailment; scores lie a little higher for these, and by `shift`
/// more.
Measurement with_auprc(std::uint64_t stream, float shift) {
  PhiloxStream random(3, stream);
  Measurement snli = nli_measurement("snli", std::vector<std::uint8_t>(24, 1));
  std::vector<float> scores;
  std::vector<std::uint8_t> positive;
  for (std::size_t i = 0; i < 24; ++i) {
    positive.push_back(i % 2 == 0);
    scores.push_back(std::round(10 * (static_cast<float>(random.uniform()) + (i % 2 == 0 ? shift : 0))) / 10);
  }
  snli.columns[0].values = scores;
  snli.metrics.push_back({"auprc", area_under_precision_recall(scores, positive)});
  return snli;
}

/// Metrics of 10,000 draws of the pairs, each by its definition: of `take(which of the trials, drawn pairs)`.
std::vector<double> drawn_areas(const std::vector<Measurement>& trials, const std::vector<double>& weights) {
  std::vector<double> metrics;
  for (std::uint64_t draw = 0; draw < 10'000; ++draw) {
    PhiloxStream random(0, draw);
    std::vector<std::uint32_t> drawn(24);
    for (std::uint32_t& item : drawn) item = random.below(24);
    double metric = 0;
    for (std::size_t t = 0; t < trials.size(); ++t) {
      const auto& all = *find_column<std::vector<float>>(trials[t], "sim_hypothesis_premise");
      std::vector<float> scores;
      std::vector<std::uint8_t> positive;
      for (const std::uint32_t item : drawn) {
        scores.push_back(all[item]);
        positive.push_back(item % 2 == 0);
      }
      metric += weights[t] * area_under_precision_recall(scores, positive);
    }
    metrics.push_back(metric);
  }
  std::sort(metrics.begin(), metrics.end());
  return metrics;
}

TEST(CellIntervals, BootstrapOfAuprcIsThatOfTheDrawnPairs) {
  const TemporaryFolder folder;
  const std::vector<Measurement> measured{with_auprc(0, 0.25f), with_auprc(1, 0.25f), with_auprc(2, 0.75f),
                                          with_auprc(3, 0.75f)};
  std::vector<StudyTrial> trials;
  for (std::size_t i = 0; i < 4; ++i)
    trials.push_back(trial_with_measurement(folder.path(), {{"loss", i < 2 ? "ent" : "con"}},
                                            static_cast<std::int64_t>(i % 2), measured[i]));
  TableSettings settings = table_of({"loss"}, "snli.auprc");
  settings.compare = "loss";
  const StudyTable table =
      make_table(settings, study_of(trials), {.interval = setting::CellInterval::bootstrap, .threads = 2});
  const std::vector<double> cell = drawn_areas({measured[0], measured[1]}, {0.5, 0.5});
  EXPECT_NEAR(table.cells[0][0].low.value(), quantile_of_sorted(cell, 0.025), 1e-12);
  EXPECT_NEAR(table.cells[0][0].high.value(), quantile_of_sorted(cell, 0.975), 1e-12);
  const std::vector<double> difference = drawn_areas(measured, {0.5, 0.5, -0.5, -0.5});
  const CellTest& test = table.cells[0][0].tests.at(0);
  EXPECT_NEAR(test.low.value(), quantile_of_sorted(difference, 0.025), 1e-12);
  EXPECT_NEAR(test.high.value(), quantile_of_sorted(difference, 0.975), 1e-12);
  const auto above = std::count_if(difference.begin(), difference.end(), [](double value) { return value >= 0; });
  EXPECT_NEAR(test.bootstrap_p.value(), 2 * (1.0 + static_cast<double>(above)) / 10'001, 1e-12);
  EXPECT_TRUE(test.seeds.empty()) << "McNemar's test is of shares";
  const auto auprc = [&](std::size_t i) { return measured[i].metrics.back().value; };
  EXPECT_EQ(test.seeds_p, welch_test(std::vector{auprc(0), auprc(1)}, std::vector{auprc(2), auprc(3)}).p);
  EXPECT_FALSE(notes_say(table, "McNemar"));
  // Unless a bootstrap is asked for, nothing is.
  EXPECT_TRUE(make_table(settings, study_of(trials), {}).cells[0][0].tests.empty());
}

TEST(CellIntervals, NoBootstrapOverTrialsOfOtherItems) {
  const TemporaryFolder folder;
  const StudyResults study = study_of({trial_with_items(folder.path(), {{"loss", "ent"}}, 0, std::string(20, '1')),
                                       trial_with_items(folder.path(), {{"loss", "ent"}}, 1, std::string(40, '0'))});
  const TableCell cell = cell_with(study, setting::CellInterval::bootstrap);
  EXPECT_EQ(cell.count, 2);
  EXPECT_FALSE(cell.low);
  EXPECT_FALSE(cell.high);
}

TEST(CellIntervals, OnlyMeansHaveThem) {
  TableSettings settings = table_of({"loss"});
  settings.aggregation = setting::Aggregation::median;
  const StudyResults study = study_of({trial_of_seed(0, 0.5), trial_of_seed(1, 0.7)});
  const StudyTable table = make_table(settings, study, {.interval = setting::CellInterval::t});
  EXPECT_FALSE(table.cells[0][0].low);
  EXPECT_TRUE(notes_say(table, "only means"));
}

TEST(CellIntervals, AreExplained) {
  TableSettings settings = table_of({"loss"});
  settings.metrics.push_back({"snli.auprc", "", "", ""});
  const StudyResults study = study_of({trial_of_seed(0, 0.5), trial_of_seed(1, 0.7)});
  EXPECT_TRUE(notes_say(make_table(settings, study, {.interval = setting::CellInterval::t}), "Student's"));
  const StudyTable wilson = make_table(settings, study, {.interval = setting::CellInterval::wilson});
  EXPECT_TRUE(notes_say(wilson, "Wilson's formula"));
  EXPECT_TRUE(notes_say(wilson, "1 of 2 cells have none."));
  EXPECT_FALSE(notes_say(make_table(settings, study, {}), "Brackets"));
}

}  // namespace
}  // namespace gausscse
