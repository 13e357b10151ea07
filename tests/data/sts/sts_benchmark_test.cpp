#include "data/sts/sts_benchmark.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using testing_support::refusal_of;
using testing_support::says;
using testing_support::TemporaryFolder;
using testing_support::write_bytes;

TEST(StsBenchmark, ReadsSentencesAndScores) {
  const TemporaryFolder folder;
  write_bytes(folder / "sts.csv",
              "main\tMSRvid\t2012\t1\t2.500\tA \"quoted\" one. \t Another one\n"
              "\n"
              "main\tMSRvid\t2012\t2\t5\tThird\tFourth\tsource\tsource\r\n");
  EXPECT_TRUE(is_sts_benchmark(folder / "sts.csv"));
  const std::vector<StsPair> pairs = read_sts_benchmark(folder / "sts.csv");
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].first, "A \"quoted\" one. ");
  EXPECT_EQ(pairs[0].second, " Another one");
  EXPECT_EQ(pairs[0].score, 2.5);
  EXPECT_EQ(pairs[1].first, "Third");
  EXPECT_EQ(pairs[1].second, "Fourth");
  EXPECT_EQ(pairs[1].score, 5);
}

TEST(StsBenchmark, BlankLinesAtItsBeginningAreLeftOut) {
  const TemporaryFolder folder;
  for (const char* blank : {"\n", "\r\n", " \n\t\t\n\n", "\xEF\xBB\xBF\n"}) {
    write_bytes(folder / "sts.csv", concat(blank, "main\tMSRvid\t2012\t1\t2.5\tOne\tTwo\n"));
    EXPECT_TRUE(is_sts_benchmark(folder / "sts.csv"));
    const std::vector<StsPair> pairs = read_sts_benchmark(folder / "sts.csv");
    ASSERT_EQ(pairs.size(), 1u);
    EXPECT_EQ(pairs[0].first, "One");
    EXPECT_EQ(pairs[0].second, "Two");
    EXPECT_EQ(pairs[0].score, 2.5);
  }
}

TEST(StsBenchmark, IsToldFromOtherText) {
  const TemporaryFolder folder;
  for (const char* text :
       {"A sentence.\n", "two\tsentences\n", "a\tb\tc\td\tnot a number\tf\tg\n", "a\tb\tc\td\t7\tf\tg\n",
        "a\tb\tc\td\t-0.5\tf\tg\n", "a\tb\tc\td\t3\tf\n", "", "\n\n", "\nA sentence.\na\tb\tc\td\t0\tf\tg\n"}) {
    write_bytes(folder / "text.txt", text);
    EXPECT_FALSE(is_sts_benchmark(folder / "text.txt")) << text;
  }
  write_bytes(folder / "text.txt", "a\tb\tc\td\t0\tf\tg");
  EXPECT_TRUE(is_sts_benchmark(folder / "text.txt"));
}

TEST(StsBenchmark, BadLinesAreRefusedWithTheirPlace) {
  const TemporaryFolder folder;
  const std::string good = "main\tMSRvid\t2012\t1\t2.5\tOne\tTwo\n";
  const auto refusal = [&](const std::string& text) {
    write_bytes(folder / "sts.csv", text);
    return refusal_of([&] { read_sts_benchmark(folder / "sts.csv"); });
  };
  EXPECT_TRUE(says(refusal(good + "a\tb\tc\td\t3\tf\n"), "sts.csv:2: the line has 6 fields"));
  EXPECT_TRUE(says(refusal(good + "a\tb\tc\td\t5.5\tf\tg\n"), "sts.csv:2: the score, \"5.5\", is not a number from 0"));
  for (const char* score : {"-0.5", "-1e-9", "5.0001", "nan", "inf", "+1", "1x", " 1", ""})
    EXPECT_TRUE(says(refusal(concat(good, "a\tb\tc\td\t", score, "\tf\tg\n")),
                     concat("sts.csv:2: the score, \"", score, "\", is not a number from 0 to 5")));
  EXPECT_TRUE(says(refusal(good + "a\tb\tc\td\t3\t \tg\n"), "sts.csv:2: "));
  EXPECT_TRUE(says(refusal(good + "a\tb\tc\td\t3\tf\t\xFF\n"), "UTF-8"));
  EXPECT_TRUE(says(refusal("\n"), "the file is empty"));
  EXPECT_TRUE(says(refusal_of([&] { read_sts_benchmark(folder / "missing.csv"); }), "missing.csv"));
}

TEST(StsBenchmark, RealFilesHaveTheirNumbersOfPairs) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  const auto folder = testing_support::real_data() / "sts/stsbenchmark";
  EXPECT_EQ(read_sts_benchmark(folder / "sts-train.csv").size(), 5749u);
  EXPECT_EQ(read_sts_benchmark(folder / "sts-dev.csv").size(), 1500u);
  const std::vector<StsPair> test = read_sts_benchmark(folder / "sts-test.csv");
  ASSERT_EQ(test.size(), 1379u);
  EXPECT_EQ(test.front().first, "A girl is styling her hair.");
  EXPECT_EQ(test.front().score, 2.5);
}

}  // namespace
}  // namespace gausscse
