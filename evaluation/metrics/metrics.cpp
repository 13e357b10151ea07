#include "evaluation/metrics/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

constexpr int sweep_steps = 1000;

double sweep_threshold(int k) {
  return static_cast<double>(k) / sweep_steps;
}

template <typename Score>
void check_scores(std::span<const Score> scores) {
  const auto nan = std::find_if(scores.begin(), scores.end(), [](Score score) { return std::isnan(score); });
  if (nan != scores.end()) {
    throw InputError(
        concat("the score of pair ", nan - scores.begin() + 1,
               " is not a number, so no metric can be computed: the model's weights or embeddings are damaged"));
  }
}

template <typename Score>
void check_pairs(std::span<const Score> scores, std::span<const std::uint8_t> positive) {
  GAUSSCSE_CHECK(scores.size() == positive.size(), scores.size(), " scores, ", positive.size(), " labels");
  if (scores.empty()) throw InputError("there are no pairs to evaluate: the set is empty");
  check_scores(scores);
}

std::size_t count_positives(std::span<const std::uint8_t> positive) {
  return static_cast<std::size_t>(
      std::count_if(positive.begin(), positive.end(), [](std::uint8_t label) { return label != 0; }));
}

std::size_t check_positives(std::span<const std::uint8_t> positive) {
  const std::size_t positives = count_positives(positive);
  if (positives == 0) {
    throw InputError(
        "no pair is labelled entailment, so that precision and recall are not defined: give a set with some");
  }
  return positives;
}

/// Pairs by descending score.
template <typename Score>
std::vector<std::size_t> ranking(std::span<const Score> scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  return order;
}

/// Sums trapezoids between the points of a precision-recall curve, from recall 0 and precision 1 upwards.
class CurveArea {
 public:
  explicit CurveArea(std::size_t positives) : positives_(static_cast<double>(positives)) {}

  void add_point(std::size_t true_positives, std::size_t said_positive) {
    const double recall = static_cast<double>(true_positives) / positives_;
    const double precision = static_cast<double>(true_positives) / static_cast<double>(said_positive);
    area_ += (recall - recall_) * (precision + precision_) / 2.0;
    recall_ = recall;
    precision_ = precision;
  }

  double area() const { return area_; }

 private:
  double positives_;
  double recall_ = 0.0;
  double precision_ = 1.0;
  double area_ = 0.0;
};

template <typename Score>
double area_by_points(std::span<const Score> scores, std::span<const std::uint8_t> positive) {
  check_pairs(scores, positive);
  CurveArea curve(check_positives(positive));
  const std::vector<std::size_t> order = ranking(scores);
  std::size_t true_positives = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    true_positives += positive[order[i]] != 0;
    // Equal scores are one threshold, so one point.
    if (i + 1 == order.size() || scores[order[i + 1]] != scores[order[i]]) curve.add_point(true_positives, i + 1);
  }
  return curve.area();
}

template <typename Score>
double area_by_sweep(std::span<const Score> scores, std::span<const std::uint8_t> positive) {
  check_pairs(scores, positive);
  CurveArea curve(check_positives(positive));
  const std::vector<std::size_t> order = ranking(scores);
  std::size_t said_positive = 0;
  std::size_t true_positives = 0;
  for (int k = sweep_steps; k >= 0; --k) {
    while (said_positive < order.size() && scores[order[said_positive]] >= sweep_threshold(k)) {
      true_positives += positive[order[said_positive++]] != 0;
    }
    if (said_positive > 0) curve.add_point(true_positives, said_positive);
  }
  return curve.area();
}

template <typename Score>
double share_right_at(double threshold, std::span<const Score> scores, std::span<const std::uint8_t> positive) {
  check_pairs(scores, positive);
  std::size_t right = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) right += (scores[i] >= threshold) == (positive[i] != 0);
  return static_cast<double>(right) / static_cast<double>(scores.size());
}

}  // namespace

double area_under_precision_recall(std::span<const float> scores, std::span<const std::uint8_t> positive) {
  return area_by_points(scores, positive);
}

double area_under_precision_recall(std::span<const double> scores, std::span<const std::uint8_t> positive) {
  return area_by_points(scores, positive);
}

double area_under_precision_recall_sweep(std::span<const float> scores, std::span<const std::uint8_t> positive) {
  return area_by_sweep(scores, positive);
}

double area_under_precision_recall_sweep(std::span<const double> scores, std::span<const std::uint8_t> positive) {
  return area_by_sweep(scores, positive);
}

double best_threshold(std::span<const float> scores, std::span<const std::uint8_t> positive) {
  check_pairs(scores, positive);
  const std::vector<std::size_t> order = ranking(scores);
  const std::size_t negatives = scores.size() - count_positives(positive);
  std::size_t said_positive = 0;
  std::size_t true_positives = 0;
  std::size_t best_right = 0;
  int best = sweep_steps;
  for (int k = sweep_steps; k >= 0; --k) {
    while (said_positive < order.size() && scores[order[said_positive]] >= sweep_threshold(k)) {
      true_positives += positive[order[said_positive++]] != 0;
    }
    const std::size_t right = true_positives + negatives - (said_positive - true_positives);
    if (right >= best_right) {
      best_right = right;
      best = k;
    }
  }
  return sweep_threshold(best);
}

double accuracy_at(double threshold, std::span<const float> scores, std::span<const std::uint8_t> positive) {
  return share_right_at(threshold, scores, positive);
}

double accuracy_at(double threshold, std::span<const double> scores, std::span<const std::uint8_t> positive) {
  return share_right_at(threshold, scores, positive);
}

double direction_accuracy(std::span<const float> premise_side, std::span<const float> hypothesis_side) {
  GAUSSCSE_CHECK(premise_side.size() == hypothesis_side.size(), premise_side.size(), " and ", hypothesis_side.size());
  if (premise_side.empty())
    throw InputError("there are no entailment pairs for the direction task: give a set with some");
  check_scores(premise_side);
  check_scores(hypothesis_side);
  std::size_t right = 0;
  for (std::size_t i = 0; i < premise_side.size(); ++i) right += premise_side[i] > hypothesis_side[i];
  return static_cast<double>(right) / static_cast<double>(premise_side.size());
}

std::size_t character_length(std::string_view sentence) {
  // Continuation bytes are 10xxxxxx.
  return static_cast<std::size_t>(std::count_if(sentence.begin(), sentence.end(),
                                                [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace gausscse
