#include "data/retrieval/beir_folder.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Relevant = std::vector<RelevantDocument>;
using Texts = std::vector<std::string>;

constexpr const char* header = "query-id\tcorpus-id\tscore\n";

/// Four documents, three queries, and judgements of two splits.
class BeirFolder : public testing::Test {
 protected:
  BeirFolder() {
    std::filesystem::create_directories(folder_ / "qrels");
    corpus("");
    queries("");
    judge("test", "q2\td3\t1\nq2\td1\t2\nq2\td2\t0\nq1\td4\t3\n");
    judge("dev", "q3\td1\t1\n");
  }

  void corpus(const std::string& more) {
    write_bytes(folder_ / "corpus.jsonl", R"({"_id": "d1", "title": "Dogs", "text": "A dog runs. "})"
                                          "\n"
                                          R"({"_id": "d2", "title": "", "text": " no title", "metadata": {"url": "x"}})"
                                          "\n"
                                          R"({"_id": "d3", "text": "without one"})"
                                          "\n"
                                          R"({"_id": "d4", "title": "Only a title", "text": ""})"
                                          "\n" +
                                              more);
  }
  void queries(const std::string& more) {
    write_bytes(folder_ / "queries.jsonl", R"({"_id": "q1", "text": "first"})"
                                           "\n"
                                           R"({"_id": "q2", "text": " second "})"
                                           "\n"
                                           R"({"_id": "q3", "text": "third"})"
                                           "\n" +
                                               more);
  }
  void judge(const std::string& split, const std::string& rows) {
    write_bytes(folder_ / ("qrels/" + split + ".tsv"), header + rows);
  }

  RetrievalSet read(const std::string& split = "test", BadLines bad_lines = BadLines::error, bool trim = false) {
    report_ = {};
    return read_beir_folder(beir_files(folder_.path(), split), trim, bad_lines, report_);
  }
  std::string refusal() {
    return refusal_of([&] { read(); });
  }

  TemporaryFolder folder_;
  ReadReport report_;
};

TEST_F(BeirFolder, IsReadAsItStands) {
  const RetrievalSet set = read();
  EXPECT_EQ(set.documents, (Texts{"Dogs A dog runs.", "no title", "without one", "Only a title"}));
  ASSERT_EQ(set.queries.size(), 2u);
  EXPECT_EQ(set.queries[0], (RetrievalQuery{"q1", "first", {{3, 3}}}));
  EXPECT_EQ(set.queries[1], (RetrievalQuery{"q2", " second ", {{2, 1}, {0, 2}}})) << "the score 0 is not relevant";
  EXPECT_EQ(set.without_relevant, 1u);
  EXPECT_FALSE(set.of_sick);
  EXPECT_EQ(read("test", BadLines::error, true).queries[1].text, "second");
}

TEST_F(BeirFolder, GradesMayHaveZerosBehindTheirPoint) {
  judge("floats", "q2\td3\t1.0\nq2\td1\t2.00\nq2\td2\t0.0\nq1\td4\t 3. \n");
  const RetrievalSet whole = read(), floats = read("floats");
  EXPECT_EQ(floats.queries, whole.queries);
}

TEST_F(BeirFolder, JudgementsAreThoseOfTheSplit) {
  const RetrievalSet set = read("dev");
  ASSERT_EQ(set.queries.size(), 1u);
  EXPECT_EQ(set.queries[0], (RetrievalQuery{"q3", "third", {{0, 1}}}));
  EXPECT_EQ(set.without_relevant, 2u);
  EXPECT_TRUE(says(refusal_of([&] { read("train"); }), "qrels/train.tsv"));
}

/// As in sets of duplicate questions, where each question is a document, too.
TEST_F(BeirFolder, TheDocumentWithTheIdOfTheQueryIsLeftOutUnlessItIsRelevant) {
  queries("{\"_id\": \"d2\", \"text\": \"no title\"}\n{\"_id\": \"d3\", \"text\": \"x\"}\n");
  judge("test", "d2\td1\t1\nd3\td3\t1\n");
  const RetrievalSet set = read();
  ASSERT_EQ(set.queries.size(), 2u);
  EXPECT_EQ(set.queries[0].left_out, 1u);
  EXPECT_EQ(set.queries[1].left_out, std::nullopt);
  EXPECT_EQ(set.queries[1].relevant, (Relevant{{2, 1}}));
}

TEST_F(BeirFolder, IdsMayBeNumbers) {
  corpus("{\"_id\": 7, \"text\": \"seven\"}\n");
  judge("test", "q1\t7\t1\n");
  EXPECT_EQ(read().queries.at(0).relevant, (Relevant{{4, 1}}));
}

TEST_F(BeirFolder, BadLinesAreNamed) {
  const auto of_corpus = [&](const std::string& line, const std::string& message) {
    corpus(line + "\n");
    EXPECT_TRUE(says(refusal(), "corpus.jsonl:5: " + message)) << line;
    corpus("");
  };
  of_corpus(R"({"_id": "d2", "text": "again"})", "the _id \"d2\" is there already");
  of_corpus(R"({"_id": "d5", "title": " ", "text": " "})", "");
  of_corpus(R"({"_id": "d5", "title": "t"})", "");
  of_corpus(R"({"text": "t"})", "");
  of_corpus("no JSON", "");
  const auto of_queries = [&](const std::string& line, const std::string& message) {
    queries(line + "\n");
    EXPECT_TRUE(says(refusal(), "queries.jsonl:4: " + message)) << line;
    queries("");
  };
  of_queries(R"({"_id": "q1", "text": "again"})", "the _id \"q1\" is there already");
  of_queries(R"({"_id": "q4", "text": "  "})", "");
  const auto of_judgements = [&](const std::string& line, const std::string& message) {
    judge("test", "q1\td1\t1\n" + line + "\n");
    EXPECT_TRUE(says(refusal(), "test.tsv:3: " + message)) << line;
  };
  of_judgements("q9\td1\t1", "the query-id \"q9\" is no _id of queries.jsonl");
  of_judgements("q1\td9\t1", "the corpus-id \"d9\" is no _id of corpus.jsonl");
  of_judgements("q1\td1\t2", "the query and the document were judged in an earlier line");
  of_judgements("q1\td2\t0.5", "the score \"0.5\" is not a whole number");
  of_judgements("q1\td2\t", "the score \"\" is not a whole number");
  of_judgements("q1\td2", "");
  judge("test", "q1\td1\t1\nq9\td1\t1\nq1\td2\t2\nq1\td3\t0\n");
  EXPECT_EQ(read("test", BadLines::skip).queries.at(0).relevant, (Relevant{{0, 1}, {1, 2}}));
  EXPECT_EQ(report_.bad_lines, 1u);
}

TEST_F(BeirFolder, WithoutAnythingToMeasureIsRefused) {
  judge("test", "q1\td1\t0\nq2\td1\t-1\n");
  EXPECT_TRUE(says(refusal(), "test.tsv: no query has a document with a score of 1 or more"));
  judge("test", "");
  EXPECT_TRUE(says(refusal(), "test.tsv"));
  write_bytes(folder_ / "qrels/test.tsv", "q1\td1\t1\n");
  EXPECT_TRUE(says(refusal(), "query-id"));
  write_bytes(folder_ / "corpus.jsonl", "");
  EXPECT_TRUE(says(refusal(), "corpus.jsonl: the file is empty"));
  std::filesystem::remove(folder_ / "queries.jsonl");
  corpus("");
  EXPECT_TRUE(says(refusal(), "queries.jsonl"));
}

}  // namespace
}  // namespace gausscse
