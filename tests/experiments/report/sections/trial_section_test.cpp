#include "experiments/report/sections/report_sections.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

/// Trials 0 and 1 are two seeds of one setting, 2 and 3 one of another each; the last is of another stage.
TEST(TrialSection, TellsWhichSettingsHaveAValue) {
  StudyResults study{"/nowhere", "study", {}};
  study.trials.resize(5);
  ReportData data;
  data.groups = {{"choose", {}, {0, 1}, "ent"},
                 {"choose", {}, {2}, "con"},
                 {"choose", {}, {3}, "rev"},
                 {"final", {}, {4}, "final"}};
  const auto differences = [&](const std::vector<std::string>& values) {
    data.settings.clear();
    for (const std::string& value : values) data.settings.push_back({{"key", value}});
    HtmlWriter page;
    add_differences(page, {study, data, "", {}, {}});
    return page.take();
  };
  const auto row = [](const std::string& value, const std::string& trials) {
    return "<td class=\"words\">" + value + "</td><td class=\"words\">" + trials + "</td>";
  };
  // A group with the name of its stage is printed without the stage before it.
  const std::string some = differences({"one", "other", "one", "other", "one"});
  EXPECT_TRUE(says(some, row("one", "3 trials: choose ent (1 of 2); choose con; final")));
  EXPECT_TRUE(says(some, row("other", "2 trials: choose ent (1 of 2); choose rev")));
  const std::string all = differences({"one", "one", "one", "one", "other"});
  EXPECT_TRUE(says(all, row("one", "4 trials: choose ent; choose con; choose rev")));
  EXPECT_TRUE(says(all, row("other", "1 trial: final")));
}

TEST(TrialSection, NamesUntrainedStates) {
  StudyResults study{"/nowhere", "study", {}};
  study.trials.resize(2);
  for (StudyTrial& trial : study.trials) {
    trial.status = TrialStatus::done;
    trial.run.emplace().steps = 8;
    trial.kept.state = "best";
  }
  study.trials[0].kept.step = 4;
  const ReportData data;
  HtmlWriter page;
  add_trials(page, {study, data, "", {}, {}});
  const std::string html = page.take();
  EXPECT_TRUE(says(html, "<span class=\"good\">(done)</span>")) << html;
  EXPECT_TRUE(says(html, "<span class=\"bad\">(done, untrained)</span>")) << html;
}

}  // namespace

}  // namespace gausscse
