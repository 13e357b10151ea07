#include "base/philox.hpp"
#include "data/tokenizer/byte_level_bpe.hpp"
#include "data/tokenizer/byte_trie.hpp"
#include "data/tokenizer/utf8_text.hpp"
#include "data/tokenizer/word_piece.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

std::string random_word(PhiloxStream& random, std::string_view letters, std::size_t longest) {
  std::string word;
  for (std::uint32_t length = random.below(static_cast<std::uint32_t>(longest) + 1); length > 0; --length)
    word += letters[random.below(static_cast<std::uint32_t>(letters.size()))];
  return word;
}

TEST(ByteTrie, FindsWhatAMapFinds) {
  PhiloxStream random(1, 0);
  std::string letters;
  for (int byte = 0; byte < 256; ++byte) letters.push_back(static_cast<char>(byte));
  for (const std::string_view alphabet : {std::string_view("ab"), std::string_view(letters)}) {
    std::map<std::string, std::uint32_t> map;
    for (std::uint32_t i = 0; i < 600; ++i) map.emplace(random_word(random, alphabet, 6), i);
    const ByteTrie trie({map.begin(), map.end()});
    for (int i = 0; i < 3000; ++i) {
      const std::string word = random_word(random, alphabet, 8);
      const auto exact = map.find(word);
      EXPECT_EQ(trie.find(word), exact != map.end() ? exact->second : ByteTrie::none);
      std::size_t length = word.size();
      while (length > 0 && !map.contains(word.substr(0, length))) --length;
      const ByteTrie::Prefix prefix = trie.longest_prefix(word);
      EXPECT_EQ(prefix.length, length);
      EXPECT_EQ(prefix.value, length > 0 ? map.at(word.substr(0, length)) : ByteTrie::none);
    }
  }
}

TEST(ByteTrie, WithoutKeysFindsNothing) {
  const ByteTrie trie;
  EXPECT_EQ(trie.find(""), ByteTrie::none);
  EXPECT_EQ(trie.find("a"), ByteTrie::none);
  EXPECT_EQ(trie.longest_prefix("abc").length, 0u);
}

// Merges by looking at every pair each time.
std::vector<MergeTable::Symbol> merge_by_brute_force(
    std::vector<MergeTable::Symbol> symbols,
    const std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, std::uint32_t>>& merges) {
  while (true) {
    std::optional<std::pair<std::uint32_t, std::size_t>> best;  // rank, position
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto found = merges.find({symbols[i], symbols[i + 1]});
      if (found != merges.end() && (!best || found->second.first < best->first)) best = {{found->second.first, i}};
    }
    if (!best) return symbols;
    const std::size_t at = best->second;
    symbols[at] = merges.at({symbols[at], symbols[at + 1]}).second;
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

TEST(MergeTable, MergesShortAndLongWordsAsBruteForceDoes) {
  PhiloxStream random(2, 0);
  for (int round = 0; round < 40; ++round) {
    // Random merges of tokens that earlier merges made, as training gives them.
    std::vector<std::string> names = {"a", "b", "c"};
    std::set<std::string> known(names.begin(), names.end());
    std::set<std::pair<std::string, std::string>> pairs;
    std::vector<std::pair<std::string, std::string>> merges;
    while (merges.size() < 25) {
      const std::string left = names[random.below(static_cast<std::uint32_t>(names.size()))];
      const std::string right = names[random.below(static_cast<std::uint32_t>(names.size()))];
      if (left.size() + right.size() > 12 || !pairs.emplace(left, right).second) continue;
      merges.emplace_back(left, right);
      if (known.insert(left + right).second) names.push_back(left + right);
    }
    std::vector<std::pair<std::string_view, std::uint32_t>> tokens;
    for (const std::string& name : known) tokens.emplace_back(name, 0);
    const auto symbol = [&](const std::string& name) {
      return static_cast<MergeTable::Symbol>(std::distance(known.begin(), known.find(name)));
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, std::uint32_t>> table;
    for (std::uint32_t rank = 0; rank < merges.size(); ++rank) {
      const auto& [left, right] = merges[rank];
      table[{symbol(left), symbol(right)}] = {rank, symbol(left + right)};
    }
    const MergeTable merge_table(tokens, merges, "test");
    for (std::size_t length = 0; length < 120; ++length) {
      std::vector<MergeTable::Symbol> symbols;
      for (std::size_t i = 0; i < length; ++i) symbols.push_back(symbol(std::string(1, "abc"[random.below(3)])));
      const auto expected = merge_by_brute_force(symbols, table);
      merge_table.merge(symbols);
      ASSERT_EQ(symbols, expected) << "length " << length;
    }
  }
}

TEST(Vocabulary, HasTheLinesThatMakeIt) {
  const std::string texts[] = {"a\nb\nc\n",
                               "a\nb\nc",
                               "a\r\nb \nc\t\n",
                               "a\n\nb\nc\n",
                               "a\nb\nc\nd\n",
                               "a\nb\n",
                               "b\na\nc\n",
                               "a\nb\na\n",
                               "\n\n",
                               "",
                               "a\nb\nc\n\n\n",
                               "a\nb\n\xFF\n",
                               "\xEF\xBB\xBF"
                               "a\nb\nc\n",
                               "a\nb\nc\xE3\x80\x80\n",
                               " a\nb\nc\n"};
  const auto read = [](const std::string& text) -> std::optional<Vocabulary> {
    try {
      return Vocabulary::from_lines(text, "test");
    } catch (const InputError&) {
      return std::nullopt;
    }
  };
  int equal = 0;
  for (const std::string& own : texts) {
    const std::optional<Vocabulary> vocabulary = read(own);
    if (!vocabulary) continue;
    for (const std::string& text : texts) {
      const std::optional<Vocabulary> other = read(text);
      EXPECT_EQ(vocabulary->has_lines(text), other && other->entries() == vocabulary->entries()) << own << "|" << text;
      equal += vocabulary->has_lines(text);
    }
  }
  EXPECT_EQ(equal, 30);
}

TEST(Vocabulary, IdsMayHaveGapsAndNoOrder) {
  // With few gaps ids are counted, with large ones they are sorted.
  for (const std::uint32_t gap : {1u, 3u, 1'000'000u}) {
    const Vocabulary vocabulary({{"c", 0}, {"a", 2 * gap}, {"b", gap}}, "test");
    EXPECT_EQ(vocabulary.id_limit(), 2 * gap + 1);
    for (const std::uint32_t id : {0u, gap, 2 * gap}) EXPECT_TRUE(vocabulary.has_id(id));
    EXPECT_EQ(vocabulary.has_id(2), gap == 1);
    EXPECT_FALSE(vocabulary.has_id(2 * gap + 1));
    EXPECT_EQ(vocabulary.find("b"), gap);
    EXPECT_THROW(Vocabulary({{"a", gap}, {"b", 0}, {"c", gap}}, "test"), InputError);
  }
}

TEST(WordPiece, TakesTheLongestPieceFromTheLeft) {
  PhiloxStream random(3, 0);
  for (int round = 0; round < 30; ++round) {
    std::map<std::string, std::uint32_t> tokens = {{"[UNK]", 0}};
    for (std::uint32_t i = 1; i < 30; ++i) {
      const std::string piece = random_word(random, "abc", 4);
      if (!piece.empty()) tokens.emplace(random.below(2) != 0 ? "##" + piece : piece, i);
    }
    const Vocabulary vocabulary({tokens.begin(), tokens.end()}, "test");
    WordPieceSettings settings;
    settings.max_characters_per_word = 12;
    const WordPiece word_piece(vocabulary, settings, "test");
    for (int i = 0; i < 200; ++i) {
      const std::string word = random_word(random, "abc", 14);
      std::vector<std::uint32_t> expected;
      bool known = word.size() <= 12;
      for (std::size_t begin = 0; known && begin < word.size();) {
        std::size_t end = word.size();
        const auto piece = [&] { return (begin > 0 ? "##" : "") + word.substr(begin, end - begin); };
        while (end > begin && !tokens.contains(piece())) --end;
        known = end > begin;
        if (known) expected.push_back(tokens.at(piece()));
        begin = end;
      }
      if (!known) expected = {0};
      std::vector<std::uint32_t> ids;
      word_piece.encode(word, true, 1000, ids);
      EXPECT_EQ(ids, expected) << word;
      ids.clear();
      word_piece.encode_normalized(word, true, 1000, ids);
      EXPECT_EQ(ids, expected) << word;
    }
  }
}

std::vector<std::string> split_byte_level(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = byte_level_word_end(text, begin);
    words.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

TEST(ByteLevelWords, FollowThePattern) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(split_byte_level("I'll say it's 10 o'clock!"),
            (Words{"I", "'ll", " say", " it", "'s", " 10", " o", "'", "clock", "!"}));
  EXPECT_EQ(split_byte_level("  a   b \n c\n\n"), (Words{" ", " a", "  ", " b", " \n", " c", "\n\n"}));
  EXPECT_EQ(split_byte_level("\na 'S '' 're"), (Words{"\n", "a", " '", "S", " ''", " '", "re"}));
  EXPECT_EQ(split_byte_level("x1y  "), (Words{"x", "1", "y", "  "}));
  EXPECT_EQ(split_byte_level("a\u00a0b\u3000 \u4e2d\u0663\u0301"),
            (Words{"a", "\u00a0", "b", "\u3000", " \u4e2d", "\u0663", "\u0301"}));
  EXPECT_EQ(split_byte_level("'l 'r '"), (Words{"'", "l", " '", "r", " '"}));
}

TEST(ByteLevelAlphabet, GivesEveryByteACharacterOfItsOwn) {
  std::set<char32_t> seen;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char32_t c = byte_level_character(static_cast<unsigned char>(byte));
    seen.insert(c);
    std::string token;
    append_utf8(c, token);
    EXPECT_EQ(byte_level_bytes(token), std::string(1, static_cast<char>(byte)));
  }
  EXPECT_EQ(seen.size(), 256u);
  EXPECT_EQ(byte_level_character(' '), U'\u0120');
  EXPECT_EQ(byte_level_character(0xAD), U'\u0143');
  EXPECT_EQ(byte_level_bytes("a b"), std::nullopt);
  EXPECT_EQ(byte_level_bytes("\u4e2d"), std::nullopt);
  EXPECT_EQ(byte_level_bytes("\u0144"), std::nullopt);
}

TEST(Utf8Text, ReplacesEachMaximalIllFormedPart) {
  const auto repaired = [](std::string_view bytes) {
    std::string out;
    append_repaired_utf8(bytes, out);
    return out;
  };
  const std::string r = "\uFFFD";
  EXPECT_EQ(repaired(""), "");
  EXPECT_EQ(repaired("a\u00e9\U0001f600"), "a\u00e9\U0001f600");
  EXPECT_EQ(repaired("\xff"
                     "a\x80"),
            r + "a" + r);
  EXPECT_EQ(repaired("\xe2\x82"), r);
  EXPECT_EQ(repaired("\xe2\x82x\xf0\x9f\x98x"), r + "x" + r + "x");
  EXPECT_EQ(repaired("\xed\xa0\x80"), r + r + r);
  EXPECT_EQ(repaired("\xc0\xaf\xe0\x80\xaf"), r + r + r + r + r);
  EXPECT_EQ(repaired("\xf4\x90\x80\x80\xf5"), r + r + r + r + r);
  EXPECT_EQ(repaired("\xf0\x9f\xe2\x82\xac"), r + "\u20ac");
}

}  // namespace
}  // namespace gausscse
