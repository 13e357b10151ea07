#include "tests/launcher/search_project.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// The corpus in three files of 7, 200 and 93 sentences. Rows 7 (empty), 100 and 200 (equal) lie in the second one.
class SearchCorpora : public Search {
 protected:
  SearchCorpora() {
    std::size_t first = 0;
    for (const std::size_t count : {7, 200, 93}) {
      const auto begin = sentences_.begin() + static_cast<std::ptrdiff_t>(first);
      const std::string name = concat("part-", parts_.size(), ".txt");
      parts_.push_back(file(name, lines_of({begin, begin + static_cast<std::ptrdiff_t>(count)})));
      first += count;
    }
  }

  /// Returns the run of a search over these files of the corpus.
  ProgramRun search_in(const std::vector<std::string>& corpus, const std::vector<std::string>& more, int ranks = 0) {
    return run_program(with(with(with({"search", model_}, corpus), {queries_file_}), more), ranks);
  }

  std::string encoded(const std::string& text, const std::string& name) {
    run_expecting(0, {"encode", model_, text, path(name)});
    return path(name);
  }

  std::vector<std::string> parts_;
};

TEST_F(SearchCorpora, GiveTheRowsOfOneFileThatHoldsAll) {
  for (const std::string direction : {"entails", "both"}) {
    const std::vector<std::string> options{"--direction", direction, "--top", "20", "--header"};
    const ProgramRun whole = search_in({corpus_file_}, options);
    ASSERT_EQ(printed_rows(whole.output.substr(whole.output.find('\n') + 1)).size(), 180u) << whole.errors;
    for (const int ranks : {0, 2, 3}) {
      const ProgramRun together = search_in(parts_, options, ranks);
      EXPECT_TRUE(together.output == whole.output) << ranks << " ranks: " << together.errors;
      EXPECT_TRUE(says(together.errors, parts_[1] + ": rows 7 to 206"));
      EXPECT_TRUE(says(together.errors, parts_[2] + ": rows 207 to 299"));
    }
    EXPECT_EQ(whole.errors.find(": rows "), std::string::npos) << "one file has the numbers of its lines";
  }
  const ProgramRun exchanged = search_in({parts_[1], parts_[0], parts_[2]}, {"--top", "20"});
  for (const PrintedRow& row : printed_rows(exchanged.output)) {
    const std::size_t in_corpus = row.row < 200 ? row.row + 7 : row.row < 207 ? row.row - 200 : row.row;
    EXPECT_EQ(row.text, sentences_[in_corpus]);
  }
}

TEST_F(SearchCorpora, MayBeTextsAndEncodedFiles) {
  const std::vector<std::string> files{encoded(parts_[0], "part-0.h5"), encoded(parts_[1], "part-1.npz"),
                                       encoded(parts_[2], "part-2.safetensors")};
  const std::string whole = search_in({corpus_file_}, {"--json", "-"}).output;
  EXPECT_TRUE(search_in(files, {"--text", corpus_file_, "--json", "-"}, 3).output == whole);
  const std::string without_texts = search_in({encoded(corpus_file_, "corpus.h5")}, {"--json", "-"}).output;
  EXPECT_TRUE(search_in(files, {"--json", "-"}).output == without_texts);
  for (const int ranks : {0, 2})
    EXPECT_TRUE(search_in({parts_[0], files[1], parts_[2]}, {"--json", "-"}, ranks).output == without_texts)
        << "texts are printed if all are known";
  EXPECT_TRUE(ended(search_in(files, {"--text", parts_[1]}), 2,
                    {"the file has 200 lines, CORPUS ", files[0] + ", " + files[1], " has 300 rows"}));
  EXPECT_TRUE(ended(search_in({files[0], parts_[1]}, {"--text", corpus_file_}), 2,
                    {"CORPUS " + parts_[1] + " is a text itself"}));
}

TEST_F(SearchCorpora, SkipTheBadLinesOfTheGivenText) {
  const std::string text = file("bad.txt", "w1 w2\n\xff\nw3\nw4 w5\n");
  run_expecting(0, {"encode", model_, text, path("bad.h5"), "--skip-bad-lines"});
  const std::vector<std::string> options{"--text", text, "--top", "3"};
  EXPECT_TRUE(ended(search_in({path("bad.h5")}, options), 2, {"bad.txt:2: byte 1"}));
  const ProgramRun run = search_in({path("bad.h5")}, with(options, {"--skip-bad-lines"}));
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const std::vector<PrintedRow> rows = printed_rows(run.output);
  ASSERT_EQ(rows.size(), 27u);
  for (const PrintedRow& row : rows) EXPECT_EQ(row.text, (std::vector{"w1 w2", "w3", "w4 w5"})[row.row]);
}

TEST_F(SearchCorpora, MineWhatOneFileGives) {
  std::string pairs;
  for (std::size_t i = 0; i < 9; ++i) pairs += sentences_[20 * i] + "\t" + sentences_[20 * i + 1] + "\n";
  queries_file_ = file("pairs.tsv", pairs);
  // Equal rows are one candidate, in another file, too.
  std::string last = read_whole_file(parts_[2], 1 << 20);
  write_bytes(parts_[2], lines_of({sentences_[3], sentences_[150]}) + last);
  ASSERT_EQ(search_in({corpus_file_}, {"--mine", path("one.jsonl"), "--top", "40"}).exit_code, 0);
  for (const int ranks : {0, 2}) {
    const std::string out = path(concat("parts-", ranks, ".jsonl"));
    ASSERT_TRUE(ended(search_in(parts_, {"--mine", out, "--top", "40"}, ranks), 0, {"360 triples of 9 pairs"}));
    EXPECT_TRUE(read_whole_file(out, 1 << 20) == read_whole_file(path("one.jsonl"), 1 << 20)) << ranks;
  }
  EXPECT_TRUE(ended(search_in({parts_[0], encoded(parts_[1], "part.h5")}, {"--mine", path("x.csv")}), 2,
                    {"--mine: CORPUS " + path("part.h5") + " is a file of embeddings"}));
}

TEST_F(SearchCorpora, AreRefusedByFileAndItsOwnRow) {
  std::vector<Embedding> rows = random_rows(40, 1);
  rows[31][40] = std::numeric_limits<float>::quiet_NaN();
  write_rows(path("nan.h5"), rows);
  for (const int ranks : {0, 3})
    EXPECT_TRUE(ended(search_in({parts_[1], path("nan.h5")}, {}, ranks), 2, {"nan.h5: row 31: ", "log-variance nan"}));
  EXPECT_TRUE(ended(search_in({parts_[0], path("missing.txt"), parts_[2]}, {}), 2, {"missing.txt"}));
  EXPECT_TRUE(ended(search_in({parts_[0], parts_[1]}, {"--out", parts_[0], "--overwrite"}), 2, {"--out", "CORPUS"}));
  run_expecting(2, {"search", model_, parts_[0]}, {"QUERIES is required"});
}

}  // namespace
}  // namespace gausscse
