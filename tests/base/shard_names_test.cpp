#include "base/shard_names.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

std::string missing(const std::vector<std::string>& names) {
  return missing_shards_text({names.begin(), names.end()});
}

TEST(ShardNames, AreFoundByTheirTwoNumbers) {
  const std::optional<ShardName> name = find_shard_name("train-00003-of-00012-0a1b2c.parquet");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->before, "train");
  EXPECT_EQ(name->number, 3u);
  EXPECT_EQ(name->count, 12u);
  EXPECT_EQ(name->digits, 5u);
  EXPECT_EQ(name->behind, "-0a1b2c.parquet");
  EXPECT_EQ(find_shard_name("a-of-b-1-of-2")->before, "a-of-b");
  EXPECT_EQ(find_shard_name("-0-of-1.csv")->before, "");
  for (const char* other :
       {"train.parquet", "one-of-two.csv", "a-1-of-.csv", "a-x1-of-2.csv", "1-of-2.csv", "-of-2.csv", "a-3-of-2.csv",
        "a-0-of-0.csv", "a-0-of-2x.csv", "a-1234567890-of-1234567890.csv", "-of-", ""})
    EXPECT_FALSE(find_shard_name(other)) << other;
}

TEST(ShardNames, EachSetIsWhole) {
  EXPECT_EQ(missing({"train.csv", "d/a-0-of-2.csv", "d/a-1-of-2.csv", "b-00000-of-00001.parquet"}), "");
  EXPECT_EQ(missing({"a-1-of-2.csv", "a-2-of-2.csv"}), "") << "numbers may begin at 1";
  EXPECT_EQ(missing({"d/train-00000-of-00002.parquet"}),
            "\"train-00001-of-00002.parquet\" is missing, by the name of \"train-00000-of-00002.parquet\"");
  EXPECT_EQ(missing({"train-00001-of-00002.parquet"}),
            "\"train-00000-of-00002.parquet\" is missing, by the name of \"train-00001-of-00002.parquet\"");
  EXPECT_EQ(missing({"a-9-of-12.jsonl.gz", "a-0-of-12.jsonl.gz"}),
            "\"a-1-of-12.jsonl.gz\" and 9 more are missing, by the name of \"a-9-of-12.jsonl.gz\"");
  EXPECT_EQ(missing({"a-3-of-3.csv", "a-1-of-3.csv"}), "\"a-2-of-3.csv\" is missing, by the name of \"a-3-of-3.csv\"");
  EXPECT_EQ(missing({"a-0-of-2-abc.csv"}), "\"a-1-of-2-*.csv\" is missing, by the name of \"a-0-of-2-abc.csv\"");
  // Another folder, name or number of shards is another set.
  EXPECT_EQ(missing({"d/a-0-of-2.csv", "e/a-1-of-2.csv"}),
            "\"a-1-of-2.csv\" is missing, by the name of \"a-0-of-2.csv\"; \"a-0-of-2.csv\" is missing, by the name of "
            "\"a-1-of-2.csv\"");
  EXPECT_NE(missing({"a-0-of-2.csv", "b-1-of-2.csv"}), "");
  EXPECT_NE(missing({"a-0-of-2.csv", "a-1-of-3.csv"}), "");
  EXPECT_EQ(missing({"a-0-of-999999999.csv"}),
            "\"a-1-of-999999999.csv\" and 999999997 more are missing, by the name of \"a-0-of-999999999.csv\"");
}

}  // namespace
}  // namespace gausscse
