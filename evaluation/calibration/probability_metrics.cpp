#include "evaluation/calibration/probability_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/philox.hpp"
#include "inference/calibration/calibration.hpp"
#include "model/parallel_tasks.hpp"

namespace gausscse {

namespace {

constexpr std::size_t calibration_bins = 15;
constexpr std::int64_t bootstrap_draws = 1000;
constexpr double nearest_to_certain = 1e-7;

double mean_over(std::size_t count, const auto& term) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += term(i);
  return sum / static_cast<double>(count);
}

/// Mean P and share of entailed pairs of a bin.
struct CalibrationBin {
  double pairs = 0, sum_p = 0, sum_entailed = 0;
  double variance = 0;  ///< sum of P (1 - P)
};

/// Pairs by rising P.
struct SortedPairs {
  std::vector<double> p;
  std::vector<std::uint32_t> entailed;  ///< 0 or 1
  std::vector<std::uint32_t> place;     ///< place of each given pair

  SortedPairs(std::span<const double> given, std::span<const std::uint8_t> labels) : place(given.size()) {
    std::vector<std::uint32_t> order(given.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return given[a] < given[b]; });
    for (const std::uint32_t pair : order) {
      place[pair] = static_cast<std::uint32_t>(p.size());
      p.push_back(given[pair]);
      entailed.push_back(labels[pair] != 0 ? 1 : 0);
    }
  }

  /// Calls visit(bin) for each bin where pair i is there `times[i]` times, `total` pairs in all. Pairs of one P that
  /// lie in several bins have the same share in each.
  void visit_bins(const std::vector<std::uint32_t>& times, std::size_t total, const auto& visit) const {
    const auto end_of_bin = [&](std::size_t number) {
      return (number + 1) * (total / calibration_bins) + std::min(number + 1, total % calibration_bins);
    };
    CalibrationBin bin;
    std::size_t number = 0, done = 0, end_of_this = end_of_bin(0);
    const auto take = [&](std::size_t pairs, double probability, double share) {
      const auto taken = static_cast<double>(pairs);
      bin.pairs += taken;
      bin.sum_p += taken * probability;
      bin.sum_entailed += taken * share;
      bin.variance += taken * probability * (1 - probability);
      done += pairs;
    };
    for (std::size_t begin = 0, end = 0; begin < p.size(); begin = end) {
      // Most pairs have a P that no other has, and do not fill a bin: without a division.
      if (begin + 1 < p.size() && p[begin + 1] != p[begin] && done + times[begin] < end_of_this) {
        take(times[begin], p[begin], entailed[begin]);
        ++end;
        continue;
      }
      std::size_t pairs = 0, positive = 0;
      do {
        pairs += times[end];
        positive += times[end] * entailed[end];
        ++end;
      } while (end < p.size() && p[end] == p[begin]);
      const double share = pairs == 0 ? 0 : static_cast<double>(positive) / static_cast<double>(pairs);
      while (pairs > 0) {
        const std::size_t taken = std::min(pairs, end_of_this - done);
        take(taken, p[begin], share);
        pairs -= taken;
        if (done < end_of_this) continue;
        visit(bin);
        bin = {};
        end_of_this = end_of_bin(++number);
      }
    }
  }

  double calibration_error(const std::vector<std::uint32_t>& times, std::size_t total) const {
    double error = 0;
    visit_bins(times, total, [&](const CalibrationBin& bin) { error += std::abs(bin.sum_p - bin.sum_entailed); });
    return error / static_cast<double>(total);
  }
};

/// Returns the mean of |X| of a normal X.
double mean_absolute(double mean, double deviation) {
  if (!(deviation > 0)) return std::abs(mean);
  const double scaled = mean / deviation;
  return deviation * std::sqrt(2 / std::numbers::pi) * std::exp(-scaled * scaled / 2) +
         mean * std::erf(scaled / std::numbers::sqrt2);
}

/// Returns all but the interval; the 97.5 % quantile of the null, as of a normal, is in `null_quantile`.
CalibrationError error_of(const SortedPairs& sorted, double& null_quantile) {
  const auto total = static_cast<double>(sorted.p.size());
  CalibrationError error;
  double variance_of_null = 0;
  const std::vector<std::uint32_t> once(sorted.p.size(), 1);
  sorted.visit_bins(once, once.size(), [&](const CalibrationBin& bin) {
    const double difference = bin.sum_p - bin.sum_entailed, share = bin.sum_entailed / bin.pairs;
    const double deviation = bin.pairs * std::sqrt(share * (1 - share) / std::max(bin.pairs - 1, 1.0));
    error.plain += std::abs(difference) / total;
    error.debiased += (2 * std::abs(difference) - mean_absolute(difference, deviation)) / total;
    error.null += mean_absolute(0, std::sqrt(bin.variance)) / total;
    variance_of_null += (1 - 2 / std::numbers::pi) * bin.variance / (total * total);
  });
  error.debiased = std::max(error.debiased, 0.0);
  null_quantile = error.null + 1.96 * std::sqrt(variance_of_null);
  return error;
}

/// Returns the quantile of sorted values, with straight lines between them.
double quantile_of(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Calls visit(answered, errors) for each confidence, from the most confident answers on, with the number of answers of
/// at least this confidence and of the wrong ones among them.
void visit_coverages(const Answers& answers, const auto& visit) {
  std::vector<std::pair<double, bool>> sorted;  // confidence, and whether the answer is wrong
  for (std::size_t i = 0; i < answers.wrong.size(); ++i)
    sorted.emplace_back(answers.confidence[i], answers.wrong[i] != 0);
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::size_t errors = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    errors += sorted[i].second ? 1 : 0;
    if (i + 1 == sorted.size() || sorted[i + 1].first != sorted[i].first) visit(i + 1, errors);
  }
}

}  // namespace

double negative_log_likelihood(std::span<const double> p, std::span<const std::uint8_t> entailed) {
  return mean_over(p.size(), [&](std::size_t i) {
    const double clipped = std::clamp(p[i], nearest_to_certain, 1 - nearest_to_certain);
    return entailed[i] != 0 ? -std::log(clipped) : -std::log1p(-clipped);
  });
}

double brier_score(std::span<const double> p, std::span<const std::uint8_t> entailed) {
  return mean_over(p.size(), [&](std::size_t i) {
    const double difference = p[i] - (entailed[i] != 0 ? 1 : 0);
    return difference * difference;
  });
}

double expected_calibration_error(std::span<const double> p, std::span<const std::uint8_t> entailed) {
  return SortedPairs(p, entailed).calibration_error(std::vector<std::uint32_t>(p.size(), 1), p.size());
}

std::vector<CalibrationError> calibration_errors(std::span<const std::vector<double>> p_of_calibrators,
                                                 std::span<const std::uint8_t> entailed, const ItemClusters& clusters,
                                                 int threads) {
  GAUSSCSE_CHECK(clusters.items() == entailed.size(), clusters.items(), " items, ", entailed.size(), " labels");
  std::vector<SortedPairs> sorted;
  for (const std::vector<double>& p : p_of_calibrators) sorted.emplace_back(p, entailed);
  std::vector<std::vector<double>> of_draws(sorted.size(), std::vector<double>(bootstrap_draws));
  run_tasks(bootstrap_draws, threads, [&](std::int64_t draw, int) {
    PhiloxStream random(0, static_cast<std::uint64_t>(draw));
    std::vector<std::uint32_t> drawn, times(entailed.size());
    clusters.draw(random, drawn);
    for (std::size_t each = 0; each < sorted.size(); ++each) {
      std::fill(times.begin(), times.end(), 0);
      for (const std::uint32_t pair : drawn) ++times[sorted[each].place[pair]];
      of_draws[each][static_cast<std::size_t>(draw)] = sorted[each].calibration_error(times, drawn.size());
    }
  });
  std::vector<CalibrationError> errors;
  for (std::size_t each = 0; each < sorted.size(); ++each) {
    double null_quantile = 0;
    CalibrationError& error = errors.emplace_back(error_of(sorted[each], null_quantile));
    std::sort(of_draws[each].begin(), of_draws[each].end());
    const auto reflected = [&](double share) {
      return std::max(2 * error.plain - quantile_of(of_draws[each], share), 0.0);
    };
    error.interval = {error.plain <= null_quantile ? 0 : reflected(0.975), reflected(0.025)};
  }
  return errors;
}

Answers either_answers(std::span<const double> p, std::span<const std::uint8_t> entailed) {
  Answers answers;
  for (std::size_t i = 0; i < p.size(); ++i) {
    answers.confidence.push_back(confidence_of(p[i]));
    answers.wrong.push_back((p[i] >= 0.5) != (entailed[i] != 0) ? 1 : 0);
  }
  return answers;
}

Answers found_answers(std::span<const double> p, std::span<const std::uint8_t> right) {
  Answers answers{{p.begin(), p.end()}, {}};
  for (const std::uint8_t each : right) answers.wrong.push_back(each != 0 ? 0 : 1);
  return answers;
}

double area_under_risk_coverage(const Answers& answers) {
  double area = 0;
  std::size_t before = 0;
  visit_coverages(answers, [&](std::size_t answered, std::size_t errors) {
    area += static_cast<double>(answered - before) * static_cast<double>(errors) / static_cast<double>(answered);
    before = answered;
  });
  return area / static_cast<double>(answers.wrong.size());
}

double coverage_at_risk(const Answers& answers, double risk) {
  std::size_t best = 0;
  visit_coverages(answers, [&](std::size_t answered, std::size_t errors) {
    if (static_cast<double>(errors) / static_cast<double>(answered) <= risk) best = answered;
  });
  return static_cast<double>(best) / static_cast<double>(answers.wrong.size());
}

Answered answered_at(double confidence, const Answers& answers) {
  std::size_t answered = 0, errors = 0;
  for (std::size_t i = 0; i < answers.wrong.size(); ++i) {
    if (answers.confidence[i] < confidence) continue;
    ++answered;
    errors += answers.wrong[i] != 0 ? 1 : 0;
  }
  return {static_cast<double>(answered) / static_cast<double>(answers.wrong.size()),
          answered == 0 ? std::numeric_limits<double>::quiet_NaN()
                        : static_cast<double>(errors) / static_cast<double>(answered)};
}

}  // namespace gausscse
