#pragma once

#include "config/trial/trial.hpp"
#include "results/run_result.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/recording_observer.hpp"
#include "training/train_trial.hpp"

namespace gausscse {

/// Outputs and reports of a training.
struct TinyRun {
  RunResult result;
  RecordingObserver told;
  std::filesystem::path model;  ///< the folder that it saved
};

/// A folder with the tiny BERT of the goldens (weights and tokenizer: words w0 to w54), in which trials run on the
/// corpora of golden/training, or others. All are trained in this process, by one rank.
class TinyTraining {
 public:
  TinyTraining();

  /// Returns the trial, with `overrides` as on the command line; relative paths are those of `folder`.
  Trial trial(const std::vector<std::string>& overrides) const;
  /// Trains it into its own folder.
  TinyRun train(const std::vector<std::string>& overrides) const { return train(trial(overrides)); }
  TinyRun train(Trial trial) const;
  /// Returns a folder with other weights of the goldens and their tokenizer, relative to `folder`: "tiny-mpnet".
  std::string backbone(const std::string& name) const;
  /// Writes a corpus and gives its path.
  std::filesystem::path write(const std::string& name, const std::string& text) const;

  const TemporaryFolder folder;
  TrainOptions options;

 private:
  mutable int runs_ = 0;
};

/// Overrides of a trial that is to keep its last state.
inline const std::vector<std::string> keep_last{"select.task=\"\"", "select.figure=\"\""};

/// Returns `texts`, then `more`.
std::vector<std::string> joined(std::vector<std::string> texts, const std::vector<std::string>& more);

/// Returns the metrics of a task in the state of the result that has this name.
double metric_in(const RunResult& result, const std::string& state, const std::string& task, const std::string& metric);

/// Returns whether one of `texts` holds `part`.
bool holds(const std::vector<std::string>& texts, const std::string& part);

/// Returns one line of SNLI's JSON layout.
std::string nli_line(const std::string& label, const std::string& premise, const std::string& hypothesis);

}  // namespace gausscse

#define EXPECT_TOLD(texts, part) \
  EXPECT_TRUE(::gausscse::holds(texts, part)) << (part) << " in: " << testing::PrintToString(texts)
