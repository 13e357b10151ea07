#include "experiments/tables/trial_items.hpp"

#include "experiments/tables/make_table.hpp"
#include "tests/experiments/study/sample_study.hpp"
#include "tests/experiments/tables/made_up_study.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TableSettings compared_losses(const std::string& metric) {
  TableSettings settings = table_of({"loss"}, "snli." + metric);
  settings.compare = "loss";
  return settings;
}

TEST(TrialItems, ReportTrialsOfOtherItems) {
  const TemporaryFolder folder;
  const StudyResults study = study_of({trial_with_items(folder.path(), {{"loss", "a"}}, 0, "111100"),
                                       trial_with_items(folder.path(), {{"loss", "b"}}, 0, "00000000")});
  const StudyTable table = make_table(compared_losses("accuracy"), study, {});
  EXPECT_TRUE(table.cells[0][0].tests.empty());
  EXPECT_TRUE(notes_say(table, "1 pair of trials was not tested"));
}

TEST(TrialItems, ReportTrialsOfOtherDirections) {
  const TemporaryFolder folder;
  // Of the pairs 0 and 2, which are entailments, the second entails both ways; only the one trial counts it.
  const auto trial = [&](const char* loss, bool counts_both_ways) {
    Measurement snli = nli_measurement("snli", {1, 0, counts_both_ways, 0});
    for (Column& column : snli.columns)
      if (column.name == "entails_both_ways") column.values = std::vector<std::uint8_t>{0, 0, 1, 0};
    for (Metric& metric : snli.metrics) {
      if (metric.name == "directed_pairs") metric.value = counts_both_ways ? 2 : 1;
      if (metric.name == "direction_sim") metric.value = 1;
      if (metric.name == "direction_var") metric.value = 0;
    }
    return trial_with_measurement(folder.path(), {{"loss", loss}}, 0, snli);
  };
  const StudyResults study = study_of({trial("a", false), trial("b", true)});
  const StudyTable table = make_table(compared_losses("direction_sim"), study, {});
  EXPECT_TRUE(table.cells[0][0].tests.empty());
  EXPECT_TRUE(notes_say(table, "1 pair of trials was not tested: they were not measured on the same items"));
  const StudyResults same = study_of({trial("a", true), trial("b", true)});
  EXPECT_EQ(make_table(compared_losses("direction_sim"), same, {}).cells[0][0].tests.size(), 1u);
}

TEST(TrialItems, AreTakenFromWhatIsReadAlready) {
  const TemporaryFolder folder;
  const StudyTrial trial = trial_with_items(folder.path(), {{"loss", "a"}}, 0, "111100");
  TrialItems items;
  items.take(trial, kept_with_columns(trial));
  std::filesystem::remove(trial.folder / "result.h5");
  for (const char* metric : {"snli.accuracy", "snli.direction_sim", "snli.direction_var"})
    ASSERT_TRUE(items.find(trial, metric)) << metric;
  EXPECT_EQ(items.find(trial, "snli.accuracy")->metric.right, (std::vector<std::uint8_t>{1, 1, 1, 1, 0, 0}));
  EXPECT_EQ(items.problem_of(trial), nullptr) << "the file was not opened again";
}

/// In eight pairs the entailments 0, 2, 4 and 6 have a direction; the lengths of 0, 2 and 4 are equal.
StudyTrial trial_with_lengths(const std::filesystem::path& folder, const char* loss, std::int64_t seed,
                              const std::vector<std::uint8_t>& right, std::int64_t last_length = 9) {
  Measurement snli = nli_measurement("snli", right);
  snli.columns.push_back({"premise_characters", std::vector<std::int64_t>{5, 5, 5, 5, 5, 5, 5, last_length}});
  snli.columns.push_back({"hypothesis_characters", std::vector<std::int64_t>{5, 5, 5, 5, 5, 5, 9, 9}});
  snli.metrics.push_back({"directed_pairs.equal_length", 3, Unit::count});
  snli.metrics.push_back({"direction_sim.equal_length", (right[0] + right[2] + right[4]) / 3.0});
  return trial_with_measurement(folder, {{"loss", loss}}, seed, snli);
}

TEST(TrialItems, OfAStratumOfLengthsAreTested) {
  const TemporaryFolder folder;
  const TableSettings settings = compared_losses("direction_sim.equal_length");
  const StudyTrial a = trial_with_lengths(folder.path(), "a", 0, {1, 0, 1, 0, 0, 0, 0, 0}),
                   b = trial_with_lengths(folder.path(), "b", 0, {1, 1, 0, 1, 1, 1, 1, 1});
  const StudyTable table = make_table(settings, study_of({a, b}), {.interval = setting::CellInterval::wilson});
  ASSERT_EQ(table.cells[0][0].tests.size(), 1u);
  EXPECT_EQ(table.cells[0][0].tests[0].sum.only_first, 1) << "pair 2";
  EXPECT_EQ(table.cells[0][0].tests[0].sum.only_second, 1) << "pair 4, not 6, whose lengths differ";
  EXPECT_TRUE(table.cells[0][0].low) << "Wilson's interval of two of three";
  // The lengths of a pair that is in no stratum differ: the pairs are others.
  const StudyTrial other = trial_with_lengths(folder.path(), "c", 0, {1, 1, 1, 1, 1, 1, 1, 1}, 8);
  const StudyTable untested = make_table(settings, study_of({a, other}), {});
  EXPECT_TRUE(untested.cells[0][0].tests.empty());
  EXPECT_TRUE(notes_say(untested, "1 pair of trials was not tested: they were not measured on the same items"));
  const StudyTable of_all = make_table(compared_losses("direction_sim"), study_of({a, other}), {});
  EXPECT_EQ(of_all.cells[0][0].tests.size(), 1u);
}

}  // namespace
}  // namespace gausscse
