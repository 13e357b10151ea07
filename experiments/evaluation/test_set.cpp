#include "experiments/evaluation/test_set.hpp"

#include "dist/root_work.hpp"
#include "experiments/evaluation/embed_sentences.hpp"

namespace gausscse {

TestResult evaluate_on_root(const EvaluationTask& task, double threshold, SentenceEncoder& encoder,
                            Communicator& communicator) {
  const at::Tensor embeddings = embed_sentences_on_root(encoder, task.sentences(), communicator);
  TestResult result;
  run_on_root(communicator, [&] { result = task.evaluate(embeddings, threshold); });
  return result;
}

TestResult evaluate_test_set(const TestSet& set, double dev_threshold, SentenceEncoder& encoder,
                             Communicator& communicator) {
  if (set.own_dev) dev_threshold = evaluate_on_root(*set.own_dev, 0, encoder, communicator).metrics.threshold;
  return evaluate_on_root(*set.test, dev_threshold, encoder, communicator);
}

}  // namespace gausscse
