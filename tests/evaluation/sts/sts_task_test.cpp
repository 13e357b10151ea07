#include "evaluation/sts/sts_task.hpp"

#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/evaluation/task/model_to_read_for.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

const ByteTokenizer tokenizer;
const SentenceModel model = model_to_read_for(tokenizer, 64, 64);

TEST(StsTask, WhiteSpaceCollapsesUnlessItIsKept) {
  const TemporaryFolder folder;
  write_bytes(folder / "sts.csv", "g\tf\ty\t1\t2\ta  b \t a b\ng\tf\ty\t1\t3\ta b\tc\n");
  const auto task = [&](bool collapse) {
    return StsTask("stsb", {.files = {folder / "sts.csv"}, .collapse_white_space = collapse}, model, {});
  };
  EXPECT_EQ(task(true).sentences().sentences(), 2u);   // "a b" and "c"
  EXPECT_EQ(task(false).sentences().sentences(), 4u);  // as they stand there
  EXPECT_EQ(task(true).pairs(), 2u);
}

TEST(StsTask, FilesOfAllKindsAreSubsets) {
  const TemporaryFolder folder;
  write_bytes(folder / "sts.csv", "g\tf\ty\t1\t2\ta\tb\n");
  write_bytes(folder / "sick.txt",
              "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n1\tc\td\t3\tNEUTRAL\n");
  std::filesystem::create_directory(folder / "year");
  write_bytes(folder / "year/STS.input.FNWN.txt", "e\tf\n");
  write_bytes(folder / "year/STS.gs.FNWN.txt", "1\n");
  const StsTask task("all", {.files = {folder / "sts.csv", folder / "sick.txt", folder / "year"}}, model, {});
  EXPECT_EQ(task.pairs(), 3u);
  EXPECT_EQ(task.missing(), (std::vector<std::string>{"headlines", "OnWN"}));
  EXPECT_TRUE(says(refusal_of([&] {
                     StsTask("two", {.files = {folder / "sts.csv", folder / "sts.csv"}}, model, {});
                   }),
                   "two subsets that are called \"sts\""));
  write_bytes(folder / "text.txt", "just text\n");
  EXPECT_NE(refusal_of([&] { StsTask("no", {.files = {folder / "text.txt"}}, model, {}); }), "accepted");
}

/// Headlines are a subset of several years.
TEST(StsTask, TheYearOfAFolderIsThatOfTheKey) {
  const TemporaryFolder folder;
  write_bytes(folder / "STS.input.headlines.txt", "e\tf\n");
  write_bytes(folder / "STS.gs.headlines.txt", "1\n");
  const auto missing = [&](std::int64_t year) {
    return StsTask("year", {.files = {folder.path()}, .year = year}, model, {}).missing();
  };
  EXPECT_EQ(missing(13), (std::vector<std::string>{"FNWN", "OnWN"}));
  EXPECT_EQ(missing(15), (std::vector<std::string>{"answers-forums", "answers-students", "belief", "images"}));
  EXPECT_TRUE(says(refusal_of([&] { missing(0); }), "could be of several years"));
}

}  // namespace
}  // namespace gausscse
