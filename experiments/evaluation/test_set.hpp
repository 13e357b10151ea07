#pragma once

#include <memory>

#include "dist/communicator.hpp"
#include "experiments/evaluation/evaluation_task.hpp"
#include "model/sentence_encoder.hpp"

namespace gausscse {

/// A set to test on.
struct TestSet {
  std::unique_ptr<EvaluationTask> test;
  /// What its threshold is chosen on; null: the threshold is that of dev.
  std::unique_ptr<EvaluationTask> own_dev;
};

/// Embeds a task's sentences on all ranks and scores them on rank 0 alone, so that ranks on unlike processors cannot
/// come to unlike figures. Returns the result on rank 0, an empty one elsewhere; an InputError of the scoring is thrown
/// on all ranks. Collective.
TestResult evaluate_on_root(const EvaluationTask& task, double threshold, SentenceEncoder& encoder,
                            Communicator& communicator);

/// `evaluate_on_root` of a test set, at the threshold of its own dev set where it has one, else at `dev_threshold`.
TestResult evaluate_test_set(const TestSet& set, double dev_threshold, SentenceEncoder& encoder,
                             Communicator& communicator);

}  // namespace gausscse
