#include <nlohmann/json.hpp>

#include "tests/launcher/tiny_model.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

struct TripleOfTest {
  std::string premise, entailed, negative;
  bool operator==(const TripleOfTest&) const = default;
};

/// The triples of a .jsonl file.
std::vector<TripleOfTest> mined_triples(const std::string& path) {
  std::vector<TripleOfTest> triples;
  std::istringstream lines(read_whole_file(path, 1 << 22));
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json json = nlohmann::json::parse(line);
    triples.push_back({json["sent0"], json["sent1"], json["hard_neg"]});
  }
  return triples;
}

class Mining : public TinyProjectTest {
 protected:
  Mining() : model_(path("saved")) {
    save_tiny_model(project_, model_, {});
    corpus_ = tiny_sentences(120, 1);
    // One candidate in two spellings of the same tokens, a blank one, and an empty one.
    corpus_[40] = corpus_[10];
    corpus_[41] = "  " + corpus_[10];
    corpus_[50] = "";
    corpus_[51] = " ";
    const std::vector<std::string> premises = tiny_sentences(6, 2);
    for (std::size_t i = 0; i < premises.size(); ++i)
      for (std::size_t k = 0; k <= i % 3; ++k) pairs_.push_back({premises[i], corpus_[7 * i + k], ""});
    // A premise that is in the corpus, and one that returns.
    pairs_.push_back({corpus_[20], corpus_[21], ""});
    pairs_.push_back({premises[0], corpus_[100], ""});
    corpus_file_ = file("corpus.txt", lines_of(corpus_));
    std::string lines;
    for (const TripleOfTest& pair : pairs_) lines += pair.premise + "\t" + pair.entailed + "\n";
    pairs_file_ = file("pairs.tsv", lines);
  }

  /// Returns the texts to be mined, by brute force: distinct texts by falling similarity, without known ones.
  std::vector<TripleOfTest> expected(std::size_t count, std::size_t skip, bool entails) {
    if (distinct_.empty()) embed_all();
    const std::vector<std::string>& distinct = distinct_;
    const std::vector<Embedding>& rows = rows_;
    std::map<std::string, std::set<std::string>> known;
    for (const TripleOfTest& pair : pairs_) known[pair.premise].insert(pair.entailed);
    std::vector<TripleOfTest> triples;
    for (const TripleOfTest& pair : pairs_) {
      const Embedding& premise = embedding_of_.at(pair.premise);
      std::vector<std::pair<double, std::string>> order;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (distinct[i] == pair.premise || known[pair.premise].contains(distinct[i])) continue;
        order.emplace_back(
            entails ? per_dimension_similarity(premise, rows[i]) : per_dimension_similarity(rows[i], premise),
            distinct[i]);
      }
      std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
      for (std::size_t i = skip; i < std::min(skip + count, order.size()); ++i)
        triples.push_back({pair.premise, pair.entailed, order[i].second});
    }
    return triples;
  }

  void embed_all() {
    for (const std::string& text : corpus_) {
      const std::size_t begin = text.find_first_not_of(' ');
      const std::string own = begin == std::string::npos ? "" : text.substr(begin);
      if (!own.empty() && std::find(distinct_.begin(), distinct_.end(), own) == distinct_.end())
        distinct_.push_back(own);
    }
    rows_ = embed_one_by_one(model_, distinct_);
    std::vector<std::string> premises;
    for (const TripleOfTest& pair : pairs_) premises.push_back(pair.premise);
    const std::vector<Embedding> embedded = embed_one_by_one(model_, premises);
    for (std::size_t i = 0; i < premises.size(); ++i) embedding_of_[premises[i]] = embedded[i];
  }

  ProgramRun mine(const std::string& out, const std::vector<std::string>& more = {}, int ranks = 0) const {
    return run_program(with({"search", model_, corpus_file_, pairs_file_, "--mine", path(out)}, more), ranks);
  }

  std::string model_, corpus_file_, pairs_file_;
  std::vector<std::string> corpus_;
  std::vector<TripleOfTest> pairs_;  ///< without negatives
  std::vector<std::string> distinct_;
  std::vector<Embedding> rows_;  ///< rows of the distinct texts
  std::map<std::string, Embedding> embedding_of_;
};

TEST_F(Mining, TakesTheBestRowsThatAreNotKnownForAnyRanks) {
  ASSERT_TRUE(ended(mine("one.jsonl"), 0, {"14 triples of 14 pairs and 7 premises: "}));
  EXPECT_EQ(mined_triples(path("one.jsonl")), expected(1, 0, false));
  std::string bytes;
  for (const int ranks : {0, 2, 3}) {
    const std::string name = concat("three-", ranks, ".jsonl");
    ASSERT_TRUE(ended(mine(name, {"--top", "3", "--mine-skip", "40"}, ranks), 0, {"42 triples of 14 pairs"}));
    EXPECT_EQ(mined_triples(path(name)), expected(3, 40, false));
    if (bytes.empty()) bytes = read_whole_file(path(name), 1 << 20);
    EXPECT_TRUE(read_whole_file(path(name), 1 << 20) == bytes);
  }
  ASSERT_TRUE(ended(mine("entails.jsonl", {"--direction", "entails", "--top", "20"}), 0));
  EXPECT_EQ(mined_triples(path("entails.jsonl")), expected(20, 0, true));
  EXPECT_FALSE(expected(20, 0, true) == expected(20, 0, false));
}

TEST_F(Mining, SaysWhereRowsAreMissing) {
  // No distinct row of the corpus is left for the last ranks.
  const std::size_t distinct = expected(1000, 0, false).size();
  ASSERT_TRUE(ended(mine("all.jsonl", {"--top", "1000"}), 0,
                    {concat(distinct, " triples of 14 pairs"),
                     concat(14000 - distinct, " triples are missing, as too few rows of the corpus are left")}));
  EXPECT_EQ(mined_triples(path("all.jsonl")), expected(1000, 0, false));
  ASSERT_TRUE(ended(mine("none.jsonl", {"--mine-skip", "1000"}, 2), 2, {"corpus.txt: no row is left as a negative"}));
  EXPECT_FALSE(std::filesystem::exists(path("none.jsonl")));
}

/// Sentences that the model cuts to the same tokens are one candidate, and one premise.
TEST_F(Mining, TakesSentencesAsTheModelCutsThem) {
  std::string beginning = "w1";
  for (int i = 0; i < 20; ++i) beginning += " w2";
  corpus_file_ = file("cut.txt", lines_of({beginning + " w3", beginning + " w4", "w5 w6", "w7"}));
  pairs_file_ = file("cut.tsv", concat("w9\tw8\n", beginning, "\tw5 w6\n"));
  ASSERT_TRUE(ended(mine("cut.jsonl", {"--top", "4"}), 0, {"4 triples of 2 pairs and 2 premises"}));
  std::multiset<std::string> negatives;
  for (const TripleOfTest& triple : mined_triples(path("cut.jsonl"))) negatives.insert(triple.negative);
  EXPECT_EQ(negatives, (std::multiset<std::string>{beginning + " w3", "w5 w6", "w7", "w7"}));
}

/// The file trains as it is.
TEST_F(Mining, WritesWhatTrainingReads) {
  write_bytes(pairs_file_, read_whole_file(pairs_file_, 1 << 20) + "w9 \"w8\"\tw7, w6\n");
  ASSERT_TRUE(ended(mine("mined.csv", {"--top", "4"}), 0));
  ASSERT_TRUE(ended(mine("mined.jsonl", {"--top", "4"}), 0));
  std::string csv = "sent0,sent1,hard_neg\n";
  const auto field = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, 1, '"');
    return "\"" + text + "\"";
  };
  for (const TripleOfTest& triple : mined_triples(path("mined.jsonl")))
    csv += concat(field(triple.premise), ",", field(triple.entailed), ",", field(triple.negative), "\n");
  EXPECT_EQ(read_whole_file(path("mined.csv"), 1 << 20), csv);
  EXPECT_TRUE(says(csv, "\n\"w9 \"\"w8\"\"\",\"w7, w6\",\""));
  for (const std::string name : {"mined.csv", "mined.jsonl"}) {
    const ProgramRun run = run_program(
        train_arguments(project_, "", {"data.train=[" + path(name) + "]", "output=" + path("out-" + name)}));
    EXPECT_TRUE(ended(run, 0, {"60 examples, "})) << name;
  }
}

TEST_F(Mining, RefusesBadInput) {
  EXPECT_TRUE(ended(mine("mined.tsv"), 2, {"triples are not written as \".tsv\": name the file .csv or .jsonl"}));
  run_expecting(0, {"encode", model_, corpus_file_, path("corpus.h5")});
  run_expecting(2, {"search", model_, path("corpus.h5"), pairs_file_, "--mine", path("m.csv")},
                {"is a file of embeddings, but mining compares texts"}, 2);
  run_expecting(2, {"search", model_, corpus_file_, corpus_file_, "--mine", path("m.csv")},
                {"corpus.txt:1", "has no tab"});
  file("m.csv", "mine");
  EXPECT_TRUE(ended(mine("m.csv"), 2, {"--overwrite"}));
  EXPECT_EQ(read_whole_file(path("m.csv"), 100), "mine");
}

}  // namespace
}  // namespace gausscse
