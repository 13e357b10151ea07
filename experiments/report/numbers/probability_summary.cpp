#include "experiments/report/numbers/probability_summary.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "data/corpus/nli_pair.hpp"
#include "experiments/statistics/descriptive.hpp"

namespace gausscse {

namespace {

/// Pairs of one P.
struct PairsOfProbability {
  double p = 0;
  std::size_t pairs = 0, entailed = 0;
};

std::vector<PairsOfProbability> by_rising_probability(std::span<const double> p,
                                                      std::span<const std::uint8_t> entailed) {
  GAUSSCSE_CHECK(p.size() == entailed.size(), p.size(), " probabilities, ", entailed.size(), " labels");
  std::vector<std::pair<double, bool>> pairs;
  for (std::size_t i = 0; i < p.size(); ++i) pairs.emplace_back(p[i], entailed[i] != 0);
  std::sort(pairs.begin(), pairs.end());
  std::vector<PairsOfProbability> grouped;
  for (const auto& [probability, is_entailed] : pairs) {
    if (grouped.empty() || grouped.back().p != probability) grouped.push_back({probability});
    ++grouped.back().pairs;
    grouped.back().entailed += is_entailed;
  }
  return grouped;
}

ReliabilityBin bin_of(double pairs, double sum_of_p, double entailed) {
  return {pairs, sum_of_p / pairs, entailed / pairs, wilson_interval(std::min(entailed, pairs), pairs)};
}

}  // namespace

std::vector<ReliabilityBin> reliability_of(std::span<const double> p, std::span<const std::uint8_t> entailed) {
  std::vector<ReliabilityBin> bins;
  const auto pairs_of_bin = [&](std::size_t bin) {
    return p.size() / reliability_bins + (bin < p.size() % reliability_bins ? 1 : 0);
  };
  double pairs = 0, sum_of_p = 0, of_bin = 0;
  for (const PairsOfProbability& equal : by_rising_probability(p, entailed)) {
    const double share = static_cast<double>(equal.entailed) / static_cast<double>(equal.pairs);
    for (std::size_t left = equal.pairs; left > 0;) {
      const std::size_t room = pairs_of_bin(bins.size()) - static_cast<std::size_t>(pairs);
      const std::size_t taken = std::min(left, room);
      pairs += static_cast<double>(taken);
      sum_of_p += static_cast<double>(taken) * equal.p;
      of_bin += static_cast<double>(taken) * share;
      left -= taken;
      if (taken < room) continue;
      bins.push_back(bin_of(pairs, sum_of_p, of_bin));
      pairs = sum_of_p = of_bin = 0;
    }
  }
  return bins;
}

RiskCoverage risk_coverage_of(std::span<const double> p, std::span<const std::uint8_t> entailed) {
  GAUSSCSE_CHECK(p.size() == entailed.size(), p.size(), " probabilities, ", entailed.size(), " labels");
  std::vector<std::pair<double, bool>> answers;  // confidence, and whether the answer is wrong
  for (std::size_t i = 0; i < p.size(); ++i)
    answers.emplace_back(std::max(p[i], 1 - p[i]), (p[i] >= 0.5) != (entailed[i] != 0));
  std::sort(answers.begin(), answers.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  RiskCoverage curve;
  std::size_t errors = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    errors += answers[i].second;
    if (i + 1 < answers.size() && answers[i + 1].first == answers[i].first) continue;
    curve.coverage.push_back(static_cast<double>(i + 1) / static_cast<double>(answers.size()));
    curve.risk.push_back(static_cast<double>(errors) / static_cast<double>(i + 1));
  }
  return curve;
}

void ProbabilitySummary::add(const Measurement& measurement, bool with_unlabelled) {
  using Bytes = std::vector<std::uint8_t>;
  const auto* probability = find_column<std::vector<double>>(measurement, "probability");
  const auto* label = find_column<Bytes>(measurement, "label");
  if (!probability || !label) return;
  const auto* fitted = find_column<Bytes>(measurement, "calibrated_on");
  if (probability->size() != label->size() || (fitted && fitted->size() != label->size()))
    throw InputError(concat("the task ", quoted(measurement.task), " has ", probability->size(), " probabilities for ",
                            label->size(), " pairs: its result is damaged"));
  std::vector<double> p;
  Bytes entailed;
  for (std::size_t i = 0; i < label->size(); ++i) {
    const bool unlabelled = (*label)[i] == static_cast<std::uint8_t>(NliLabel::none);
    if ((unlabelled && !with_unlabelled) || (fitted && (*fitted)[i]) || !std::isfinite((*probability)[i])) continue;
    p.push_back((*probability)[i]);
    entailed.push_back((*label)[i] == static_cast<std::uint8_t>(NliLabel::entailment));
    p_[entailed.back() ? 0 : 1].push_back(p.back());
  }
  if (p.empty()) return;
  seeds_.push_back(reliability_of(p, entailed));
  const RiskCoverage curve = risk_coverage_of(p, entailed);
  std::vector<double> coverages, risks;
  for (std::size_t i = 1; i <= coverage_points; ++i) {
    coverages.push_back(static_cast<double>(i) / static_cast<double>(coverage_points));
    // Both are correctly rounded quotients of whole numbers, so that equal shares are equal.
    const auto reached = std::lower_bound(curve.coverage.begin(), curve.coverage.end() - 1, coverages.back());
    risks.push_back(curve.risk[static_cast<std::size_t>(reached - curve.coverage.begin())]);
  }
  risk.add(coverages, risks);
}

std::vector<ReliabilityBin> ProbabilitySummary::reliability() const {
  std::vector<ReliabilityBin> means;
  for (std::size_t bin = 0; bin < reliability_bins; ++bin) {
    double seeds = 0, pairs = 0, sum_of_p = 0, entailed = 0;
    for (const std::vector<ReliabilityBin>& of_seed : seeds_) {
      if (bin >= of_seed.size()) continue;
      ++seeds;
      pairs += of_seed[bin].pairs;
      sum_of_p += of_seed[bin].pairs * of_seed[bin].probability;
      entailed += of_seed[bin].pairs * of_seed[bin].share;
    }
    if (seeds > 0) means.push_back(bin_of(pairs / seeds, sum_of_p / seeds, entailed / seeds));
  }
  return means;
}

Histograms ProbabilitySummary::histograms() const {
  constexpr std::size_t most_bins = 48;
  return over_same_bins({{"entailment", p_[0]}, {"other pairs", p_[1]}}, most_bins);
}

}  // namespace gausscse
