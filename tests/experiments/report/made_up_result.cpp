#include "tests/experiments/report/made_up_result.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

double logistic(double value) {
  return 1 / (1 + std::exp(-value));
}

/// Adds a probability of every pair, the similarity; half of the pairs of dev are those that the calibration was fitted
/// on.
void add_probabilities_of_pairs(Measurement& nli, const std::vector<float>& similarity) {
  std::vector<std::uint8_t> calibrated_on;
  for (std::size_t i = 0; i < similarity.size(); ++i) calibrated_on.push_back(nli.development && i % 2 == 0 ? 1 : 0);
  nli.columns.push_back({"probability", std::vector<double>(similarity.begin(), similarity.end())});
  nli.columns.push_back({"calibrated_on", std::move(calibrated_on)});
}

Measurement nli_scores(const std::string& name, const Quality& quality, std::int64_t pairs, Noise& noise) {
  Measurement nli{name, "nli", name == "dev", {}, {}, ""};
  const std::vector<std::uint8_t> label = made_up_labels(pairs);
  std::vector<float> forward, backward, log_std_premise, log_std_hypothesis;
  double right = 0, directed = 0, by_similarity = 0, by_variance = 0;
  for (const std::uint8_t of_pair : label) {
    const double center = of_pair == 0 ? 0.9 : of_pair == 1 ? -0.3 : of_pair == 2 ? -1.2 : 0;
    const double similarity = logistic(quality.separation * center + noise.normal());
    forward.push_back(static_cast<float>(similarity));
    backward.push_back(static_cast<float>(logistic(quality.separation * (center - 0.7) + noise.normal())));
    log_std_premise.push_back(static_cast<float>(-40 + 12 * noise.normal() + 6 * quality.separation));
    log_std_hypothesis.push_back(static_cast<float>(-44 + 12 * noise.normal() - (of_pair == 0 ? 14 : 0)));
    right += (similarity >= 0.5) == (of_pair == 0);
    if (of_pair != 0) continue;
    ++directed;
    by_similarity += forward.back() > backward.back();
    by_variance += log_std_premise.back() > log_std_hypothesis.back();
  }
  const double accuracy = right / static_cast<double>(pairs);
  nli.metrics = {{"pairs", static_cast<double>(pairs), Unit::count},
                 {"accuracy", accuracy},
                 {"threshold", 0.5, Unit::number},
                 {"auprc", 0.9 * accuracy},
                 {"directed_pairs", directed, Unit::count},
                 {"direction_sim", quality.gaussian ? by_similarity / directed : std::nan("")},
                 {"direction_var", quality.gaussian ? by_variance / directed : std::nan("")},
                 {"direction_length", 0.9264}};
  nli.columns.push_back({"sim_hypothesis_premise", forward});
  if (quality.gaussian) {
    nli.columns.push_back({"sim_premise_hypothesis", backward});
    nli.columns.push_back({"log_std_premise", log_std_premise});
    nli.columns.push_back({"log_std_hypothesis", log_std_hypothesis});
  }
  nli.columns.push_back({"label", label});
  nli.columns.push_back({"entails_both_ways", std::vector<std::uint8_t>(label.size(), 0)});
  add_probabilities_of_pairs(nli, forward);
  return nli;
}

Measurement tokens_of(const Quality& quality, double progress, Noise& noise) {
  Measurement tokens{"tokens", "geometry", false, {}, {}, ""};
  constexpr int layers = 6;
  const auto at = [&](const char* name, double first, double last) {
    for (int layer = -1; layer <= layers; ++layer) {
      const double depth = static_cast<double>(layer < 0 ? layers : layer) / layers;
      const double value = first + (last - first) * depth * (1 - 0.6 * progress) / quality.separation;
      tokens.metrics.push_back(
          {layer < 0 ? std::string(name) : concat(name, ".", layer), value + 0.01 * noise.normal(), Unit::number});
    }
  };
  at("anisotropy", 0.05, 0.6);
  at("self_similarity", 0.95, 0.5);
  at("norm", 9, 4);
  at("adjusted_self_similarity", 0.9, 0.3);
  at("adjusted_intra_sentence_similarity", 0.3, 0.8);
  tokens.metrics.push_back({"informativity.1", 0.99, Unit::number});
  return tokens;
}

Curve curve_of(const std::string& task, const Quality& quality, std::int64_t steps, Noise& noise) {
  Curve curve{task,
              {},
              {{"pairs", Unit::count, {}},
               {"accuracy", Unit::fraction, {}},
               {"auprc", Unit::fraction, {}},
               {"direction_length", Unit::fraction, {}}}};
  for (std::int64_t step = 0; step <= steps; step += std::max<std::int64_t>(1, steps / 16)) {
    const double learnt = 1 - std::exp(-5 * static_cast<double>(step) / static_cast<double>(steps));
    curve.step.push_back(step);
    const double accuracy = 0.62 + (0.05 + 0.13 * quality.separation) * learnt * 0.7 + 0.006 * noise.normal();
    for (std::size_t i = 0; i < curve.lines.size(); ++i)
      curve.lines[i].values.push_back(std::vector<double>{600, accuracy, accuracy - 0.08, 0.9264}[i]);
  }
  return curve;
}

Curve geometry_curve(const Quality& quality, std::int64_t steps, Noise& noise) {
  std::vector<Curve> curves;
  for (std::int64_t step = 0; step <= steps; step += std::max<std::int64_t>(1, steps / 8))
    add_to_curves(tokens_of(quality, static_cast<double>(step) / static_cast<double>(steps), noise), step, curves);
  return curves.front();
}

}  // namespace

std::vector<std::uint8_t> made_up_labels(std::int64_t pairs) {
  std::vector<std::uint8_t> labels;
  for (std::int64_t i = 0; i < pairs; ++i) labels.push_back(i % 29 == 28 ? 3 : static_cast<std::uint8_t>(i * 7 % 3));
  return labels;
}

RunResult made_up_result(const Trial& trial, const Quality& quality, const MadeUpStudy& study, const fs::path& folder,
                         Noise& noise) {
  RunResult result;
  result.configuration = to_yaml(trial);
  result.provenance = {
      .version = "0.4.0",
      .commit = "0123abc4567",
      .libraries = {{"LibTorch", "2.11.0"}, {"HDF5", "1.10.8"}, {"Open MPI", "4.1.4"}},
      .hosts = {trial.training.seed % 2 ? "node02" : "node01"},
      .devices = {"cpu"},
      .instruction_sets = {"avx512"},
      .bfloat16_instructions = {"amx"},
      .ranks = 1,
      .threads = 2,
      .data_hashes = {{(folder / "data/snli.jsonl").string(), std::string(32, '1')},
                      {(folder / "data/sick.txt").string(), std::string(32, '0')},
                      {"the initial weights", std::string(31, 'a') + std::to_string(trial.training.seed)}},
      .input_hashes = {}};
  double loss = 5.2;
  for (std::int64_t step = 0; step < study.steps; ++step) {
    loss += 0.02 * (1.6 - 0.4 * quality.separation - loss) + 0.015 * noise.normal();
    result.training.step.push_back(step);
    result.training.loss.push_back(loss + 0.12 * noise.normal());
    result.training.learning_rate.push_back(trial.training.learning_rate);
    result.training.gradient_norm.push_back(10 + noise.normal());
    result.training.examples_per_second.push_back(500);
    result.training.tokens_per_second.push_back(9000);
  }
  result.curves = {curve_of("dev", quality, study.steps, noise), geometry_curve(quality, study.steps, noise)};
  Measurement sts{"sts12", "sts", false, {{"spearman", 0.55 + 0.06 * quality.separation}, {"spearman.MSRpar", 0.5}},
                  {},      ""};
  StateResult best{"best", trial.training.seed == study.untrained_seed ? 0 : study.steps * 3 / 4, {}};
  for (const char* task : {"dev", "snli", "sick"}) best.tasks.push_back(nli_scores(task, quality, study.pairs, noise));
  best.tasks.push_back(sts);
  best.tasks.push_back(tokens_of(quality, 1, noise));
  Noise of_start(static_cast<std::uint32_t>(trial.training.seed));
  result.states = {best, {"untrained", 0, {tokens_of({1, true}, 0, of_start)}}};
  return result;
}

}  // namespace gausscse
