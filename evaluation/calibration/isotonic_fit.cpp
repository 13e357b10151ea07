#include <algorithm>
#include <cstddef>
#include <numeric>

#include "evaluation/calibration/fit_calibration.hpp"

namespace gausscse {

namespace {

/// Neighbouring logits with one probability.
struct IsotonicBlock {
  double first = 0, last = 0;  ///< logits at its ends
  double entailed = 0, pairs = 0;

  double share() const { return entailed / pairs; }
};

}  // namespace

IsotonicFit fit_isotonic(std::span<const double> logits, std::span<const std::uint8_t> entailed) {
  std::vector<std::size_t> order(logits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return logits[a] < logits[b]; });
  std::vector<IsotonicBlock> blocks;
  const auto merge_last = [&] {
    const IsotonicBlock last = blocks.back();
    blocks.pop_back();
    blocks.back().last = last.last;
    blocks.back().entailed += last.entailed;
    blocks.back().pairs += last.pairs;
  };
  for (std::size_t i = 0; i < order.size();) {
    // Equal logits are one point.
    IsotonicBlock& point = blocks.emplace_back();
    point.first = point.last = logits[order[i]];
    for (; i < order.size() && logits[order[i]] == point.first; ++i) {
      point.entailed += entailed[order[i]] != 0 ? 1 : 0;
      ++point.pairs;
    }
    while (blocks.size() > 1 && blocks[blocks.size() - 2].share() >= blocks.back().share()) merge_last();
  }
  IsotonicFit fit;
  for (const IsotonicBlock& block : blocks) {
    fit.logit.push_back(block.first);
    fit.probability.push_back(block.share());
    if (block.last == block.first) continue;
    fit.logit.push_back(block.last);
    fit.probability.push_back(block.share());
  }
  return fit;
}

}  // namespace gausscse
