#include "base/item_clusters.hpp"

#include <numeric>
#include <unordered_map>

namespace gausscse {

ItemClusters::ItemClusters(std::size_t items) : items_(items), begin_(items + 1) {
  std::iota(items_.begin(), items_.end(), 0u);
  std::iota(begin_.begin(), begin_.end(), 0u);
}

ItemClusters::ItemClusters(std::span<const std::int64_t> cluster_of_item) : items_(cluster_of_item.size()) {
  // Numbered as they first appear.
  std::unordered_map<std::int64_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> number_of_item, size;
  for (const std::int64_t cluster : cluster_of_item) {
    const auto number = numbers.try_emplace(cluster, static_cast<std::uint32_t>(size.size())).first->second;
    if (number == size.size()) size.push_back(0);
    ++size[number];
    number_of_item.push_back(number);
  }
  begin_.assign(size.size() + 1, 0);
  std::partial_sum(size.begin(), size.end(), begin_.begin() + 1);
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (std::uint32_t item = 0; item < items_.size(); ++item) items_[next[number_of_item[item]]++] = item;
}

void ItemClusters::draw(PhiloxStream& random, std::vector<std::uint32_t>& drawn) const {
  drawn.clear();
  const auto count = static_cast<std::uint32_t>(clusters());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t cluster = random.below(count);
    drawn.insert(drawn.end(), items_.begin() + begin_[cluster], items_.begin() + begin_[cluster + 1]);
  }
}

}  // namespace gausscse
