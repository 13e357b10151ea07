#include "evaluation/nli/pair_clusters.hpp"

#include <algorithm>
#include <numeric>

namespace gausscse {

namespace {

/// Sets of connected sentences; the root of each is its smallest number.
class ConnectedSentences {
 public:
  explicit ConnectedSentences(std::uint32_t sentences) : parent_(sentences) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }

  std::uint32_t root_of(std::uint32_t sentence) {
    while (parent_[sentence] != sentence) sentence = parent_[sentence] = parent_[parent_[sentence]];
    return sentence;
  }

  void connect(std::uint32_t one, std::uint32_t other) {
    const auto [low, high] = std::minmax({root_of(one), root_of(other)});
    parent_[high] = low;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace

std::vector<std::int64_t> pair_clusters(std::span<const std::uint32_t> premise,
                                        std::span<const std::uint32_t> hypothesis, bool of_sick) {
  std::vector<std::int64_t> clusters(premise.begin(), premise.end());
  if (!of_sick || premise.empty()) return clusters;
  ConnectedSentences connected(1 + std::max(*std::max_element(premise.begin(), premise.end()),
                                            *std::max_element(hypothesis.begin(), hypothesis.end())));
  for (std::size_t i = 0; i < premise.size(); ++i) connected.connect(premise[i], hypothesis[i]);
  for (std::int64_t& cluster : clusters) cluster = connected.root_of(static_cast<std::uint32_t>(cluster));
  return clusters;
}

}  // namespace gausscse
