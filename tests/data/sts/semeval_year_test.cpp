#include "data/sts/semeval_year.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Names = std::vector<std::string>;

SemEvalYear read_year(const std::filesystem::path& folder, int year = 0) {
  ReadReport report;
  return read_semeval_year(folder, year, BadLines::error, report);
}

void write_subset(const TemporaryFolder& folder, const std::string& name, const std::string& input,
                  const std::string& scores, const std::string& prefix = "STS.") {
  write_bytes(folder / (prefix + "input." + name + ".txt"), input);
  write_bytes(folder / (prefix + "gs." + name + ".txt"), scores);
}

TEST(SemEvalYear, ReadsItsSubsetsInOrderAndLeavesOutPairsWithoutScore) {
  const TemporaryFolder folder;
  write_subset(folder, "OnWN", "a b\tc\n", "5.0\n");
  write_subset(folder, "headlines", "one\ttwo\nthree\tfour\nfive\tsix\n", "1.5\n\n0\n");
  write_subset(folder, "FNWN", "x\ty\r\n", "2\r\n");
  const SemEvalYear year = read_year(folder.path());
  EXPECT_EQ(year.year, 13);
  EXPECT_TRUE(year.missing.empty());
  ASSERT_EQ(year.subsets.size(), 3u);
  EXPECT_EQ(year.subsets[0].name, "FNWN");
  EXPECT_EQ(year.subsets[1].name, "headlines");
  EXPECT_EQ(year.subsets[2].name, "OnWN");
  ASSERT_EQ(year.subsets[1].pairs.size(), 2u);
  EXPECT_EQ(year.subsets[1].pairs[0].score, 1.5);
  EXPECT_EQ(year.subsets[1].pairs[1].first, "five");
  EXPECT_EQ(year.subsets[1].pairs[1].second, "six");
  EXPECT_EQ(year.subsets[1].pairs[1].score, 0);
}

TEST(SemEvalYear, OtherFilesOfItsFolderArePassedOver) {
  const TemporaryFolder folder;
  write_subset(folder, "FNWN", " a \t b \n", "5.0\n");
  for (const char* name :
       {"00-readme.txt", "STS.gs.FNWN.txt~", "STS.input.FNWN", "STS.output.FNWN.txt", "correlation.pl"})
    write_bytes(folder / name, "x");
  const SemEvalYear year = read_year(folder.path());
  EXPECT_EQ(year.year, 13);
  ASSERT_EQ(year.subsets.size(), 1u);
  EXPECT_EQ(year.subsets[0].pairs.at(0).first, " a ") << "sentences are as they stand";
  EXPECT_EQ(year.subsets[0].pairs.at(0).second, " b ");
}

TEST(SemEvalYear, NamesWhatIsMissing) {
  const TemporaryFolder folder;
  write_subset(folder, "MSRpar", "a\tb\n", "1\n");
  write_subset(folder, "surprise.OnWN", "a\tb\n", "1\n");
  const SemEvalYear year = read_year(folder.path());
  EXPECT_EQ(year.year, 12);
  EXPECT_EQ(year.missing, (Names{"MSRvid", "SMTeuroparl", "surprise.SMTnews"}));
}

TEST(SemEvalYear, TheYearIsToldOrAskedFor) {
  const TemporaryFolder folder;
  write_subset(folder, "headlines", "a\tb\n", "1\n");
  EXPECT_TRUE(says(refusal_of([&] { read_year(folder.path()); }), "could be of several years: say which"));
  EXPECT_EQ(read_year(folder.path(), 14).missing.size(), 5u);
  EXPECT_TRUE(says(refusal_of([&] { read_year(folder.path(), 12); }), "holds no subset of STS12"));
  write_subset(folder, "MSRpar", "a\tb\n", "1\n");
  EXPECT_TRUE(says(refusal_of([&] { read_year(folder.path()); }), "not all of one year"));
  const TemporaryFolder of_2016;
  write_subset(of_2016, "headlines", "a\tb\n", "1\n", "STS2016.");
  EXPECT_EQ(read_year(of_2016.path()).year, 16);
}

TEST(SemEvalYear, RefusesWhatIsNotWhole) {
  const auto refusal = [](const std::string& input, const std::string& scores) {
    const TemporaryFolder folder;
    write_subset(folder, "FNWN", input, scores);
    return refusal_of([&] { read_year(folder.path()); });
  };
  EXPECT_EQ(refusal("a\tb\n", "1\n"), "accepted");
  EXPECT_TRUE(says(refusal("a\tb\nc\td\n", "1\n"), "STS.input.FNWN.txt has 2: one of them is cut short"));
  EXPECT_TRUE(says(refusal("a\tb\n", "1\n2\n"), "STS.gs.FNWN.txt: has 2 lines, but "));
  EXPECT_TRUE(says(refusal("a\tb\n", "1\n2\n"), "STS.input.FNWN.txt has 1: one of them is cut short"));
  EXPECT_TRUE(says(refusal("a\tb\n", "1\n\n"), "STS.input.FNWN.txt has 1: one of them is cut short"));
  EXPECT_TRUE(says(refusal("a\tb\nc\n", "1\n2\n"), "STS.input.FNWN.txt:2"));
  EXPECT_TRUE(says(refusal("a\tb\tc\n", "1\n"), "not two sentences with one tab"));
  EXPECT_TRUE(says(refusal("a\tb\nc\td\n", "1\n-0.5\n"), "STS.gs.FNWN.txt:2: the score, \"-0.5\", is not from 0 to 5"));
  EXPECT_TRUE(says(refusal("a\tb\n", "six\n"), "STS.gs.FNWN.txt:1: the score, \"six\""));
  EXPECT_TRUE(says(refusal("a\t \n", "1\n"), "STS.input.FNWN.txt:1"));
  EXPECT_TRUE(says(refusal("a\tb\n", "\n"), "STS.gs.FNWN.txt: no usable score: check"));
  const TemporaryFolder empty, half, other_half;
  EXPECT_TRUE(says(refusal_of([&] { read_year(empty.path()); }), "holds no file of SemEval's STS"));
  write_bytes(half / "STS.input.FNWN.txt", "a\tb\n");
  EXPECT_EQ(refusal_of([&] { read_year(half.path()); }),
            (half / "STS.input.FNWN.txt").string() + ": STS.gs.FNWN.txt is missing next to it: a subset is both files");
  write_bytes(other_half / "STS.gs.FNWN.txt", "1\n");
  EXPECT_EQ(
      refusal_of([&] { read_year(other_half.path()); }),
      (other_half / "STS.gs.FNWN.txt").string() + ": STS.input.FNWN.txt is missing next to it: a subset is both files");
}

TEST(SemEvalYear, BadLinesAreLeftOutWithTheirOtherHalfWhereAsked) {
  const TemporaryFolder folder;
  write_subset(folder, "FNWN", "a\tb\nc\nd\te\nf\tg\xFF\nh\ti\n\n", "1\n2\nsix\n4\n5\n\n");
  ReadReport report;
  const SemEvalYear year = read_semeval_year(folder.path(), 0, BadLines::skip, report);
  ASSERT_EQ(year.subsets.at(0).pairs.size(), 2u);
  EXPECT_EQ(year.subsets[0].pairs[1].first, "h");
  EXPECT_EQ(year.subsets[0].pairs[1].score, 5);
  EXPECT_EQ(report.pairs, 2u);
  EXPECT_EQ(report.bad_lines, 3u);
  ASSERT_EQ(report.causes.size(), 3u);
  EXPECT_TRUE(says(report.causes[0].examples.front(), "STS.input.FNWN.txt:2: \"c\" is not two sentences"));
  EXPECT_TRUE(says(report.causes[1].examples.front(), "STS.gs.FNWN.txt:3: the score, \"six\""));
  EXPECT_TRUE(says(report.causes[2].examples.front(), "STS.input.FNWN.txt:4: byte 2"));
  write_subset(folder, "FNWN", "a\nb\tc\td\n", "1\n2\n");
  EXPECT_TRUE(says(refusal_of([&] { read_semeval_year(folder.path(), 0, BadLines::skip, report); }),
                   "STS.input.FNWN.txt: no usable pair: 2 bad lines were skipped, the first: "));
}

TEST(SemEvalYear, RealFoldersHaveTheirNumbersOfPairs) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  const auto pairs = [](int year) {
    const SemEvalYear read = read_year(real_data() / ("sts/sts" + std::to_string(year)));
    EXPECT_EQ(read.year, year);
    EXPECT_EQ(read.missing, year == 12 ? Names{"MSRvid"} : Names{});
    std::size_t count = 0;
    for (const StsSubset& subset : read.subsets) count += subset.pairs.size();
    return count;
  };
  // As the tasks' organisers count them; of 2012 without MSRvid's 750.
  EXPECT_EQ(pairs(12), 3108u - 750u);
  EXPECT_EQ(pairs(13), 1500u);
  EXPECT_EQ(pairs(14), 3750u);
  EXPECT_EQ(pairs(15), 3000u);
  EXPECT_EQ(pairs(16), 1186u);
}

}  // namespace
}  // namespace gausscse
