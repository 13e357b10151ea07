#include "evaluation/geometry/layer_statistics.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST(DrawTokenSample, TakesEachSentenceOnceAndAllAlike) {
  std::vector<std::string> texts;
  for (int i = 0; i < 12; ++i) texts.push_back(std::string(static_cast<std::size_t>(1 + i % 3), 'x'));
  const TokenStore store = TokenStore::from_sentences(texts, ByteTokenizer(), 64, 1);
  std::vector<int> drawn(12);
  std::map<std::size_t, std::vector<int>> tokens;
  constexpr int draws = 3000;
  for (int draw = 0; draw < draws; ++draw) {
    const TokenSample sample = draw_token_sample(store, 5, 1, static_cast<std::uint64_t>(draw));
    ASSERT_EQ(sample.token_of_row.size(), 5u);
    std::set<std::int64_t> rows;
    for (std::uint32_t s = 0; s < 12; ++s) {
      if (sample.row_of_sentence[s] < 0) continue;
      EXPECT_TRUE(rows.insert(sample.row_of_sentence[s]).second);
      const std::uint32_t token = sample.token_of_row[static_cast<std::size_t>(sample.row_of_sentence[s])];
      ASSERT_LT(token, store.length(s));
      ++drawn[s];
      auto& of_length = tokens[store.length(s)];
      of_length.resize(store.length(s));
      ++of_length[token];
    }
    EXPECT_EQ(rows, (std::set<std::int64_t>{0, 1, 2, 3, 4}));
  }
  // Five standard deviations.
  for (const int times : drawn) EXPECT_NEAR(times, draws * 5 / 12.0, 5 * std::sqrt(draws * 5 / 12.0 * 7 / 12.0));
  for (const auto& [length, counts] : tokens) {
    int sum = 0;
    for (const int count : counts) sum += count;
    const double expected = sum / static_cast<double>(length);
    for (const int count : counts) EXPECT_NEAR(count, expected, 5 * std::sqrt(expected)) << length;
  }
  EXPECT_EQ(draw_token_sample(store, 100, 1, 1).token_of_row.size(), 12u);
}

}  // namespace
}  // namespace gausscse
