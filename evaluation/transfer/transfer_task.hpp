#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/tasks/transfer_task_settings.hpp"
#include "data/corpus/token_store.hpp"
#include "data/transfer/transfer_examples.hpp"
#include "evaluation/task/listed_task.hpp"
#include "evaluation/task/reading_settings.hpp"
#include "evaluation/transfer/classifier_settings.hpp"

namespace gausscse {

/// Task of fitting linear classifiers of SentEval's tasks to the vectors of a model, of a Gaussian model to the means.
/// The metric `accuracy` is the mean over all tasks that are asked for, NaN where one is missing; `accuracy.MR` and
/// `dev_accuracy.MR` are those of a task, and MRPC has `f1.MRPC`. Each is rounded to two decimals of a percent first.
class TransferTask : public Task {
 public:
  /// Reads and tokenises the tasks whose files are all there. Throws InputError where none is, as the readers
  /// do, and for too few examples.
  TransferTask(std::string name, const TransferTaskSettings& settings, const SentenceModel& model,
               const ReadingSettings& reading);

  const std::string& name() const override { return name_; }
  Measurement measure(SentenceEmbedder& model, Communicator& communicator,
                      const std::vector<Measurement>& earlier) const override;

  /// A task that is left out, and the first of its files that is not there.
  struct Missing {
    TransferDataset dataset;
    std::filesystem::path file;
  };
  const std::vector<Missing>& missing() const { return missing_; }
  /// Returns the counts of the sentences of all tasks.
  TokenCounts token_counts() const;
  const ReadReport& report() const { return report_; }

 private:
  /// Examples by the numbers of their sentences; `second` is empty but of pairs.
  struct NumberedSet {
    std::vector<std::uint32_t> first, second, labels;
  };
  struct NumberedDataset {
    TransferDataset dataset;
    NumberedSet train, development, test;
    TokenStore store;
  };

  NumberedDataset read(TransferDataset dataset, const SentenceModel& model, const ReadingSettings& reading);

  std::string name_;
  TransferTaskSettings settings_;
  ClassifierSettings classifier_;
  Similarity similarity_;
  std::vector<NumberedDataset> datasets_;
  std::vector<Missing> missing_;
  ReadReport report_;
};

/// Makes a task of these settings, with notes on its inputs.
ListedTask make_task(const std::string& name, const TransferTaskSettings& settings, const SentenceModel& model,
                     const ReadingSettings& reading);

}  // namespace gausscse
