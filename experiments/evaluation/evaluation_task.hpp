#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "data/corpus/token_store.hpp"
#include "experiments/results/run_result.hpp"

namespace gausscse {

/// Something to evaluate a model on: it names the sentences that it wants embedded, and scores their embeddings.
class EvaluationTask {
 public:
  virtual ~EvaluationTask() = default;
  virtual const std::string& name() const = 0;
  /// The sentences it needs, each once.
  virtual const TokenStore& sentences() const = 0;
  /// Scores `embeddings` [sentences, 2*dimension]. `threshold` of similarity, from which on a pair counts as
  /// entailment, is that of dev; a task that is dev itself finds its own and ignores it.
  virtual TestResult evaluate(const at::Tensor& embeddings, double threshold) const = 0;
};

}  // namespace gausscse
