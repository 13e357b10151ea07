#include "experiments/report/sections/report_sections.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

StudyTrial trial_of_stage(const std::string& stage, std::int64_t seed, const std::string& identity,
                          TrialStatus status) {
  StudyTrial trial;
  trial.planned = {stage, {{"system", "ent"}}, seed, identity, ""};
  trial.status = status;
  return trial;
}

/// Returns one that took a minute on six cores and left 3 MB.
StudyTrial done_on_six_cores(const std::string& stage, std::int64_t seed, const std::string& identity) {
  StudyTrial trial = trial_of_stage(stage, seed, identity, TrialStatus::done);
  RunRecord& run = trial.run.emplace();
  run.seconds = 60;
  run.ranks = 2;
  run.threads = 3;
  run.peak_memory_bytes = 700'000'000;
  run.disk_bytes = 3'000'000;
  run.result_bytes = 2'000'000;
  run.hosts = {"host of " + identity};
  return trial;
}

std::string summary_of_trials(std::vector<StudyTrial> trials) {
  const StudyResults study{"/nowhere", "study", std::move(trials)};
  const ReportData data;
  HtmlWriter page;
  add_summary(page, {study, data, "", {}, {}});
  return page.take();
}

TEST(SummarySection, ATrialOfTwoStagesCountsOnce) {
  const std::string html =
      summary_of_trials({done_on_six_cores("choose", 0, "a0"), done_on_six_cores("choose", 1, "b1"),
                         done_on_six_cores("final", 0, "a0")});
  EXPECT_TRUE(says(html, "<dt>trials</dt>\n<dd>3</dd>"));
  EXPECT_TRUE(says(html, "<dt>time of done trials</dt>\n<dd>2 min 0 s</dd>"));
  EXPECT_TRUE(says(html, "<dt>core time</dt>\n<dd>12 min 0 s</dd>"));
  EXPECT_TRUE(says(html, "<dt>disk</dt>\n<dd>6.0 MB</dd>"));
  EXPECT_TRUE(says(html, "<dt>hosts</dt>\n<dd>host of a0, host of b1</dd>"));
}

TEST(SummarySection, CountsUntrainedStates) {
  std::vector<StudyTrial> trials{done_on_six_cores("final", 0, "a0"), done_on_six_cores("final", 1, "b1")};
  for (StudyTrial& trial : trials) {
    trial.run->steps = 8;
    trial.kept.state = "best";
    trial.kept.step = 4;
  }
  EXPECT_FALSE(says(summary_of_trials(trials), "untrained"));
  trials[1].kept.step = 0;
  EXPECT_TRUE(says(summary_of_trials(trials), "<dt>untrained</dt>\n<dd>1 of the done</dd>"));
}

TEST(SummarySection, TellsWhatIsNotDone) {
  StudyTrial waiting = trial_of_stage("last", 4, "", TrialStatus::waiting);
  std::vector<StudyTrial> trials{trial_of_stage("final", 0, "a0", TrialStatus::damaged),
                                 trial_of_stage("final", 1, "b1", TrialStatus::interrupted),
                                 trial_of_stage("final", 2, "c2", TrialStatus::running),
                                 trial_of_stage("final", 3, "d3", TrialStatus::planned), waiting};
  trials[0].problem = "run.json is < missing";
  waiting.planned.waits_for = "the stage final";
  trials.push_back(waiting);
  EXPECT_TRUE(says(summary_of_trials(trials),
                   "<ul class=\"plain\"><li>final ent seed 0: done, but its files have changed since: run.json is &lt; "
                   "missing</li>\n<li>final ent seed 1: started, but not finished</li>\n<li>final ent seed 2: "
                   "running</li>\n<li>last ent seed 4: waits for an earlier stage</li>\n<li>last ent seed 4: waits for "
                   "the stage final</li>\n</ul>"))
      << summary_of_trials(trials);
}

}  // namespace

}  // namespace gausscse
