#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/trial/task_settings.hpp"
#include "data/corpus/token_store.hpp"
#include "evaluation/nli/nli_pairs.hpp"
#include "evaluation/task/reading_settings.hpp"
#include "evaluation/task/task.hpp"

namespace gausscse {

/// Which of the three labels the classifier that a model was trained with (PairClassifier) gives the pairs of an NLI
/// corpus. Pairs without a gold label are left out. Metrics:
///   pairs              that have a label,
///   accuracy           share of them whose label is told,
///   accuracy.L         of those with the label L; does not exist where there are none,
///   confusion.L.M      how many with the label L are told to be M.
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
  const ReadReport& report() const { return pairs_.report; }

 private:
  /// Of the embeddings of `sentences()`, by the classifier's flat parameters.
  std::vector<std::uint8_t> predictions(const at::Tensor& embeddings, const at::Tensor& classifier) const;
  std::vector<Figure> figures_of(const std::vector<std::uint8_t>& predictions) const;

  std::string name_;
  ClassifierActivation activation_;
  NliPairs pairs_;  ///< those with a label
};

}  // namespace gausscse
