#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/tasks/retrieval_task_settings.hpp"
#include "data/corpus/read_report.hpp"
#include "data/corpus/token_store.hpp"
#include "data/retrieval/retrieval_set.hpp"
#include "evaluation/task/listed_task.hpp"
#include "evaluation/task/reading_settings.hpp"
#include "inference/kept_batches.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// Task of finding the right documents of queries among all documents, by the model's similarity. Of a Gaussian model
/// this is sim(query || document), in the direction in which the document entails the query, as `gausscse search` has
/// it by default. Metrics are means over the queries, as evaluation/metrics/ranking.hpp defines them:
///
///   recall_at_1, recall_at_10, recall_at_100   share of a query's relevant documents among the first ones
///   mrr_at_10       1 / rank of the first relevant document among 10
///   ndcg_at_10      discounted gain of the first 10, with grades as gains
///   map             average precision over the whole ranking
///   queries, documents   their numbers
///
/// A Gaussian model gives the metrics of further rankings, under names that begin with `entailed_by_` where its
/// similarity has directions, and `cosine_`.
///
/// With a calibration (ReadingSettings), or where one is fitted on a retrieval task, there are also the metrics of
/// `hit_metrics` (hit_calibration.hpp). The task that it is fitted on has it in its measurement.
class RetrievalTask : public Task {
 public:
  /// Reads and tokenises. Throws InputError as the readers of data/retrieval do.
  RetrievalTask(std::string name, const RetrievalTaskSettings& settings, const SentenceModel& model,
                const ReadingSettings& reading);

  const std::string& name() const override { return name_; }
  /// Columns, one value a query, in the file's order: those of `retrieval_columns` and of each metric of a ranking.
  Measurement measure(SentenceEmbedder& model, Communicator& communicator,
                      const std::vector<Measurement>& earlier) const override;
  /// Returns the measurement by the embeddings of `sentences()`, float32 on the CPU.
  Measurement score(const at::Tensor& embeddings, const std::vector<Measurement>& earlier = {}) const;

  const TokenStore& sentences() const { return *store_; }
  const RetrievalSet& set() const { return set_; }
  const ReadReport& report() const { return report_; }
  std::int64_t bytes_kept() const override { return kept_.bytes(); }

 private:
  void add_hit_metrics(const at::Tensor& embeddings, const std::vector<Measurement>& earlier,
                       Measurement& measurement) const;

  std::string name_;
  std::string hits_fitted_on_;              ///< as in ReadingSettings
  std::optional<Calibration> calibration_;  ///< as in ReadingSettings
  Similarity similarity_;
  std::size_t threads_;
  ReadReport report_;
  RetrievalSet set_;
  std::vector<std::int64_t> queries_, documents_;  ///< numbers in `store_`
  std::optional<TokenStore> store_;                ///< each distinct text once
  mutable KeptBatches kept_;
};

/// Makes a task of these settings, with notes on its inputs.
ListedTask make_task(const std::string& name, const RetrievalTaskSettings& settings, const SentenceModel& model,
                     const ReadingSettings& reading);

}  // namespace gausscse
