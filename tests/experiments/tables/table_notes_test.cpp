#include "experiments/tables/table_notes.hpp"

#include <gtest/gtest.h>

#include "experiments/tables/make_table.hpp"
#include "tests/experiments/tables/made_up_study.hpp"

namespace gausscse {
namespace {

using namespace testing_support;

StudyTrial kept_trial(std::int64_t seed, const std::string& state, std::int64_t step) {
  StudyTrial trial = done_trial({{"loss", "ent"}}, seed, {{"accuracy", 0.5}});
  trial.kept.state = state;
  trial.kept.step = step;
  return trial;
}

StudyTable table_of_trials(std::vector<StudyTrial> trials) {
  return make_table(table_of({"loss"}), study_of(std::move(trials)), {});
}

TEST(TableNotes, TellWhichStateFiguresAreOf) {
  StudyTrial of_another_stage = kept_trial(9, "best", 5);
  of_another_stage.planned.stage = "choose";
  StudyTrial failed = kept_trial(3, "best", 5000);
  failed.status = TrialStatus::failed;
  const StudyTable best = table_of_trials(
      {of_another_stage, kept_trial(0, "best", 40), kept_trial(1, "best", 30), kept_trial(2, "best", 50), failed});
  ASSERT_GE(best.notes.size(), 2u);
  EXPECT_EQ(best.notes[1],
            "Figures of 3 done trials are of the best state by the key select of the trial, after 30 to 50 steps.");
  EXPECT_FALSE(notes_say(best, "last state"));
  const StudyTable last = table_of_trials({kept_trial(0, "last", 100), kept_trial(1, "last", 100)});
  EXPECT_EQ(last.notes.at(1), "Figures of 2 done trials are of the last state, after 100 steps.");
  const StudyTable mixed = table_of_trials({kept_trial(0, "last", 1), kept_trial(1, "best", 0)});
  EXPECT_EQ(mixed.notes.at(1),
            "Figures of 1 done trial are of the best state by the key select of the trial, after 0 steps.");
  EXPECT_EQ(mixed.notes.at(2), "Figures of 1 done trial are of the last state, after 1 step.");
}

TEST(TableNotes, TellNoStateOfFiguresThatHaveNone) {
  const StudyTable table = table_of_trials({kept_trial(0, "", 0)});
  EXPECT_FALSE(notes_say(table, "state"));
}

}  // namespace
}  // namespace gausscse
