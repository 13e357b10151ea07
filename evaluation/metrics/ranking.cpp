#include "evaluation/metrics/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

double discounted(double grade, std::int64_t rank) {
  return grade / std::log2(static_cast<double>(rank) + 1);
}

std::vector<std::int64_t> rising_ranks(std::span<const RankedDocument> relevant) {
  GAUSSCSE_CHECK(!relevant.empty(), "a query with a relevant document");
  std::vector<std::int64_t> ranks;
  for (const RankedDocument& document : relevant) ranks.push_back(document.rank);
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

}  // namespace

double recall_at(std::int64_t k, std::span<const RankedDocument> relevant) {
  const std::vector<std::int64_t> ranks = rising_ranks(relevant);
  const auto found = std::upper_bound(ranks.begin(), ranks.end(), k) - ranks.begin();
  return static_cast<double>(found) / static_cast<double>(ranks.size());
}

double reciprocal_rank_at(std::int64_t k, std::span<const RankedDocument> relevant) {
  const std::int64_t first = rising_ranks(relevant).front();
  return first <= k ? 1 / static_cast<double>(first) : 0;
}

double ndcg_at(std::int64_t k, std::span<const RankedDocument> relevant) {
  double gain = 0, best = 0;
  std::vector<double> grades;
  for (const RankedDocument& document : relevant) {
    grades.push_back(document.grade);
    if (document.rank <= k) gain += discounted(document.grade, document.rank);
  }
  std::sort(grades.begin(), grades.end(), std::greater<>());
  for (std::size_t i = 0; i < grades.size() && static_cast<std::int64_t>(i) < k; ++i)
    best += discounted(grades[i], static_cast<std::int64_t>(i) + 1);
  return gain / best;
}

double average_precision(std::span<const RankedDocument> relevant) {
  const std::vector<std::int64_t> ranks = rising_ranks(relevant);
  double sum = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) sum += static_cast<double>(i + 1) / static_cast<double>(ranks[i]);
  return sum / static_cast<double>(ranks.size());
}

}  // namespace gausscse
