#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gausscse {

/// Metrics of one NLI set, as fractions. A direction task without any pair is NaN.
struct NliMetrics {
  std::int64_t pairs = 0;           ///< that the accuracy and the AUPRC count
  double accuracy = 0;              ///< entailment against all else, at `threshold`
  double threshold = 0;             ///< chosen on dev, or on the set's own dev set
  double auprc = 0;                 ///< area under the precision-recall curve
  std::int64_t directed_pairs = 0;  ///< that the direction tasks count
  double direction_sim = 0;         ///< sim(hyp || pre) > sim(pre || hyp)
  double direction_var = 0;         ///< the premise has the larger variance
  double direction_length = 0;      ///< the premise has more characters
};

/// What the metrics were computed from, one value a pair, in the file's order.
struct NliScores {
  std::vector<float> sim_hypothesis_premise;  ///< sim(hypothesis || premise)
  std::vector<float> sim_premise_hypothesis;  ///< sim(premise || hypothesis)
  std::vector<float> log_std_premise;         ///< sum over dimensions of log standard deviation
  std::vector<float> log_std_hypothesis;
  std::vector<std::uint8_t> label;  ///< 0 entailment, 1 neutral, 2 contradiction, 3 none
  std::vector<std::uint8_t> entails_both_ways;
};

struct TestResult {
  std::string name;
  NliMetrics metrics;
  NliScores scores;
};

/// One state of the weights and what it scored.
struct StateResult {
  std::string state;              ///< "best" or "last"
  std::int64_t step = 0;          ///< optimizer steps before it
  std::optional<NliMetrics> dev;  ///< of a run always there; nothing where dev was not measured
  std::vector<TestResult> tests;
};

/// One value a step.
struct TrainingSeries {
  std::vector<std::int64_t> step;
  std::vector<double> loss, learning_rate, gradient_norm, triples_per_second, tokens_per_second;
};

/// One value an evaluation on dev. Step 0 is the untrained head.
struct DevCurve {
  std::vector<std::int64_t> step;
  std::vector<double> auprc, accuracy, direction_sim, direction_var;
};

/// Where a result comes from.
struct Provenance {
  std::string version, commit;
  std::vector<std::pair<std::string, std::string>> libraries;    ///< name and version
  std::vector<std::string> hosts;                                ///< of each rank
  std::vector<std::string> instruction_sets;                     ///< of the kernels, on each rank
  std::vector<std::string> bfloat16_instructions;                ///< of products of bfloat16 factors, on each rank
  std::int64_t ranks = 1, threads = 1;                           ///< threads a rank
  std::vector<std::pair<std::string, std::string>> data_hashes;  ///< what it was made from, and XXH3-128 of that
};

/// All that a training run leaves in result.h5.
struct RunResult {
  std::string configuration;  ///< the resolved trial, as YAML
  Provenance provenance;
  TrainingSeries training;
  DevCurve dev;
  std::vector<StateResult> states;
};

}  // namespace gausscse
