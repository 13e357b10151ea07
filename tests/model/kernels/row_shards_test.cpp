#include "model/kernels/row_shards.hpp"

#include "tests/support/testing.hpp"

namespace gausscse::kernels {
namespace {

/// Returns the tree level by level, as words: "((0+1)+2)".
std::string tree_of(std::int64_t count) {
  std::vector<std::string> level;
  for (std::int64_t i = 0; i < count; ++i) level.push_back(std::to_string(i));
  while (level.size() > 1) {
    std::vector<std::string> above;
    for (std::size_t i = 0; i < level.size(); i += 2)
      above.push_back(i + 1 < level.size() ? "(" + level[i] + "+" + level[i + 1] + ")" : level[i]);
    level = above;
  }
  return level.front();
}

TEST(AddInTree, FollowsTheTreeInFewPlaces) {
  for (std::int64_t count = 1; count <= 70; ++count) {
    std::vector<std::string> places(static_cast<std::size_t>(places_of_tree(count)));
    const auto at = [&](std::int64_t place) -> std::string& { return places.at(static_cast<std::size_t>(place)); };
    add_in_tree(
        count, [&](std::int64_t i, std::int64_t place) { at(place) = std::to_string(i); },
        [&](std::int64_t place) { at(place) = "(" + at(place) + "+" + at(place + 1) + ")"; });
    EXPECT_EQ(places.front(), tree_of(count));
  }
}

/// Groups of a power of two are subtrees: summing group by group, and then the groups, is the same tree.
TEST(AddInTree, IsTheTreeOfItsGroups) {
  for (std::int64_t count = 1; count <= 40; ++count) {
    for (const std::int64_t group : {1, 2, 4, 8, 64}) {
      const std::int64_t groups = (count + group - 1) / group;
      std::vector<std::string> outer(8), inner(8);
      const auto add = [](std::vector<std::string>& places, std::int64_t place) {
        auto& left = places.at(static_cast<std::size_t>(place));
        left = "(" + left + "+" + places.at(static_cast<std::size_t>(place) + 1) + ")";
      };
      add_in_tree(
          groups,
          [&](std::int64_t g, std::int64_t place) {
            add_in_tree(
                std::min(group, count - g * group),
                [&](std::int64_t i, std::int64_t p) {
                  inner.at(static_cast<std::size_t>(p)) = std::to_string(g * group + i);
                },
                [&](std::int64_t p) { add(inner, p); });
            outer.at(static_cast<std::size_t>(place)) = inner.front();
          },
          [&](std::int64_t place) { add(outer, place); });
      EXPECT_EQ(outer.front(), tree_of(count)) << group;
    }
  }
}

}  // namespace
}  // namespace gausscse::kernels
