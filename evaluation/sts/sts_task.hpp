#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/tasks/sts_task_settings.hpp"
#include "data/corpus/token_store.hpp"
#include "evaluation/task/listed_task.hpp"
#include "evaluation/task/reading_settings.hpp"
#include "inference/kept_batches.hpp"
#include "inference/pair_scores.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// Scores of one subset's pairs, by the model and by people.
struct ScoredSubset {
  std::string name;
  std::vector<double> scores, gold;
};

/// Returns Spearman's correlations, under names that begin with `prefix`:
///
///   spearman         all pairs together, one correlation (`all`, as in SimCSE's tables)
///   spearman_mean    the mean of the subsets' (`mean`)
///   spearman_wmean   the same weighted by their pairs (`wmean`, as in SentEval's papers)
///   spearman.SUBSET  of each subset, where there are several
std::vector<Metric> sts_metrics(const std::string& prefix, std::span<const ScoredSubset> subsets);

/// Semantic textual similarity: how well the cosine of two sentences' vectors, of a Gaussian model that of their means,
/// orders pairs as people do. A Gaussian model is measured by its symmetric similarity, too, whose metrics begin with
/// `symmetric_`. Further metrics are `pairs` and, of SemEval's folders, `missing_subsets`. Columns are those of
/// `sts_columns`.
class StsTask : public Task {
 public:
  /// Reads and tokenises. Throws InputError as the readers do, and where two subsets have the same name.
  StsTask(std::string name, const StsTaskSettings& settings, const SentenceModel& model,
          const ReadingSettings& reading);

  const std::string& name() const override { return name_; }
  Measurement measure(SentenceEmbedder& model, Communicator& communicator,
                      const std::vector<Measurement>& earlier) const override;

  /// Subsets that a SemEval year has, but its folder lacks: the year is partial.
  const std::vector<std::string>& missing() const { return missing_; }
  const TokenStore& sentences() const { return *store_; }
  std::size_t pairs() const { return pairs_.size(); }
  const ReadReport& report() const { return report_; }
  std::int64_t bytes_kept() const override { return kept_.bytes(); }

 private:
  /// Returns MTEB's scores of all pairs together, as MTEB's years of SemEval are, with the model's scores.
  std::vector<Metric> mteb_scores(const at::Tensor& embeddings, std::int64_t width, std::vector<double> own) const;
  /// Cuts the scores of all pairs into those of the subsets.
  std::vector<ScoredSubset> of_subsets(const std::vector<double>& scores) const;

  struct Subset {
    std::string name;
    std::size_t pairs;  ///< their number, from the last subset's on
  };

  std::string name_;
  Similarity similarity_;
  bool mteb_scores_;
  bool of_semeval_ = false;
  std::vector<Subset> subsets_;
  std::vector<RowPair> pairs_;  ///< pairs of all subsets, one after another
  std::vector<double> gold_;    ///< score of each pair
  std::vector<std::string> missing_;
  ReadReport report_;
  std::optional<TokenStore> store_;
  mutable KeptBatches kept_;
};

/// Makes a task of these settings, with notes on its inputs.
ListedTask make_task(const std::string& name, const StsTaskSettings& settings, const SentenceModel& model,
                     const ReadingSettings& reading);

}  // namespace gausscse
