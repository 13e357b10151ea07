#include "training/resume.hpp"

#include "tests/config/trial/minimal_trial.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/checkpoint/sample_state.hpp"
#include "tests/training/recording_observer.hpp"

namespace gausscse {
namespace {

std::string configuration(const std::vector<std::string>& overrides = {}) {
  return resumable_configuration(parse(std::string(minimal_trial), overrides), {{"/a b.jsonl", "0123"}, {"x", "45"}});
}

/// Returns `text` without the line that holds `part`.
std::string without_line(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.substr(0, begin) + text.substr(text.find('\n', at) + 1);
}

/// A checkpoint of a version before a key was there goes on where the key has its default, and only there.
TEST(InPresentForm, KeysThatAreMissingHaveTheirDefaults) {
  EXPECT_EQ(in_present_form(configuration()), configuration());
  const std::string before = without_line(configuration(), "epsilon: ");
  ASSERT_NE(before, configuration());
  EXPECT_EQ(in_present_form(before), configuration());
  EXPECT_NE(in_present_form(before), configuration({"training.epsilon=1e-6"}));
  EXPECT_NE(in_present_form(without_line(configuration({"training.epsilon=1e-6"}), "epsilon: ")),
            configuration({"training.epsilon=1e-6"}));
  // The recipe's, where it has one of its own.
  const std::string of_paper = configuration({"recipe=paper"});
  EXPECT_EQ(in_present_form(without_line(of_paper, "schedule: ")), of_paper);
}

/// The device of a rank changes metrics by rounding alone: a run continues on either device.
TEST(InPresentForm, IsTheSameOnAllDevices) {
  for (const char* device : {"device=cuda", "device=cpu"})
    EXPECT_EQ(configuration({device}), configuration()) << device;
  EXPECT_EQ(in_present_form(without_line(configuration(), "device: ")), configuration());
  EXPECT_EQ(in_present_form(to_yaml(parse(std::string(minimal_trial), {"device=cuda"}))),
            in_present_form(to_yaml(parse(std::string(minimal_trial)))));
}

TEST(StateToResume, IsThatOfACheckpointWithoutAKeyThatHasItsDefault) {
  const TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "checkpoints");
  TrainingState written = sample_state(3);
  written.configuration = without_line(configuration(), "epsilon: ");
  checkpoints.write(written);
  const auto communicator = make_self_communicator();
  RecordingObserver observer;
  const auto state = state_to_resume(checkpoints, configuration(), false, *communicator, observer);
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->step, 3);
  const std::string refusal = refusal_of(
      [&] { state_to_resume(checkpoints, configuration({"training.epsilon=1e-6"}), false, *communicator, observer); });
  EXPECT_TRUE(says(refusal, "with epsilon: 1e-08 where this one has epsilon: 1e-06"));
}

/// Data, results and models may be moved between an interruption and the run that goes on from it.
TEST(ResumableConfiguration, DoesNotDependOnWhereThingsLie) {
  const auto in = [](const std::string& folder) {
    const Trial trial = parse_trial(minimal_trial, "trial.yaml", folder);
    return resumable_configuration(
        trial, {{folder + "/train.jsonl", "0123"}, {folder + "/model/config.json", "45"}, {"the tokenizer", "6"}});
  };
  EXPECT_EQ(in("/here"), in("/there/deep"));
  EXPECT_TRUE(says(in("/here"),
                   "content of data.train/1: 0123\ncontent of model.backbone/config.json: 45\n"
                   "content of the tokenizer: 6\n"));
}

/// A checkpoint of a version that noted paths.
TEST(InPresentForm, PathsAreReplacedByWhatTheyAre) {
  const Trial trial = parse(std::string(minimal_trial));
  const std::string with_paths = to_yaml(trial) + "content of /base/train.jsonl: 0123\ncontent of the tokenizer: 6\n";
  EXPECT_EQ(in_present_form(with_paths),
            resumable_configuration(trial, {{"/base/train.jsonl", "0123"}, {"the tokenizer", "6"}}));
}

TEST(InPresentForm, WhatItWasMadeFromStays) {
  const std::string other =
      resumable_configuration(parse(std::string(minimal_trial)), {{"/a b.jsonl", "9"}, {"x", "45"}});
  EXPECT_EQ(in_present_form(other), other);
  EXPECT_NE(other, configuration());
}

TEST(InPresentForm, WhatCannotBeReadStaysAsItIs) {
  for (const std::string text : {"", "nonsense", "format: gausscse-trial/9\ncontent of x: 1\n"})
    EXPECT_EQ(in_present_form(text), text);
  const std::string of_later = configuration() + "unknown: 3\n";
  EXPECT_EQ(in_present_form(of_later), of_later);
}

}  // namespace
}  // namespace gausscse
