#include "base/item_clusters.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Numbers = std::vector<std::uint32_t>;

TEST(ItemClusters, DrawWholeClustersWithReplacement) {
  const std::vector<std::int64_t> cluster{7, 7, 2, 7, 2, 9};
  const ItemClusters items(cluster);
  EXPECT_EQ(items.items(), 6u);
  ASSERT_EQ(items.clusters(), 3u);
  const std::vector<Numbers> members{{0, 1, 3}, {2, 4}, {5}};
  std::map<std::size_t, int> sizes;
  for (std::uint64_t draw = 0; draw < 300; ++draw) {
    PhiloxStream random(1, draw), same(1, draw);
    Numbers drawn, wanted;
    items.draw(random, drawn);
    for (int i = 0; i < 3; ++i) {
      const Numbers& each = members[same.below(3)];
      wanted.insert(wanted.end(), each.begin(), each.end());
    }
    EXPECT_EQ(drawn, wanted) << draw;
    ++sizes[drawn.size()];
  }
  EXPECT_TRUE(sizes.contains(3) && sizes.contains(9)) << "the last one and the first one three times";
}

TEST(ItemClusters, AreSingleItemsByDefault) {
  const ItemClusters items(5);
  EXPECT_EQ(items.items(), 5u);
  EXPECT_EQ(items.clusters(), 5u);
  PhiloxStream random(0, 3), same(0, 3);
  Numbers drawn(9, 9);
  items.draw(random, drawn);
  ASSERT_EQ(drawn.size(), 5u);
  for (const std::uint32_t each : drawn) EXPECT_EQ(each, same.below(5));
  EXPECT_EQ(items, ItemClusters(std::vector<std::int64_t>{4, 3, 2, 1, 0}));
  EXPECT_NE(items, ItemClusters(std::vector<std::int64_t>{4, 3, 2, 1, 1}));
  EXPECT_EQ(ItemClusters(0).clusters(), 0u);
}

}  // namespace
}  // namespace gausscse
