#include "experiments/tables/cell_intervals.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "experiments/tables/make_table.hpp"
#include "tests/experiments/tables/made_up_study.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using namespace testing_support;

/// Of one row.
TableCell cell_with(const StudyResults& study, setting::CellInterval interval,
                    const std::string& figure = "snli.accuracy") {
  return make_table(table_of({"loss"}, figure), study, {.interval = interval}).cells.at(0).at(0);
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
  settings.figures.push_back({"snli.auprc", "", "", ""});
  const StudyResults study = study_of({trial_of_seed(0, 0.5), trial_of_seed(1, 0.7)});
  EXPECT_TRUE(notes_say(make_table(settings, study, {.interval = setting::CellInterval::t}), "Student's"));
  const StudyTable wilson = make_table(settings, study, {.interval = setting::CellInterval::wilson});
  EXPECT_TRUE(notes_say(wilson, "Wilson's formula"));
  EXPECT_TRUE(notes_say(wilson, "1 of 2 cells have none."));
  EXPECT_FALSE(notes_say(make_table(settings, study, {}), "Brackets"));
}

}  // namespace
}  // namespace gausscse
