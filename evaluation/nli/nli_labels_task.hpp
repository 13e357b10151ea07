#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/tasks/nli_labels_task_settings.hpp"
#include "data/corpus/token_store.hpp"
#include "evaluation/nli/nli_pairs.hpp"
#include "evaluation/task/listed_task.hpp"
#include "evaluation/task/reading_settings.hpp"
#include "inference/kept_batches.hpp"

namespace gausscse {

/// Task of choosing one of three labels for the pairs of an NLI corpus, by the classifier that a model was trained with
/// (PairClassifier). Pairs without a gold label are left out. Metrics:
///
///   pairs              number of pairs with a label
///   accuracy           share of them whose predicted label is right
///   accuracy.L         the same for the pairs with the label L; does not exist where there are none
///   confusion.L.M      number of pairs with the label L that are predicted to be M
class NliLabelsTask : public Task {
 public:
  /// Reads and tokenises. Throws InputError as the readers do, if no pair has a label, and if the model has no
  /// classifier.
  NliLabelsTask(std::string name, const NliLabelsTaskSettings& settings, const SentenceModel& model,
                const ReadingSettings& reading);

  const std::string& name() const override { return name_; }
  /// Columns, one value a pair that has a label, in the file's order: label and prediction (0 entailment, 1 neutral, 2
  /// contradiction). Throws InputError, too, where the encoder's parameters are not those of a classifier of its width.
  Measurement measure(SentenceEmbedder& model, Communicator& communicator,
                      const std::vector<Measurement>& earlier) const override;

  const TokenStore& sentences() const { return *pairs_.sentences; }
  const NliPairs& pairs() const { return pairs_; }
  std::int64_t bytes_kept() const override { return kept_.bytes(); }

 private:
  /// Returns the labels that the classifier, of these flat parameters, predicts by the embeddings of `sentences()`.
  std::vector<std::uint8_t> predictions(const at::Tensor& embeddings, const at::Tensor& classifier) const;
  std::vector<Metric> metric_values_of(const std::vector<std::uint8_t>& predictions) const;

  std::string name_;
  ClassifierActivation activation_;
  NliPairs pairs_;  ///< pairs with a label
  mutable KeptBatches kept_;
};

/// Makes a task of these settings, with notes on its inputs.
ListedTask make_task(const std::string& name, const NliLabelsTaskSettings& settings, const SentenceModel& model,
                     const ReadingSettings& reading);

}  // namespace gausscse
