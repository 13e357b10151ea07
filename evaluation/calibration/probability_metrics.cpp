#include "evaluation/calibration/probability_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

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

/// Pairs by rising P.
struct SortedPairs {
  std::vector<double> p;
  std::vector<std::uint32_t> entailed;  ///< 0 or 1

  SortedPairs(std::span<const double> given, std::span<const std::uint8_t> labels) {
    std::vector<std::pair<double, std::uint32_t>> pairs;
    for (std::size_t i = 0; i < given.size(); ++i) pairs.emplace_back(given[i], labels[i] != 0 ? 1 : 0);
    std::sort(pairs.begin(), pairs.end());
    for (const auto& [probability, label] : pairs) {
      p.push_back(probability);
      entailed.push_back(label);
    }
  }

  /// Returns the error where pair i is there `times[i]` times.
  double calibration_error(const std::vector<std::uint32_t>& times) const {
    const std::size_t total = p.size();
    const auto end_of_bin = [&](std::size_t bin) {
      return (bin + 1) * (total / calibration_bins) + std::min(bin + 1, total % calibration_bins);
    };
    double error = 0, sum_p = 0, sum_entailed = 0;
    std::size_t bin = 0, done = 0;
    for (std::size_t begin = 0, end = 0; begin < total; begin = end) {
      // Most pairs have a P that no other has, and do not fill a bin: without a branch on their times, and a division.
      if (begin + 1 < total && p[begin + 1] != p[begin] && done + times[begin] < end_of_bin(bin)) {
        sum_p += static_cast<double>(times[begin]) * p[begin];
        sum_entailed += static_cast<double>(times[begin] * entailed[begin]);
        done += times[begin];
        ++end;
        continue;
      }
      std::size_t pairs = 0, positive = 0;
      do {
        pairs += times[end];
        positive += times[end] * entailed[end];
        ++end;
      } while (end < total && p[end] == p[begin]);
      const double share = pairs == 0 ? 0 : static_cast<double>(positive) / static_cast<double>(pairs);
      while (pairs > 0) {
        const std::size_t taken = std::min(pairs, end_of_bin(bin) - done);
        sum_p += static_cast<double>(taken) * p[begin];
        sum_entailed += static_cast<double>(taken) * share;
        pairs -= taken;
        done += taken;
        if (done < end_of_bin(bin)) continue;
        error += std::abs(sum_p - sum_entailed);
        sum_p = sum_entailed = 0;
        ++bin;
      }
    }
    return error / static_cast<double>(total);
  }
};

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
  return SortedPairs(p, entailed).calibration_error(std::vector<std::uint32_t>(p.size(), 1));
}

std::vector<Interval> calibration_error_intervals(std::span<const std::vector<double>> p_of_calibrators,
                                                  std::span<const std::uint8_t> entailed, int threads) {
  const std::size_t pairs = entailed.size();
  std::vector<SortedPairs> sorted;
  for (const std::vector<double>& p : p_of_calibrators) sorted.emplace_back(p, entailed);
  std::vector<std::vector<double>> errors(sorted.size(), std::vector<double>(bootstrap_draws));
  run_tasks(bootstrap_draws, threads, [&](std::int64_t draw, int) {
    PhiloxStream random(0, static_cast<std::uint64_t>(draw));
    std::vector<std::uint32_t> times(pairs, 0);
    for (std::size_t i = 0; i < pairs; ++i) ++times[random.below(static_cast<std::uint32_t>(pairs))];
    for (std::size_t each = 0; each < sorted.size(); ++each)
      errors[each][static_cast<std::size_t>(draw)] = sorted[each].calibration_error(times);
  });
  std::vector<Interval> intervals;
  for (std::vector<double>& of_draws : errors) {
    std::sort(of_draws.begin(), of_draws.end());
    intervals.push_back({quantile_of(of_draws, 0.025), quantile_of(of_draws, 0.975)});
  }
  return intervals;
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
