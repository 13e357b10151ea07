#include "experiments/tables/trial_items.hpp"

#include <gtest/gtest.h>

#include "experiments/tables/make_table.hpp"
#include "tests/experiments/study/sample_study.hpp"
#include "tests/experiments/tables/made_up_study.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using namespace testing_support;

TableSettings compared_losses(const std::string& figure) {
  TableSettings settings = table_of({"loss"}, "snli." + figure);
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
    for (Figure& figure : snli.figures) {
      if (figure.name == "directed_pairs") figure.value = counts_both_ways ? 2 : 1;
      if (figure.name == "direction_sim") figure.value = 1;
      if (figure.name == "direction_var") figure.value = 0;
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

}  // namespace
}  // namespace gausscse
