#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/tasks/nli_task_settings.hpp"
#include "data/corpus/token_store.hpp"
#include "evaluation/nli/nli_metrics.hpp"
#include "evaluation/nli/nli_pairs.hpp"
#include "evaluation/task/listed_task.hpp"
#include "evaluation/task/reading_settings.hpp"
#include "inference/calibration/calibration.hpp"
#include "inference/kept_batches.hpp"

namespace gausscse {

/// Task of distinguishing entailment from all else, and its direction, on one NLI corpus (method, section 5).
/// `nli_metrics` lists the metrics.
class NliTask : public Task {
 public:
  /// Reads and tokenises. Throws InputError as the readers do, and if no pair is an entailment, since nothing could be
  /// measured. Also where two-way pairs are to be dropped from one of SICK's SemEval files, which do not mark them.
  /// SNLI and MNLI do not mark them either, and have none by their making: nothing is dropped.
  NliTask(std::string name, const NliTaskSettings& settings, const SentenceModel& model,
          const ReadingSettings& reading);

  const std::string& name() const override { return name_; }
  /// Columns, one value a pair in the file's order: sim_hypothesis_premise; of a similarity with a direction
  /// sim_premise_hypothesis, log_std_premise and log_std_hypothesis, the sums over dimensions of the log standard
  /// deviation. Then label (0 entailment, 1 neutral, 2 contradiction, 3 none, 4 not entailment, of sets of two labels)
  /// and entails_both_ways. Then premise_characters and hypothesis_characters, the numbers of characters; cluster
  /// (`pair_clusters`) and, where the settings name a key, group. With a calibration also those of NliProbabilities.
  /// Throws InputError, too, where `earlier` lacks the task that the threshold is taken from.
  Measurement measure(SentenceEmbedder& model, Communicator& communicator,
                      const std::vector<Measurement>& earlier) const override;

  /// Returns the measurement of the embeddings of `sentences()`, [sentences, width]. Similarities of pairs are computed
  /// on the device of the embeddings.
  Measurement score(const at::Tensor& embeddings, const std::vector<Measurement>& earlier) const;

  const TokenStore& sentences() const { return *pairs_.sentences; }
  const NliPairs& pairs() const { return pairs_; }
  std::int64_t bytes_kept() const override { return kept_.bytes(); }

 private:
  NliScores scores_of(const at::Tensor& embeddings) const;
  /// Returns the threshold that is not the set's own.
  std::optional<double> given_threshold(const std::vector<Measurement>& earlier) const;
  /// Adds the metrics of probabilities and returns their columns. The calibration is fitted on this set if it chooses
  /// its own threshold; else it is that of the task that gives the threshold, or that of the model. Without one there
  /// are none of both.
  std::vector<Column> add_probabilities(const NliScores& scores, std::int64_t width,
                                        const std::vector<Measurement>& earlier, Measurement& measurement) const;
  /// Returns MTEB's scores of the pairs that the accuracy counts: an entailment is the pair to be found.
  std::vector<Metric> mteb_scores(const at::Tensor& embeddings, const NliScores& scores) const;

  std::string name_;
  std::string threshold_;
  NliScoring scoring_;
  Similarity similarity_;
  bool mteb_scores_;
  std::optional<Calibration> calibration_;  ///< the model's
  int threads_;
  NliPairs pairs_;
  mutable KeptBatches kept_;
};

/// Makes a task of these settings, with notes on its inputs.
ListedTask make_task(const std::string& name, const NliTaskSettings& settings, const SentenceModel& model,
                     const ReadingSettings& reading);

}  // namespace gausscse
