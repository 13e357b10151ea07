#include "experiments/statistics/bootstrap_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

constexpr double not_defined = std::numeric_limits<double>::quiet_NaN();
constexpr int sweep_steps = 1000;

using Numbers = std::vector<std::uint32_t>;

template <typename Value>
void check_numbers(std::span<const Value> values) {
  for (const Value value : values)
    if (std::isnan(value)) throw InputError("a score is not a number: the result is damaged");
}

/// Returns the number of each value among the distinct values of its part, counted from the first part on. Equal values
/// of a part share a number, and numbers rise with the values.
template <typename Value>
Numbers groups_of(std::span<const Value> values, std::span<const std::int64_t> part) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return part[a] != part[b] ? part[a] < part[b] : values[a] < values[b];
  });
  Numbers groups(values.size());
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_new = i > 0 && (part[order[i]] != part[order[i - 1]] || values[order[i]] != values[order[i - 1]]);
    groups[order[i]] = number += is_new;
  }
  return groups;
}

/// Returns the group of each score, from 0 for the highest threshold down; a score below all thresholds is behind the
/// last.
Numbers groups_of_sweep(std::span<const float> scores) {
  Numbers groups;
  for (const float score : scores) {
    int step = sweep_steps;
    while (step >= 0 && !(score >= static_cast<double>(step) / sweep_steps)) --step;
    groups.push_back(static_cast<std::uint32_t>(sweep_steps - step));
  }
  return groups;
}

/// Numbers of groups, the highest scores first.
Numbers descending(const Numbers& rising) {
  const std::uint32_t last = rising.empty() ? 0 : *std::max_element(rising.begin(), rising.end());
  Numbers groups;
  for (const std::uint32_t group : rising) groups.push_back(last - group);
  return groups;
}

class PrecisionRecallArea {
 public:
  PrecisionRecallArea(Numbers group, std::span<const std::uint8_t> positive, std::size_t groups)
      : group_(std::move(group)), positive_(positive.begin(), positive.end()), groups_(groups) {}

  double operator()(std::span<const std::uint32_t> drawn) const {
    thread_local std::vector<std::uint32_t> said_positive, true_positive;
    said_positive.assign(groups_ + 1, 0);
    true_positive.assign(groups_ + 1, 0);
    std::size_t positives = 0;
    for (const std::uint32_t item : drawn) {
      const std::uint32_t right = positive_[item] != 0;
      ++said_positive[group_[item]];
      true_positive[group_[item]] += right;
      positives += right;
    }
    if (positives == 0) return not_defined;
    double area = 0, recall = 0;
    std::size_t said = 0, right = 0;
    for (std::size_t group = 0; group < groups_; ++group) {
      // Without a positive the recall stays, and nothing is added.
      const bool adds = true_positive[group] > 0;
      const double precision = adds && said > 0 ? static_cast<double>(right) / static_cast<double>(said) : 1;
      said += said_positive[group];
      if (!adds) continue;
      right += true_positive[group];
      const double next_recall = static_cast<double>(right) / static_cast<double>(positives);
      const double next_precision = static_cast<double>(right) / static_cast<double>(said);
      area += (next_recall - recall) * (next_precision + precision) / 2;
      recall = next_recall;
    }
    return area;
  }

 private:
  Numbers group_;
  std::vector<std::uint8_t> positive_;
  std::size_t groups_;  ///< groups that add a point to the curve
};

class RankCorrelation {
 public:
  RankCorrelation(std::span<const double> x, std::span<const double> y, std::span<const std::int64_t> part,
                  PartsOfCorrelation how)
      : how_(how), part_(part.size()) {
    const bool apart = how != PartsOfCorrelation::together;
    for (std::size_t i = 0; i < part.size(); ++i) part_[i] = apart ? static_cast<std::uint32_t>(part[i]) : 0;
    const std::vector<std::int64_t> own_part(part_.begin(), part_.end());
    x_ = side_of(x, own_part);
    y_ = side_of(y, own_part);
    parts_ = part_.empty() ? 0 : *std::max_element(part_.begin(), part_.end()) + std::size_t{1};
  }

  double operator()(std::span<const std::uint32_t> drawn) const {
    thread_local std::vector<double> numbers, products, squares_x, squares_y, rank_x, rank_y;
    numbers.assign(parts_, 0);
    products.assign(parts_, 0);
    for (const std::uint32_t item : drawn) ++numbers[part_[item]];
    rank(x_, drawn, numbers, rank_x, squares_x);
    rank(y_, drawn, numbers, rank_y, squares_y);
    for (const std::uint32_t item : drawn) products[part_[item]] += rank_x[x_.group[item]] * rank_y[y_.group[item]];
    double sum = 0, weights = 0;
    for (std::size_t part = 0; part < parts_; ++part) {
      const double squares = squares_x[part] * squares_y[part];
      if (!(squares > 0)) return not_defined;
      const double weight = how_ == PartsOfCorrelation::mean_by_numbers ? numbers[part] : 1;
      sum += weight * products[part] / std::sqrt(squares);
      weights += weight;
    }
    return weights > 0 ? sum / weights : not_defined;
  }

 private:
  /// The values of one side.
  struct Side {
    Numbers group;    ///< group of each item
    Numbers part_of;  ///< part of each group
  };

  static Side side_of(std::span<const double> values, const std::vector<std::int64_t>& part) {
    Side side{groups_of<double>(values, part), {}};
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (side.part_of.size() <= side.group[i]) side.part_of.resize(side.group[i] + std::size_t{1});
      side.part_of[side.group[i]] = static_cast<std::uint32_t>(part[i]);
    }
    return side;
  }

  /// Computes the rank of each group among the drawn items of its part, less the mean rank, and the sum of squares of
  /// these in each part.
  void rank(const Side& side, std::span<const std::uint32_t> drawn, const std::vector<double>& numbers,
            std::vector<double>& ranks, std::vector<double>& squares) const {
    thread_local Numbers count;
    count.assign(side.part_of.size(), 0);
    ranks.assign(side.part_of.size(), 0);
    squares.assign(parts_, 0);
    for (const std::uint32_t item : drawn) ++count[side.group[item]];
    double below = 0;
    for (std::size_t group = 0; group < count.size(); ++group) {
      const std::uint32_t part = side.part_of[group];
      if (group > 0 && part != side.part_of[group - 1]) below = 0;
      const double items = count[group];
      ranks[group] = below + (items + 1) / 2 - (numbers[part] + 1) / 2;
      squares[part] += items * ranks[group] * ranks[group];
      below += items;
    }
  }

  PartsOfCorrelation how_;
  Numbers part_;  ///< part of each item
  std::size_t parts_ = 0;
  Side x_, y_;
};

}  // namespace

MetricOnSample drawn_precision_recall_area(std::span<const float> scores, std::span<const std::uint8_t> positive,
                                           CurvePoints points) {
  GAUSSCSE_CHECK(scores.size() == positive.size(), scores.size(), " scores, ", positive.size(), " labels");
  check_numbers(scores);
  if (points == CurvePoints::sweep)
    return PrecisionRecallArea(groups_of_sweep(scores), positive, sweep_steps + std::size_t{1});
  const std::vector<std::int64_t> one_part(scores.size(), 0);
  Numbers groups = descending(groups_of(scores, std::span<const std::int64_t>(one_part)));
  const std::size_t count = groups.empty() ? 0 : *std::max_element(groups.begin(), groups.end()) + std::size_t{1};
  return PrecisionRecallArea(std::move(groups), positive, count);
}

MetricOnSample drawn_spearman(std::span<const double> x, std::span<const double> y, std::span<const std::int64_t> part,
                              PartsOfCorrelation parts) {
  GAUSSCSE_CHECK(x.size() == y.size() && x.size() == part.size(), x.size(), ", ", y.size(), " and ", part.size());
  check_numbers(x);
  check_numbers(y);
  return RankCorrelation(x, y, part, parts);
}

}  // namespace gausscse
