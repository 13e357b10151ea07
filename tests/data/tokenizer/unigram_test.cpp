#include "data/tokenizer/unigram.hpp"

#include "base/philox.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "small_tokenizers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Ids = std::vector<std::uint32_t>;
using Pieces = std::vector<std::pair<std::string, double>>;

constexpr std::uint32_t unknown = 0;

/// Cuts `word` in every way, each character also as unknown, and returns the ids of the way of the largest score; of
/// equal ones that whose last piece begins first.
std::pair<double, Ids> best_of_all_ways(const std::string& word, const Pieces& pieces, double unknown_score) {
  if (word.empty()) return {0, {}};
  std::pair<double, Ids> best{-1e300, {}};
  const auto offer = [&](std::size_t begin, double score, std::uint32_t id) {
    auto way = best_of_all_ways(word.substr(0, begin), pieces, unknown_score);
    if (way.first + score <= best.first) return;
    way.second.push_back(id);
    best = {way.first + score, std::move(way.second)};
  };
  bool is_known = false;
  for (std::size_t begin = 0; begin < word.size(); ++begin) {
    for (std::uint32_t id = 0; id < pieces.size(); ++id) {
      if (word.substr(begin) != pieces[id].first) continue;
      is_known |= begin + 1 == word.size();
      offer(begin, pieces[id].second, id);
    }
  }
  if (!is_known) offer(word.size() - 1, unknown_score, unknown);
  return best;
}

Ids fused(const Ids& ids) {
  Ids result;
  for (const std::uint32_t id : ids)
    if (id != unknown || result.empty() || result.back() != unknown) result.push_back(id);
  return result;
}

Unigram model_of(const Pieces& pieces, UnigramSettings settings = {}) {
  std::vector<std::pair<std::string, std::uint32_t>> tokens;
  for (const auto& [piece, score] : pieces) {
    tokens.emplace_back(piece, static_cast<std::uint32_t>(tokens.size()));
    settings.scores.push_back(score);
  }
  return Unigram(Vocabulary(std::move(tokens), "pieces"), std::move(settings));
}

Ids ids_of(const Unigram& model, std::string_view text, bool begins_sentence = true) {
  Ids ids{77};  // of earlier words
  model.encode(text, begins_sentence, 1000, ids);
  EXPECT_EQ(ids.front(), 77u);
  ids.erase(ids.begin());
  return ids;
}

/// The mark is none of the pieces, so words are given without one.
TEST(Unigram, FindsTheBestOfAllWaysToCutAWord) {
  PhiloxStream random(7, 0);
  const auto random_word = [&](std::string_view letters, std::uint32_t longest) {
    std::string word;
    for (std::uint32_t length = 1 + random.below(longest); length > 0; --length)
      word += letters[random.below(static_cast<std::uint32_t>(letters.size()))];
    return word;
  };
  std::size_t with_unknown = 0;
  for (int round = 0; round < 40; ++round) {
    std::map<std::string, double> chosen;
    for (int piece = 0; piece < 14; ++piece) chosen[random_word("abc", 4)] = -1 - 9.0 * random.below(100000) / 100000;
    Pieces pieces{{"?", -3}};
    pieces.insert(pieces.end(), chosen.begin(), chosen.end());
    double least = -3;
    for (const auto& [piece, score] : chosen) least = std::min(least, score);
    const Unigram model = model_of(pieces, {.prefix = PrefixMark::never});
    for (int i = 0; i < 30; ++i) {
      const std::string word = random_word("abcz", 9);
      const Ids expected = fused(best_of_all_ways(word, pieces, least - 10).second);
      EXPECT_EQ(ids_of(model, word), expected) << word;
      with_unknown += std::count(expected.begin(), expected.end(), unknown) > 0;
    }
  }
  EXPECT_GT(with_unknown, 100u);
}

/// The way is taken whose last piece begins first.
TEST(Unigram, TakesTheLongerLastPieceOfEqualWays) {
  const Unigram model =
      model_of({{"?", 0}, {"a", -1}, {"ab", -2}, {"b", -1}, {"c", -2}, {"bc", -3}}, {.prefix = PrefixMark::never});
  EXPECT_EQ(ids_of(model, "ab"), (Ids{2}));
  EXPECT_EQ(ids_of(model, "abc"), (Ids{1, 5}));
}

TEST(Unigram, TakesUnknownCharactersTogether) {
  const Unigram model = model_of({{"?", 0}, {"a", -1}, {"?z", -2}, {"\u2581", -1}});
  EXPECT_EQ(model.unknown_id(), unknown);
  EXPECT_EQ(ids_of(model, "xy\u00e9a\U0001F600xa"), (Ids{3, 0, 1, 0, 1}));
  EXPECT_EQ(ids_of(model, "x?y"), (Ids{3, 0})) << "text of the unknown token is unknown";
  EXPECT_EQ(ids_of(model, "xx xx"), (Ids{3, 0, 3, 0})) << "words are separate";
}

/// A cut of unknown characters that spell a token is that token, which scores over 20 make possible.
TEST(Unigram, LooksUpUnknownCharactersTogether) {
  const Unigram model = model_of({{"?", 100}, {"xy", 30}, {"\u2581", 30}});
  EXPECT_EQ(ids_of(model, "xy"), (Ids{2, 1}));
  EXPECT_EQ(ids_of(model, "xyx"), (Ids{2, 0}));
}

TEST(Unigram, SetsMarksAsTheSettingsSay) {
  const Pieces pieces{{"?", 0},  {"\u2581a", -1}, {"a", -2},       {"\u2581", -3}, {"\u2581\u2581", -4},
                      {"b", -2}, {"\t", -5},      {"a\u2581a", -1}};
  const auto ids = [&](std::string_view text, UnigramSettings settings, bool begins_sentence = true) {
    return ids_of(model_of(pieces, std::move(settings)), text, begins_sentence);
  };
  using enum PrefixMark;
  EXPECT_EQ(ids("a a", {}), (Ids{1, 1}));
  EXPECT_EQ(ids(" a  a ", {}), (Ids{1, 3, 1, 3}));
  EXPECT_EQ(ids("a\ta", {}), (Ids{1, 6, 2})) << "a tab does not end a word";
  EXPECT_EQ(ids("a\u2581\u2581ab", {}), (Ids{1, 3, 1, 5}));
  EXPECT_EQ(ids("a", {}, false), (Ids{1}));
  EXPECT_EQ(ids("a b", {.prefix = first}), (Ids{1, 3, 5}));
  EXPECT_EQ(ids("a b", {.prefix = first}, false), (Ids{2, 3, 5}));
  EXPECT_EQ(ids(" a", {.prefix = first}, false), (Ids{1}));
  EXPECT_EQ(ids("a a", {.prefix = never}), (Ids{2, 1}));
  EXPECT_EQ(ids(" a\t\u3000 a ", {.splits_white_space = true}), (Ids{1, 1}));
  EXPECT_EQ(ids("a a\u2581a", {.splits_white_space = true, .prefix = never}), (Ids{2, 2, 1}));
  EXPECT_EQ(ids("a a", {.splits_white_space = true, .prefix = first}), (Ids{1, 2}));
  EXPECT_EQ(ids(" a", {.splits_white_space = true, .prefix = first}), (Ids{2})) << "not at the sentence's beginning";
  EXPECT_EQ(ids("a  a", {.splits_marks = false}), (Ids{1, 3, 1}));
  EXPECT_EQ(ids("  aa a", {.splits_marks = false}), (Ids{3, 1, 7}));
  EXPECT_EQ(ids("a a", {.prefix = never, .splits_marks = false}), (Ids{7}));
  EXPECT_EQ(ids("a\u2581a\ta", {.splits_white_space = true, .prefix = never, .splits_marks = false}), (Ids{7, 2}));
  EXPECT_EQ(ids("", {}), Ids{});
  EXPECT_EQ(ids(" ", {}), Ids{3});
  EXPECT_EQ(ids(" ", {.splits_white_space = true}), Ids{});
}

/// Words of each length around those of the cache's entries, from the cache and made again.
TEST(Unigram, CutsLongWordsAsShortOnes) {
  const Unigram model = model_of({{"?", 0}, {"\u2581", -1}, {"a", -1}, {"aaa", -2}, {"\u00e9", -1}});
  for (std::size_t length = 1; length < 90; ++length) {
    const std::string word(length, 'a');
    Ids expected{1};
    expected.insert(expected.end(), length / 3, 3);
    // Each way of as many pieces is as good; the last piece is the longest one.
    expected.insert(expected.begin() + 1, length % 3, 2);
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(ids_of(model, word), expected) << length;
      Ids both = expected;
      both.insert(both.end(), expected.begin(), expected.end());
      EXPECT_EQ(ids_of(model, concat(word, " ", word)), both) << length;
    }
    Ids accented = expected;
    accented.push_back(4);
    EXPECT_EQ(ids_of(model, word + "\u00e9"), accented) << length;
  }
}

}  // namespace
}  // namespace gausscse
