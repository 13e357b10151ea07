#include "data/transfer/transfer_examples.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using Examples = std::vector<TransferExample>;

class TransferFolder : public testing::Test {
 protected:
  void write(const std::string& file, const std::string& bytes) {
    fs::create_directories((folder_ / file).parent_path());
    write_bytes(folder_ / file, bytes);
  }
  TransferExamples read(TransferDataset dataset, BadLines bad_lines = BadLines::error) {
    report_ = {};
    return read_transfer_dataset(dataset, folder_.path(), bad_lines, report_);
  }
  std::string refusal(TransferDataset dataset) {
    return refusal_of([&] { read(dataset); });
  }

  TemporaryFolder folder_;
  ReadReport report_;
};

/// By words, of pairs of the first sentence and then of the second, then by label; else as it was.
TEST(SortExamples, AsSentEvalSorts) {
  Examples examples{{"a b c", "", 0}, {"d", "", 1}, {"e f", "", 1}, {"g h", "", 0},
                    {"i", "", 1},     {"", "", 1},  {"j", "", 0}};
  sort_examples(examples);
  EXPECT_EQ(
      examples,
      (Examples{
          {"", "", 1}, {"j", "", 0}, {"d", "", 1}, {"i", "", 1}, {"g h", "", 0}, {"e f", "", 1}, {"a b c", "", 0}}));
  Examples pairs{{"a b", "c", 1}, {"d", "e f", 1}, {"g", "h", 1}, {"i", "j k", 0}, {"l m", "n", 0}};
  sort_examples(pairs);
  EXPECT_EQ(pairs, (Examples{{"g", "h", 1}, {"i", "j k", 0}, {"d", "e f", 1}, {"l m", "n", 0}, {"a b", "c", 1}}));
}

TEST_F(TransferFolder, TwoFilesHaveAClassEach) {
  write("MR/rt-polarity.pos", "good\xE9 film\nfine\n");
  write("MR/rt-polarity.neg", "bad\x85worse film\n\n");
  const TransferExamples read_mr = read(TransferDataset::mr);
  EXPECT_EQ(
      read_mr.train,
      (Examples{{"", "", 0}, {"bad", "", 0}, {"fine", "", 1}, {"worse film", "", 0}, {"good\xC3\xA9 film", "", 1}}));
  EXPECT_TRUE(read_mr.test.empty() && read_mr.development.empty());
  for (const auto& [dataset, one, zero] : {std::tuple{TransferDataset::cr, "CR/custrev.pos", "CR/custrev.neg"},
                                           {TransferDataset::subj, "SUBJ/subj.objective", "SUBJ/subj.subjective"},
                                           {TransferDataset::mpqa, "MPQA/mpqa.pos", "MPQA/mpqa.neg"}}) {
    write(one, "one\n");
    write(zero, "zero\n");
    EXPECT_EQ(read(dataset).train, (Examples{{"zero", "", 0}, {"one", "", 1}})) << one;
    write(zero, "");
    EXPECT_TRUE(says(refusal(dataset), "the file is empty")) << one;
  }
}

TEST_F(TransferFolder, SentimentHasThreeSets) {
  for (const char* split : {"train", "dev", "test"}) {
    write(concat("SST/binary/sentiment-", split), concat(split, " it\t1\nbad\t0\n"));
    write(concat("SST/fine/sentiment-", split), concat("0 bad\n1 b\n2 c\n3 d\n4 ", split, " it\n"));
  }
  const TransferExamples binary = read(TransferDataset::sst2), fine = read(TransferDataset::sst5);
  EXPECT_EQ(binary.train, (Examples{{"bad", "", 0}, {"train it", "", 1}}));
  EXPECT_EQ(binary.development, (Examples{{"bad", "", 0}, {"dev it", "", 1}}));
  EXPECT_EQ(binary.test, (Examples{{"bad", "", 0}, {"test it", "", 1}}));
  EXPECT_EQ(fine.train.back(), (TransferExample{"train it", "", 4}));
  EXPECT_EQ(fine.development.back(), (TransferExample{"dev it", "", 4}));
  EXPECT_EQ(fine.test.back(), (TransferExample{"test it", "", 4}));

  write("SST/fine/sentiment-dev", "0 bad\n5 superb\n");
  EXPECT_TRUE(says(refusal(TransferDataset::sst5), "sentiment-dev:2: the label \"5\" is not known"));
  write("SST/binary/sentiment-test", "fine\t1\n\xE9t\xE9\t1\n");
  EXPECT_TRUE(says(refusal(TransferDataset::sst2), "sentiment-test:2: byte 1"));
  write("SST/binary/sentiment-train", "fine\t1\ngood\t1\n");
  EXPECT_TRUE(says(refusal(TransferDataset::sst2), "sentiment-train: no example is of the class \"0\""));
}

TEST_F(TransferFolder, TrecAndMrpcHaveTwo) {
  const std::string questions = "ABBR:x a b\nDESC:x b\nENTY:x c\nHUM:x d\nLOC:x e\nNUM:x caf\xE9 ?\n";
  write("TREC/train_5500.label", questions);
  write("TREC/TREC_10.label", "HUM:ind Who ?\n");
  EXPECT_EQ(read(TransferDataset::trec).train.front(), (TransferExample{"b", "", 1}));
  EXPECT_EQ(read(TransferDataset::trec).train.back(), (TransferExample{"caf\xC3\xA9 ?", "", 5}));
  EXPECT_EQ(read(TransferDataset::trec).test, (Examples{{"Who ?", "", 3}}));
  write("TREC/TREC_10.label", questions + "\n");
  EXPECT_TRUE(says(refusal(TransferDataset::trec), "TREC_10.label:7: \"\" has no \":\" in it"));

  const std::string header = "\xEF\xBB\xBFQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n";
  write("MRPC/msr_paraphrase_train.txt", header + "1\t1\t2\ta b\tc\n0\t1\t2\td\te\n");
  write("MRPC/msr_paraphrase_test.txt", header + "0\t1\t2\tf\tg\n");
  EXPECT_EQ(read(TransferDataset::mrpc).train, (Examples{{"d", "e", 0}, {"a b", "c", 1}}));
  EXPECT_EQ(read(TransferDataset::mrpc).test, (Examples{{"f", "g", 0}}));
  write("MRPC/msr_paraphrase_test.txt", header + "0\t1\t2\tf\tg\n0\t1\t2\tcaf\xE9\tg\n");
  EXPECT_TRUE(
      says(refusal(TransferDataset::mrpc), "msr_paraphrase_test.txt:3: byte 10 (\"\\xe9\") is not valid UTF-8"));
  write("MRPC/msr_paraphrase_test.txt", header + "0\t1\t2\tcaf\xC3\xA9\tg\n");
  EXPECT_EQ(read(TransferDataset::mrpc).test, (Examples{{"caf\xC3\xA9", "g", 0}}));
  write("MRPC/msr_paraphrase_test.txt", header);
  EXPECT_TRUE(says(refusal(TransferDataset::mrpc), "msr_paraphrase_test.txt: no usable example: check"));
  write("MRPC/msr_paraphrase_test.txt", header + "0\t1\t2\tf\tg\n0\t1\tf\tg\n");
  EXPECT_TRUE(says(refusal(TransferDataset::mrpc), "msr_paraphrase_test.txt:3: the row has 4 tab-separated fields"));
  write("MRPC/msr_paraphrase_test.txt", "0\t1\t2\tf\tg\n");
  EXPECT_TRUE(
      says(refusal(TransferDataset::mrpc), "msr_paraphrase_test.txt:1: the header lacks the column \"Quality\""));
}

TEST_F(TransferFolder, SickHasThreeSetsOfPairs) {
  const std::string header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n";
  write("SICK/SICK_train.txt", header + "1\ta\tb\t3\tNEUTRAL\n2\tc\td\t3\tENTAILMENT\n3\te\tf\t3\tCONTRADICTION\n");
  write("SICK/SICK_trial.txt", header + "1\tdev\tx\t3\tNEUTRAL\n");
  write("SICK/SICK_test_annotated.txt", header + "1\ttest\tx y\t3\tENTAILMENT\n");
  const TransferExamples sick = read(TransferDataset::sick_entailment);
  EXPECT_EQ(sick.train, (Examples{{"e", "f", 0}, {"a", "b", 1}, {"c", "d", 2}}));
  EXPECT_EQ(sick.development, (Examples{{"dev", "x", 1}}));
  EXPECT_EQ(sick.test, (Examples{{"test", "x y", 2}}));
  write("SICK/SICK_trial.txt", header + "1\tdev\t\xE9\t3\tNEUTRAL\n");
  EXPECT_TRUE(
      says(refusal(TransferDataset::sick_entailment), "SICK_trial.txt:2: byte 7 (\"\\xe9\") is not valid UTF-8"));
}

TEST_F(TransferFolder, BadLinesAreLeftOutWhereAsked) {
  for (const char* split : {"train", "dev", "test"})
    write(concat("SST/binary/sentiment-", split), concat(split, " it\t1\nno label\n\xE9t\xE9\t1\nbad\t0\nso\t2\n"));
  const TransferExamples binary = read(TransferDataset::sst2, BadLines::skip);
  EXPECT_EQ(binary.train, (Examples{{"bad", "", 0}, {"train it", "", 1}}));
  EXPECT_EQ(binary.development, (Examples{{"bad", "", 0}, {"dev it", "", 1}}));
  EXPECT_EQ(binary.test, (Examples{{"bad", "", 0}, {"test it", "", 1}}));
  EXPECT_EQ(report_.pairs, 6u);
  EXPECT_EQ(report_.bad_lines, 9u);
  EXPECT_TRUE(says(report_.causes.at(0).examples.front(), "sentiment-train:2: \"no label\" has 0 tabs"));
  EXPECT_TRUE(says(report_.causes.at(1).examples.front(), "sentiment-train:3: byte 1"));
  EXPECT_TRUE(says(report_.causes.at(2).examples.front(), "sentiment-train:5: the label \"2\" is not known"));
  write("SST/binary/sentiment-test", "no label\n");
  EXPECT_EQ(refusal_of([&] { read(TransferDataset::sst2, BadLines::skip); }),
            concat((folder_ / "SST/binary/sentiment-test").string(),
                   ": no usable example: 1 bad lines were skipped, the first: ",
                   (folder_ / "SST/binary/sentiment-test").string(),
                   ":1: \"no label\" has 0 tabs in it: a line is a "
                   "sentence, one tab and a label, mend or remove it: check that it is the right file"));
}

TEST_F(TransferFolder, MissingFilesAreNamed) {
  write("CR/custrev.pos", "one\n");
  EXPECT_EQ(missing_transfer_files(TransferDataset::cr, folder_.path()),
            std::vector<fs::path>{folder_ / "CR/custrev.neg"});
  EXPECT_EQ(missing_transfer_files(TransferDataset::sst2, folder_.path()).size(), 3u);
  EXPECT_TRUE(says(refusal(TransferDataset::cr), "custrev.neg"));
  write("CR/custrev.neg", "zero\n");
  EXPECT_TRUE(missing_transfer_files(TransferDataset::cr, folder_.path()).empty());
  EXPECT_EQ(transfer_files(TransferDataset::trec, "/x"),
            (std::vector<fs::path>{"/x/TREC/train_5500.label", "/x/TREC/TREC_10.label"}));
}

}  // namespace
}  // namespace gausscse
