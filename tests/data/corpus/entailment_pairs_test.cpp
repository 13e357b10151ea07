#include "data/corpus/token_store.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

using Texts = std::vector<std::string>;

class EntailmentPairs : public testing::Test {
 protected:
  EntailmentPairs() { options_.examples = ExampleKind::entailment_pairs; }

  fs::path file(const std::string& name, const std::string& text) const {
    write_bytes(folder_ / name, text);
    return folder_ / name;
  }

  TokenStore open(const fs::path& corpus) const {
    TokenStoreOptions options;
    options.corpus = options_;
    options.cache_folder = folder_ / "cache";
    return TokenStore::open_or_build({corpus}, ByteTokenizer(), options);
  }

  void expect_right(const TokenStore& store, const fs::path& file) const {
    const TrainingCorpus corpus = build_training_corpus({file}, options_);
    ASSERT_EQ(store.roles(), 2);
    ASSERT_EQ(store.examples(), corpus.counts.examples);
    EXPECT_EQ(store.sentences(), corpus.sentences.size());
    EXPECT_EQ(store.counts(), corpus.counts);
    std::vector<std::uint32_t> numbers;
    for (std::size_t i = 0; i < store.examples(); ++i) {
      for (const std::size_t role : {0u, 1u}) numbers.push_back(store.sentence(i, role));
      EXPECT_THROW(store.sentence(i, 2), std::logic_error);
    }
    EXPECT_EQ(numbers, corpus.example_sentences);
    EXPECT_THROW(store.sentence(store.examples(), 0), std::logic_error);
  }

  const TemporaryFolder folder_;
  CorpusOptions options_;
};

TEST_F(EntailmentPairs, AreAllThatAreLabelledSoInTheOrderOfTheFiles) {
  const std::vector<fs::path> files{
      file("a", jsonl("neutral", "p", "n") + jsonl("entailment", "p", "e") + jsonl("-", "p", "x") +
                    jsonl("contradiction", "p", "e") + jsonl("entailment", "q", "p") + jsonl("entailment", "p", "e")),
      file("b", "gold_label\tsentence1\tsentence2\ncontradiction\tq\tc\nentailment\tp\te\nentailment\tr\tr\n")};
  const TrainingCorpus corpus = build_training_corpus(files, options_);
  EXPECT_EQ(corpus.roles, 2u);
  EXPECT_EQ(texts_of(corpus), (std::vector<Texts>{{"p", "e"}, {"q", "p"}, {"p", "e"}, {"p", "e"}, {"r", "r"}}));
  EXPECT_EQ(sentences_of(corpus), (Texts{"p", "e", "q", "r"}));
  EXPECT_EQ(corpus.example_sentences, (std::vector<std::uint32_t>{0, 1, 2, 0, 0, 1, 0, 1, 3, 3}));
  CorpusCounts expected;
  expected.pairs = 9;
  expected.without_gold_label = 1;
  expected.duplicates = 2;
  expected.premises = 3;
  expected.examples = 5;
  expected.sentences = 4;
  EXPECT_EQ(corpus.counts, expected);

  EXPECT_EQ(texts_of(build_training_corpus({files[1], files[0]}, options_)),
            (std::vector<Texts>{{"p", "e"}, {"r", "r"}, {"p", "e"}, {"q", "p"}, {"p", "e"}}));
  options_.triples_per_premise = TriplesPerPremise::all;
  options_.seed = 7;
  EXPECT_EQ(build_training_corpus(files, options_).example_sentences, corpus.example_sentences);
}

TEST_F(EntailmentPairs, AreTrimmedAndBadLinesLeftOutWhereAsked) {
  const fs::path corpus = file("c", jsonl("entailment", " p", "e ") + "{}\n" + jsonl("entailment", "p", "e"));
  EXPECT_HAS(input_error([&] { build_training_corpus({corpus}, options_); }), "c:2: the key \"gold_label\" is missing");
  options_.bad_lines = BadLines::skip;
  const TrainingCorpus kept = build_training_corpus({corpus}, options_);
  EXPECT_EQ(texts_of(kept), (std::vector<Texts>{{" p", "e "}, {"p", "e"}}));
  EXPECT_EQ(kept.counts.duplicates, 0u);
  EXPECT_EQ(kept.counts.bad_lines, 1u);
  EXPECT_EQ(kept.bad_line_messages.at(0), "the training data: 1 of 3 lines is left out");
  options_.trim = true;
  const TrainingCorpus trimmed = build_training_corpus({corpus}, options_);
  EXPECT_EQ(texts_of(trimmed), (std::vector<Texts>{{"p", "e"}, {"p", "e"}}));
  EXPECT_EQ(trimmed.counts.duplicates, 1u);
}

/// A pair that entails both ways gives one example, as it stands.
TEST_F(EntailmentPairs, AreOfTheTrainRowsOfSick) {
  std::string text = "sentence_A\tsentence_B\tentailment_label\tentailment_AB\tentailment_BA\tSemEval_set\n";
  for (const char* set : {"TEST", "TRAIN", "TRIAL"}) {
    text += concat("p ", set, "\te ", set, "\tENTAILMENT\tA_entails_B\tB_entails_A\t", set, "\n");
    text += concat("p ", set, "\tn ", set, "\tNEUTRAL\tA_neutral_B\tB_entails_A\t", set, "\n");
  }
  const TrainingCorpus corpus = build_training_corpus({file("sick", text)}, options_);
  EXPECT_EQ(texts_of(corpus), (std::vector<Texts>{{"p TRAIN", "e TRAIN"}}));
  EXPECT_EQ(corpus.counts.pairs, 2u);
}

TEST_F(EntailmentPairs, AreTheFirstTwoColumnsOfATriplesCsv) {
  const fs::path csv = file("csv", "sent0,sent1,hard_neg\nb,a,c\na,b,c\na,b,d\n");
  const TrainingCorpus corpus = build_training_corpus({csv}, options_);
  EXPECT_EQ(texts_of(corpus), (std::vector<Texts>{{"b", "a"}, {"a", "b"}, {"a", "b"}}));
  EXPECT_EQ(sentences_of(corpus), (Texts{"b", "a"}));
  CorpusCounts expected;
  expected.pairs = 3;
  expected.duplicates = 1;
  expected.premises = 2;
  expected.examples = 3;
  expected.sentences = 2;
  EXPECT_EQ(corpus.counts, expected);
}

TEST_F(EntailmentPairs, AreMissedWhereThereIsNone) {
  options_.bad_lines = BadLines::skip;
  const fs::path none =
      file("none", jsonl("neutral", "p", "e") + "{}\n" + jsonl("-", "p", "x") + jsonl("contradiction", "q", "c"));
  const std::string message = input_error([&] { build_training_corpus({none}, options_); });
  EXPECT_HAS(message, "no entailment pair is in " + none.string());
  EXPECT_HAS(message, " (3 pairs: 1 neutral, the first in " + none.string() + ":1, 1 contradiction, the first in " +
                          none.string() + ":4, 1 without gold label, the first in " + none.string() +
                          ":3; 1 bad lines skipped, the first: " + none.string() +
                          ":2: the key \"gold_label\" is missing; it has");
  const fs::path one = file("one", jsonl("entailment", "p", "e"));
  EXPECT_EQ(build_training_corpus({none, one}, options_).counts.examples, 1u);
  EXPECT_HAS(input_error([&] { build_training_corpus({}, options_); }), "no training file is given");
}

TEST_F(EntailmentPairs, FollowNeitherTheSeedNorTriplesPerPremise) {
  options_.bad_lines = BadLines::skip;
  options_.triples_per_premise = TriplesPerPremise::all;
  options_.seed = 5;
  for (const fs::path& corpus :
       {file("n", jsonl("entailment", "p", "e")), file("t", "sent0,sent1,hard_neg\na,b,c\n")}) {
    const CorpusOptions effective = effective_options({corpus}, options_);
    EXPECT_EQ(effective.examples, ExampleKind::entailment_pairs) << corpus;
    EXPECT_EQ(effective.bad_lines, BadLines::skip) << corpus;
    EXPECT_EQ(effective.triples_per_premise, TriplesPerPremise::one) << corpus;
    EXPECT_EQ(effective.seed, 0u) << corpus;
  }
}

TEST_F(EntailmentPairs, AreKeptInACacheBesideTriples) {
  std::string text;
  for (int i = 0; i < 50; ++i) {
    text += jsonl("entailment", concat("premise ", i), concat("entailed ", i % 7));
    text += jsonl("contradiction", concat("premise ", i), "contradicted");
    text += jsonl("entailment", concat("premise ", i), concat("premise ", i + 1));
  }
  const fs::path corpus = file("c", text);
  expect_right(open(corpus), corpus);
  EXPECT_TRUE(open(corpus).from_cache());
  expect_right(open(corpus), corpus);
  options_.seed = 1;
  options_.triples_per_premise = TriplesPerPremise::all;
  EXPECT_TRUE(open(corpus).from_cache()) << "neither has a bearing on pairs";
  options_ = {};
  const TokenStore triples = open(corpus);
  EXPECT_FALSE(triples.from_cache());
  EXPECT_EQ(triples.roles(), 3);
  EXPECT_EQ(triples.examples(), 50u);
  EXPECT_EQ(triples.sentence(49, 2), build_training_corpus({corpus}, options_).example_sentences[149]);
  EXPECT_THROW(triples.sentence(0, 3), std::logic_error);
  EXPECT_EQ(open(corpus).roles(), 3);
  options_.examples = ExampleKind::entailment_pairs;
  EXPECT_TRUE(open(corpus).from_cache());
  EXPECT_EQ(open(corpus).examples(), 100u);
}

TEST_F(EntailmentPairs, AreReadAgainWhereTheirCacheIsDamaged) {
  const fs::path corpus = file("c", jsonl("entailment", "p", "e") + jsonl("entailment", "q", "e"));
  expect_right(open(corpus), corpus);
  const fs::path cache = fs::directory_iterator(folder_ / "cache")->path();
  write_bytes(cache, "text");
  const TokenStore store = open(corpus);
  EXPECT_FALSE(store.from_cache());
  EXPECT_EQ(store.warnings().size(), 1u);
  expect_right(store, corpus);
  EXPECT_TRUE(open(corpus).from_cache());
}

}  // namespace
}  // namespace gausscse
