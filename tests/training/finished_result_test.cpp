#include "results/result_file.hpp"
#include "tests/config/trial/minimal_trial.hpp"
#include "tests/results/sample_result.hpp"
#include "tests/support/testing.hpp"
#include "training/resume.hpp"

namespace gausscse {
namespace {

class FinishedResult : public testing::Test {
 protected:
  FinishedResult() { write(to_yaml(trial_)); }

  void write(const std::string& configuration, RunResult result = sample_result()) const {
    result.configuration = configuration;
    result.provenance.data_hashes = contents_;
    write_result(file_, result);
  }

  std::optional<RunResult> find(const Trial& trial) const {
    return finished_result(file_, resumable_configuration(trial, contents_), *alone_);
  }

  /// Returns the message on the result where `trial` is to be run.
  std::string refusal_of(const Trial& trial) const {
    try {
      find(trial);
    } catch (const InputError& error) {
      return error.what();
    }
    return "it was not refused";
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "result.h5";
  std::unique_ptr<Communicator> alone_ = make_self_communicator();
  Trial trial_ = parse(std::string(minimal_trial),
                       {"tasks.dev={kind: nli, files: d, eval_every: 5}", "select.task=dev", "select.figure=auprc"});
  std::vector<std::pair<std::string, std::string>> contents_ = {{"train.csv", "00"}, {"the initial weights", "11"}};
};

TEST_F(FinishedResult, IsNoLink) {
  ASSERT_TRUE(find(trial_));
  std::filesystem::rename(file_, folder_ / "moved");
  std::filesystem::create_symlink(folder_ / "moved", file_);
  EXPECT_NE(refusal_of(trial_).find(file_.string() + ": is a symbolic link"), std::string::npos) << refusal_of(trial_);
}

TEST_F(FinishedResult, IsFoundWhateverTheOutputTheCheckpointsAndTheDevice) {
  Trial same = trial_;
  same.output = "/elsewhere";
  same.device = setting::Device::cuda;
  same.training.checkpoint_every = trial_.training.checkpoint_every + 5;
  const auto found = find(same);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->configuration, to_yaml(trial_));
  EXPECT_EQ(found->states.size(), sample_result().states.size());
}

TEST_F(FinishedResult, OfAnotherConfigurationOrContentIsRefusedWithTheDifference) {
  Trial other = trial_;
  other.training.seed = 77;
  EXPECT_NE(refusal_of(other).find("with seed: 0 where this one has seed: 77"), std::string::npos) << refusal_of(other);
  contents_[1].second = "22";
  for (const char* text : {"content of the initial weights: 11", "content of the initial weights: 22", "--overwrite"})
    EXPECT_NE(refusal_of(trial_).find(text), std::string::npos) << refusal_of(trial_);
}

TEST_F(FinishedResult, IsNothingWhereThereIsNoFile) {
  std::filesystem::remove(file_);
  EXPECT_FALSE(find(trial_));
}

TEST_F(FinishedResult, WithoutTheStateThatWasToBeKeptIsRefused) {
  for (const char* kept : {"best", "last"}) {
    RunResult result = sample_result();
    std::erase_if(result.states, [&](const StateResult& state) { return state.state != kept; });
    write(to_yaml(trial_), result);
    if (std::string(kept) == "best") {
      EXPECT_EQ(find(trial_)->states.size(), 1u);
    } else {
      EXPECT_NE(refusal_of(trial_).find("result.h5: lacks the state that select chose"), std::string::npos)
          << refusal_of(trial_);
    }
  }
}

TEST_F(FinishedResult, OfAProgramWithOtherKeysIsRefused) {
  write("format: gausscse-trial/9\n");
  EXPECT_NE(refusal_of(trial_).find("gausscse-trial/9"), std::string::npos) << refusal_of(trial_);
  EXPECT_NE(refusal_of(trial_).find("--overwrite"), std::string::npos) << refusal_of(trial_);
}

}  // namespace
}  // namespace gausscse
