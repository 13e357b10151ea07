#include <cctype>

#include "data/corpus/token_store.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

using Numbers = std::vector<std::uint32_t>;
using Texts = std::vector<std::string>;

/// As ByteTokenizer, of the text in lower case.
class UncasedTokenizer final : public Tokenizer {
 public:
  explicit UncasedTokenizer(ByteTokenizer of_bytes = ByteTokenizer()) : of_bytes_(std::move(of_bytes)) {}

  bool encode(std::string_view sentence, std::size_t max_tokens, std::vector<std::uint32_t>& ids) const override {
    std::string lower(sentence);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return of_bytes_.encode(lower, max_tokens, ids);
  }
  std::size_t vocabulary_size() const override { return of_bytes_.vocabulary_size(); }
  std::vector<std::string> tokens() const override { return of_bytes_.tokens(); }
  const std::string& fingerprint() const override { return fingerprint_; }
  const std::vector<fs::path>& files() const override { return of_bytes_.files(); }

 private:
  ByteTokenizer of_bytes_;
  std::string fingerprint_ = std::string(32, 'u');
};

class LabelledPairs : public testing::Test {
 protected:
  LabelledPairs() {
    options_.corpus.examples = ExampleKind::labelled_pairs;
    options_.cache_folder = folder_ / "cache";
  }

  fs::path file(const std::string& name, const std::string& text) const {
    write_bytes(folder_ / name, text);
    return folder_ / name;
  }

  TrainingCorpus build(const std::vector<fs::path>& files) const {
    return build_training_corpus(files, options_.corpus);
  }
  TokenStore open(const fs::path& corpus, const Tokenizer& tokenizer = UncasedTokenizer()) const {
    return TokenStore::open_or_build({corpus}, tokenizer, options_);
  }

  static Numbers labels_of(const TokenStore& store) {
    Numbers labels;
    for (std::size_t i = 0; i < store.examples(); ++i) labels.push_back(store.label(i));
    return labels;
  }
  static Numbers groups_of(const TokenStore& store) {
    Numbers groups;
    for (std::size_t i = 0; i < store.examples(); ++i) groups.push_back(store.group(i));
    return groups;
  }

  const TemporaryFolder folder_;
  TokenStoreOptions options_;
};

/// Five pairs with a label and one without. Of the sentences A man, x, a man, y, a dog the first and the third are the
/// same to a tokenizer that is uncased.
std::string small_corpus() {
  return jsonl("neutral", "A man", "x") + jsonl("-", "b", "z") + jsonl("entailment", "a man", "y") +
         jsonl("contradiction", "a dog", "A man") + jsonl("neutral", "A man", "x") +
         jsonl("entailment", "a man", "a dog");
}

TEST_F(LabelledPairs, AreAllWithAGoldLabelInTheOrderOfTheFiles) {
  const std::vector<fs::path> files{
      file("a", jsonl("neutral", "p", "n") + jsonl("-", "s", "x") + jsonl("contradiction", "p", "e") +
                    jsonl("entailment", "q", "p") + jsonl("neutral", "p", "n")),
      file("b", "gold_label\tsentence1\tsentence2\nentailment\tp\te\nentailment\tr\tr\nneutral\tp\tn\n")};
  const TrainingCorpus corpus = build(files);
  EXPECT_EQ(corpus.roles, 2u);
  EXPECT_EQ(texts_of(corpus),
            (std::vector<Texts>{{"p", "n"}, {"p", "e"}, {"q", "p"}, {"p", "n"}, {"p", "e"}, {"r", "r"}, {"p", "n"}}));
  EXPECT_EQ(corpus.labels, (Numbers{1, 2, 0, 1, 0, 0, 1}));
  EXPECT_EQ(sentences_of(corpus), (Texts{"p", "n", "e", "q", "r"}));
  CorpusCounts expected;
  expected.pairs = 8;
  expected.without_gold_label = 1;
  expected.duplicates = 2;  // p, e with another label is none
  expected.premises = 3;
  expected.examples = 7;
  expected.sentences = 5;
  EXPECT_EQ(corpus.counts, expected);
  EXPECT_EQ(build({files[1], files[0]}).labels, (Numbers{0, 0, 1, 1, 2, 0, 1}));
}

TEST_F(LabelledPairs, OtherExamplesHaveNoLabels) {
  const fs::path corpus = file("c", jsonl("entailment", "p", "e") + jsonl("contradiction", "p", "c"));
  for (const ExampleKind kind : {ExampleKind::triples, ExampleKind::entailment_pairs}) {
    options_.corpus.examples = kind;
    EXPECT_TRUE(build({corpus}).labels.empty());
    const TokenStore store = open(corpus);
    EXPECT_EQ(store.examples(), 1u);
    EXPECT_FALSE(store.has_labels());
    EXPECT_THROW(store.label(0), std::logic_error);
    EXPECT_THROW(store.group(0), std::logic_error);
  }
}

TEST_F(LabelledPairs, OfATriplesCsvAreRefused) {
  const fs::path csv = file("t.csv", "sent0,sent1,hard_neg\na,b,c\n");
  for (const auto& call : std::vector<std::function<void()>>{[&] { build({csv}); }, [&] { open(csv); }}) {
    const std::string message = input_error(call);
    EXPECT_HAS(message, csv.string() + ": a file of triples gives no labelled pairs");
    EXPECT_HAS(message, "no labels: give the NLI corpora it was made from, or take triples or entailment_pairs");
  }
  EXPECT_FALSE(fs::exists(options_.cache_folder));
}

TEST_F(LabelledPairs, AreMissedWhereThereIsNone) {
  const fs::path none = file("none", jsonl("-", "p", "x") + jsonl("-", "p", "y"));
  const std::string message = input_error([&] { build({none}); });
  EXPECT_HAS(message, "no pair with a gold label is in " + none.string());
  EXPECT_HAS(message, " (2 pairs: 2 without gold label, the first in " + none.string() +
                          ":1; 0 bad lines skipped): give a corpus");
}

TEST_F(LabelledPairs, AreOfTheTrainRowsOfSick) {
  std::string text = "sentence_A\tsentence_B\tentailment_label\tentailment_AB\tentailment_BA\tSemEval_set\n";
  for (const char* set : {"TEST", "TRAIN", "TRIAL"}) {
    text += concat("c ", set, "\td\tCONTRADICTION\tA_contradicts_B\tB_contradicts_A\t", set, "\n");
    text += concat("p ", set, "\te\tENTAILMENT\tA_entails_B\tB_entails_A\t", set, "\n");
  }
  const TrainingCorpus corpus = build({file("sick", text)});
  EXPECT_EQ(texts_of(corpus), (std::vector<Texts>{{"c TRAIN", "d"}, {"p TRAIN", "e"}}));
  EXPECT_EQ(corpus.labels, (Numbers{2, 0}));
}

TEST_F(LabelledPairs, HaveAGroupForPremisesOfTheSameTokens) {
  const fs::path corpus = file("c", small_corpus());
  for (const bool again : {false, true}) {
    const TokenStore store = open(corpus);
    EXPECT_EQ(store.from_cache(), again);
    ASSERT_TRUE(store.has_labels());
    EXPECT_EQ(store.roles(), 2);
    EXPECT_EQ(store.counts().without_gold_label, 1u);
    EXPECT_EQ(labels_of(store), (Numbers{1, 0, 2, 1, 0}));
    EXPECT_EQ(groups_of(store), (Numbers{0, 0, 4, 0, 0}));
    EXPECT_EQ(store.sentence(1, 0), 2u) << "the sentence itself stays";
    EXPECT_THROW(store.label(5), std::logic_error);
    EXPECT_THROW(store.group(5), std::logic_error);
  }
  // With case, texts are the same only if their bytes are.
  EXPECT_EQ(groups_of(open(corpus, ByteTokenizer())), (Numbers{0, 2, 4, 0, 2}));
}

/// A hypothesis of the same tokens may come before the premise: the group has its number.
TEST_F(LabelledPairs, HaveTheLowestNumberOfASentenceOfTheseTokensAsGroup) {
  const fs::path corpus =
      file("c", jsonl("neutral", "p", "THE CAT") + jsonl("neutral", "the cat", "q") + jsonl("neutral", "The cat", "q"));
  EXPECT_EQ(groups_of(open(corpus)), (Numbers{0, 1, 1}));
}

/// "one way" and "one word" have their first five characters in common.
TEST_F(LabelledPairs, AreGroupedByWhatIsLeftOfPremisesAfterTheCut) {
  const fs::path corpus = file("c", jsonl("neutral", "one way", "x") + jsonl("neutral", "one word", "x"));
  options_.max_tokens = 7;  // "one w"
  EXPECT_EQ(groups_of(open(corpus)), (Numbers{0, 0}));
  options_.max_tokens = 8;
  EXPECT_EQ(groups_of(open(corpus)), (Numbers{0, 2}));
}

/// Ids of 16 and of 32 bits, tokenised by one thread and by several: as a map from token ids finds them.
TEST_F(LabelledPairs, GroupsAreAsABruteForceFindsThem) {
  std::string text;
  for (int i = 0; i < 900; ++i)
    text += jsonl(i % 2 == 0 ? "neutral" : "entailment", concat(i % 3 == 0 ? "Premise " : "premise ", i % 301),
                  concat("hypothesis ", i));
  const fs::path corpus = file("c", text);
  options_.cache_folder.clear();
  for (const std::size_t vocabulary : {300u, 100000u}) {
    for (const std::size_t threads : {1u, 4u}) {
      options_.threads = threads;
      const TokenStore store = open(corpus, UncasedTokenizer(ByteTokenizer(vocabulary)));
      std::map<Numbers, std::uint32_t> first_of;
      for (std::uint32_t i = 0; i < store.sentences(); ++i) {
        Numbers ids;
        store.append_tokens(i, ids);
        first_of.emplace(ids, i);
      }
      std::size_t moved = 0;
      for (std::size_t i = 0; i < store.examples(); ++i) {
        Numbers ids;
        store.append_tokens(store.sentence(i, 0), ids);
        ASSERT_EQ(store.group(i), first_of.at(ids)) << i;
        moved += store.group(i) != store.sentence(i, 0);
      }
      EXPECT_GT(moved, 200u);
    }
  }
}

TEST_F(LabelledPairs, AreKeptInACacheBesideEntailmentPairs) {
  const fs::path corpus = file("c", small_corpus());
  EXPECT_FALSE(open(corpus).from_cache());
  options_.corpus.seed = 1;
  options_.corpus.triples_per_premise = TriplesPerPremise::all;
  EXPECT_TRUE(open(corpus).from_cache()) << "neither has a bearing on pairs";
  options_.corpus = {};
  options_.corpus.examples = ExampleKind::entailment_pairs;
  EXPECT_FALSE(open(corpus).from_cache());
  EXPECT_FALSE(open(corpus).has_labels());
  EXPECT_EQ(open(corpus).examples(), 2u);
  options_.corpus.examples = ExampleKind::labelled_pairs;
  EXPECT_TRUE(open(corpus).from_cache());
  EXPECT_TRUE(open(corpus).has_labels());
}

}  // namespace
}  // namespace gausscse
