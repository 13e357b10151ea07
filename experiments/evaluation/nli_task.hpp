#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "data/corpus/nli_pair.hpp"
#include "data/corpus/read_report.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "experiments/evaluation/evaluation_task.hpp"
#include "experiments/evaluation/nli_scoring.hpp"
#include "model/objective/similarity.hpp"

namespace gausscse {

/// How NLI sets are read and scored.
struct NliTaskSettings {
  SimilarityKind similarity = SimilarityKind::per_dimension;
  NliScoring scoring = {};
  BadLines bad_lines = BadLines::error;
  bool trim = false;  ///< whether sentences lose the white space at their ends
  std::size_t max_tokens = 64;
  std::size_t threads = 1;
};

/// Entailment against all else, and the direction of entailment, on one NLI corpus (method, section 5).
class NliTask : public EvaluationTask {
 public:
  /// What a set serves as: `dev` to choose a threshold on, `test` to be measured at one that is given.
  enum class Role { dev, test };

  /// Reads and tokenises `file`; of SICK's full release the rows of SemEval_set TRIAL for `dev`, TEST for `test`.
  /// Throws InputError as the readers do, if no pair is an entailment, since nothing could be measured, and where
  /// two-way pairs are to be dropped from one of SICK's SemEval files, which do not tell them. SNLI and MNLI do not
  /// tell them either, and have none by their making: nothing is dropped.
  NliTask(std::string name, Role role, const std::filesystem::path& file, const Tokenizer& tokenizer,
          const NliTaskSettings& settings);

  const std::string& name() const override { return name_; }
  const TokenStore& sentences() const override { return *store_; }
  TestResult evaluate(const at::Tensor& embeddings, double threshold) const override;

  const ReadReport& report() const { return report_; }

 private:
  NliMetrics metrics(const NliScores& scores, double threshold) const;

  std::string name_;
  Role role_;
  NliTaskSettings settings_;
  ReadReport report_;
  std::vector<std::uint32_t> premise_, hypothesis_;  ///< sentence numbers, one a pair
  std::vector<std::uint8_t> label_, both_ways_;
  std::vector<std::uint8_t> length_tells_;  ///< 1 where the premise has more characters
  std::optional<TokenStore> store_;
};

}  // namespace gausscse
