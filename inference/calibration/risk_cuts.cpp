#include "inference/calibration/risk_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>

#include "base/error.hpp"

namespace gausscse {

namespace {

constexpr std::size_t first_percent = risk_starts[0];
constexpr double delta_of_start = risk_delta / std::size(risk_starts);

/// Returns ln of the probability of exactly `successes`, with `probability` in (0, 1).
double log_binomial(double successes, double trials, double probability) {
  return std::lgamma(trials + 1) - std::lgamma(successes + 1) - std::lgamma(trials - successes + 1) +
         successes * std::log(probability) + (trials - successes) * std::log1p(-probability);
}

}  // namespace

double binomial_cdf(std::uint64_t successes, std::uint64_t trials, double probability) {
  if (successes >= trials) return 1;
  double sum = 0;
  for (std::uint64_t i = 0; i <= successes; ++i)
    sum += std::exp(log_binomial(static_cast<double>(i), static_cast<double>(trials), probability));
  return std::min(sum, 1.0);
}

std::uint64_t least_answered(double risk) {
  return static_cast<std::uint64_t>(std::ceil(std::log(delta_of_start) / std::log1p(-risk)));
}

std::vector<RiskCut> risk_cuts_of(const std::vector<double>& confidence, const std::vector<std::uint8_t>& wrong) {
  const std::size_t pairs = confidence.size();
  std::vector<std::size_t> order(pairs);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return confidence[a] > confidence[b]; });
  std::vector<RiskCut> cuts;
  RiskCut cut;
  for (std::size_t percent = first_percent; percent <= 100; ++percent) {
    const std::size_t wanted = (pairs * percent + 99) / 100;
    if (cut.answered >= wanted) continue;
    while (cut.answered < pairs &&
           (cut.answered < wanted || confidence[order[cut.answered]] == confidence[order[cut.answered - 1]]))
      cut.errors += wrong[order[cut.answered++]] != 0 ? 1 : 0;
    cut.confidence = confidence[order[cut.answered - 1]];
    cuts.push_back(cut);
  }
  return cuts;
}

std::optional<double> confidence_at(const std::vector<RiskCut>& cuts, double risk) {
  if (!(risk > 0 && risk < 1)) throw InputError(concat("the risk is ", risk, ": give a number over 0 and under 1"));
  std::optional<double> passed;
  std::uint64_t answered = 0;  // by the cut that passed
  const std::uint64_t least = least_answered(risk), pairs = cuts.empty() ? 0 : cuts.back().answered;
  for (const std::uint64_t start : risk_starts)
    for (const RiskCut& cut : cuts) {
      if (cut.answered < least || cut.answered * 100 < pairs * start) continue;
      // The upper bound of the error is at most `risk` where so few errors are so improbable at an error of `risk`.
      if (binomial_cdf(cut.errors, cut.answered, risk) > delta_of_start) break;
      if (cut.answered > answered) passed = cut.confidence;
      answered = std::max(answered, cut.answered);
    }
  return passed;
}

}  // namespace gausscse
