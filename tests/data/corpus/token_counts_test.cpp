#include "data/corpus/token_counts.hpp"

#include "data/corpus/token_store.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Counts = std::vector<TokenCounts>;

/// A token a byte, of which "?" is unknown.
class QuestionTokenizer : public Tokenizer {
 public:
  bool encode(std::string_view sentence, std::size_t max_tokens, std::vector<std::uint32_t>& ids) const override {
    return bytes_.encode(sentence, max_tokens, ids);
  }
  std::size_t vocabulary_size() const override { return bytes_.vocabulary_size(); }
  std::vector<std::string> tokens() const override { return bytes_.tokens(); }
  const std::string& fingerprint() const override { return bytes_.fingerprint(); }
  const std::vector<std::filesystem::path>& files() const override { return bytes_.files(); }
  UnknownTokens count_unknown(std::span<const std::uint32_t> ids) const override {
    return {ids.size() - 2, static_cast<std::uint64_t>(std::count(ids.begin(), ids.end(), 3u + '?'))};
  }

 private:
  ByteTokenizer bytes_;
};

TEST(TokenCounts, AreOfEachSentenceAfterItsCut) {
  const std::vector<std::string> sentences{"ab", "?b?", "?a?d??", "??", "a", "?a?c??"};
  const Counts expected{{.sentences = 6,
                         .cut = 2,
                         .tokens = 2 + 3 + 4 + 2 + 1 + 4,
                         .unknown = 2 + 2 + 2 + 2,
                         .unknown_of_example = 2,
                         .example = "??"}};
  EXPECT_EQ(TokenStore::from_sentences(sentences, QuestionTokenizer(), 6, 1).token_counts(), expected);
  std::vector<std::string> reversed(sentences.rbegin(), sentences.rend());
  EXPECT_EQ(TokenStore::from_sentences(reversed, QuestionTokenizer(), 6, 1).token_counts(), expected);
  const Counts whole = TokenStore::from_sentences(sentences, QuestionTokenizer(), 60, 1).token_counts();
  EXPECT_EQ(whole.front().example, "?a?c??") << "the most, four, and of these the first by its bytes";
  EXPECT_EQ(whole.front().unknown_of_example, 4u);
  EXPECT_EQ(TokenStore::from_sentences({}, QuestionTokenizer(), 6, 1).token_counts(), Counts{TokenCounts{}});
}

TEST(TokenCounts, DoNotDependOnThreadsOrBlocks) {
  std::vector<std::string> sentences;
  TokenCounts sum;
  for (int i = 0; i < 2000; ++i) sentences.push_back(concat(i % 7 == 0 ? "?" : "x", i, i % 14 == 0 ? "??" : ""));
  for (int block = 0; block < 4; ++block) {
    const auto begin = sentences.begin() + 500 * block;
    const std::vector<std::string> part(begin, begin + 500);
    sum.add(TokenStore::from_sentences(part, QuestionTokenizer(), 5, 1).token_counts().front());
  }
  // Longer than three bytes: "?100" and all from 1000 on, and those with "??" behind two digits or more.
  std::uint64_t cut = 0, unknown = 0;
  for (const std::string& sentence : sentences) {
    cut += sentence.size() > 3;
    const std::string kept = sentence.substr(0, 3);
    unknown += static_cast<std::uint64_t>(std::count(kept.begin(), kept.end(), '?'));
  }
  EXPECT_EQ(sum.cut, cut);
  EXPECT_EQ(sum.unknown, unknown);
  EXPECT_EQ(sum.example, "?0??") << "the sentence, of which two unknown tokens are left";
  for (const std::size_t threads : {1u, 2u, 5u})
    EXPECT_EQ(TokenStore::from_sentences(sentences, QuestionTokenizer(), 5, threads).token_counts(), Counts{sum});
}

/// Each file has the sentences that come first in it, in every kind of example; also from the cache.
TEST(TokenCounts, AreOfTheTrainingFilesOneByOne) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    write_bytes(folder / name, text);
    return folder / name;
  };
  const auto counts = [&](const std::vector<std::filesystem::path>& files, ExampleKind kind) {
    TokenStoreOptions options;
    options.max_tokens = 6;
    options.cache_folder = folder / "cache";
    options.corpus.examples = kind;
    const Counts made = TokenStore::open_or_build(files, QuestionTokenizer(), options).token_counts();
    const TokenStore again = TokenStore::open_or_build(files, QuestionTokenizer(), options);
    EXPECT_TRUE(again.from_cache());
    EXPECT_EQ(again.token_counts(), made);
    return made;
  };
  const auto one = write("1.jsonl", jsonl("entailment", "p", "e") + jsonl("contradiction", "p", "long one"));
  const auto two = write("2.jsonl", jsonl("entailment", "q?", "e") + jsonl("contradiction", "q?", "??"));
  const auto none = write("3.jsonl", jsonl("entailment", "p", "e"));
  const TokenCounts of_one{.sentences = 3, .cut = 1, .tokens = 6};
  const TokenCounts of_two{.sentences = 2, .tokens = 4, .unknown = 3, .unknown_of_example = 2, .example = "??"};
  EXPECT_EQ(counts({one, none, two}, ExampleKind::triples), (Counts{of_one, {}, of_two}));
  EXPECT_EQ(counts({one, none, two}, ExampleKind::labelled_pairs), (Counts{of_one, {}, of_two}));
  EXPECT_EQ(counts({two, one}, ExampleKind::entailment_pairs),
            (Counts{{.sentences = 2, .tokens = 3, .unknown = 1, .unknown_of_example = 1, .example = "q?"},
                    {.sentences = 1, .tokens = 1}}));
  const auto rows = write("r.csv", "sent0,sent1,hard_neg\np,e,long one\n"),
             more = write("m.csv", "sent0,sent1,hard_neg\nq?,e,??\n");
  EXPECT_EQ(counts({rows, more}, ExampleKind::triples), (Counts{of_one, of_two}));
}

TEST(TokenCounts, AreLargeFromATwentiethOn) {
  EXPECT_FALSE(is_large_share(0, 0));
  EXPECT_FALSE(is_large_share(0, 10));
  EXPECT_FALSE(is_large_share(1, 21));
  EXPECT_TRUE(is_large_share(1, 20));
  EXPECT_TRUE(is_large_share(1, 1));
}

}  // namespace
}  // namespace gausscse
