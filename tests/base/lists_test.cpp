#include "base/lists.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST(Lists, JoinTextsWithSeparatorsBetweenThem) {
  EXPECT_EQ(joined(std::vector<std::string>{}), "");
  EXPECT_EQ(joined(std::vector<std::string>{"one"}), "one");
  EXPECT_EQ(joined(std::vector<std::string>{"b", "a", "c"}), "b, a, c");
  EXPECT_EQ(joined(std::set<std::string>{"b", "a"}, " | "), "a | b");
  // An empty text has its place, wherever it stands.
  EXPECT_EQ(joined(std::vector<std::string>{"", "a", ""}, ","), ",a,");
}

TEST(Lists, JoinWhatIsMadeOfValues) {
  const auto squared = [](int value) { return std::to_string(value * value); };
  EXPECT_EQ(joined(std::array{2, 3, 4}, "+", squared), "4+9+16");
}

TEST(Lists, AddOnlyWhatIsNotThere) {
  std::vector<std::string> names{"a"};
  for (const char* name : {"b", "a", "b", "c"}) add_once(names, name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(is_among(names, "c"));
  EXPECT_FALSE(is_among(names, "d"));
  EXPECT_TRUE(is_among(std::array{"x", "y"}, std::string("y")));
}

}  // namespace
}  // namespace gausscse
