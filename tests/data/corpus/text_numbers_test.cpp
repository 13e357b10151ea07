#include "data/corpus/text_numbers.hpp"

#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TokenStore store_of_csv(const TemporaryFolder& folder, const std::string& text, ExampleKind kind) {
  write_bytes(folder / "train.csv", text);
  TokenStoreOptions options;
  options.corpus.examples = kind;
  options.max_tokens = 5;
  return TokenStore::open_or_build({folder / "train.csv"}, ByteTokenizer(), options);
}

using TextPairs = std::vector<TextNumbers::Pair>;

/// Sentences are cut to three bytes between the special tokens.
TEST(TextNumbers, AreThoseOfTheFirstSentenceWithTheSameTokens) {
  const TemporaryFolder folder;
  const TokenStore store =
      store_of_csv(folder, "sent0,sent1,hard_neg\nabcd,ef,g\nabcx,ef,abc\nh,abc,ef\n", ExampleKind::triples);
  ASSERT_EQ(store.examples(), 3u);
  const TextNumbers numbers(store);
  // The three texts that begin with abc are one.
  const std::uint32_t abc = store.sentence(0, 0), ef = store.sentence(0, 1), g = store.sentence(0, 2),
                      h = store.sentence(2, 0);
  EXPECT_NE(store.sentence(1, 0), abc);
  EXPECT_EQ(numbers.of_examples(), (std::vector<std::uint32_t>{abc, ef, g, abc, ef, abc, h, abc, ef}));
  EXPECT_EQ(numbers.of(store.sentence(1, 0)), abc);
}

TEST(TextNumbers, NameTextPairsOfWhichBothTextsAreAsked) {
  const TemporaryFolder folder;
  const TokenStore store =
      store_of_csv(folder, "sent0,sent1,hard_neg\na,b,c\na,d,c\na,b,e\nd,a,b\n", ExampleKind::triples);
  const TextNumbers numbers(store);
  const std::uint32_t a = store.sentence(0, 0), b = store.sentence(0, 1), c = store.sentence(0, 2),
                      d = store.sentence(1, 1);
  const auto among = [&](std::vector<std::int64_t> texts) { return numbers.entailed_among(texts); };
  TextPairs all{TextNumbers::Pair{a, b}, {a, d}, {d, a}};
  std::sort(all.begin(), all.end());
  EXPECT_EQ(among({d, b, a, c, a}), all);
  EXPECT_EQ(among({a, b}), (TextPairs{TextNumbers::Pair{a, b}}));
  EXPECT_EQ(among({b, c, d}), TextPairs());
}

TEST(TextNumbers, NameTextPairsWithTheLabelEntailmentAlone) {
  const TemporaryFolder folder;
  const TokenStore store =
      store_of_csv(folder, "premise,hypothesis,label\na,b,entailment\na,c,neutral\na,d,contradiction\nb,c,entailment\n",
                   ExampleKind::labelled_pairs);
  ASSERT_TRUE(store.has_labels());
  const TextNumbers numbers(store);
  const std::uint32_t a = store.sentence(0, 0), b = store.sentence(0, 1), c = store.sentence(1, 1),
                      d = store.sentence(2, 1);
  TextPairs expected{TextNumbers::Pair{a, b}, {b, c}};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(numbers.entailed_among(std::vector<std::int64_t>{a, b, c, d}), expected);
}

}  // namespace
}  // namespace gausscse
