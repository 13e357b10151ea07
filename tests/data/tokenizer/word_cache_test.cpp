#include "data/tokenizer/word_cache.hpp"

#include "base/philox.hpp"
#include "data/tokenizer/byte_level_bpe.hpp"
#include "data/tokenizer/text_block.hpp"
#include "data/tokenizer/utf8_text.hpp"
#include "data/tokenizer/word_piece.hpp"
#include "small_tokenizers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Ids = std::vector<std::uint32_t>;

std::string random_bytes(PhiloxStream& random, std::size_t length, std::string_view letters) {
  std::string bytes;
  for (std::size_t i = 0; i < length; ++i) bytes += letters[random.below(static_cast<std::uint32_t>(letters.size()))];
  return bytes;
}

TEST(TextBlock, HasTheBytesOfTheTextAndZerosBehindIt) {
  for (std::size_t size = 1; size < 40; ++size) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(200 - i);
    for (std::size_t begin = 0; begin < size; ++begin) {
      const TextBlock block = text_block(text, begin);
      std::string expected = text.substr(begin, TextBlock::bytes);
      expected.resize(TextBlock::bytes, '\0');
      EXPECT_EQ(std::string(reinterpret_cast<const char*>(&block), sizeof block), expected) << size << " " << begin;
    }
  }
}

TEST(TextBlock, FindsLettersAndDigitsAtEveryPlace) {
  for (int byte = 0; byte < 256; ++byte) {
    const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    const bool digit = byte >= '0' && byte <= '9';
    for (std::size_t place = 0; place < TextBlock::bytes; ++place) {
      // The neighbours are the largest and the smallest byte, whose sums would carry over.
      std::string text(TextBlock::bytes, place % 2 != 0 ? '\xff' : '\0');
      text[place] = static_cast<char>(byte);
      const auto has_only_place = [&](const TextBlock& set, bool has) {
        std::string expected(TextBlock::bytes, '\0');
        if (has) expected[place] = '\x80';
        return std::string(reinterpret_cast<const char*>(&set), sizeof set) == expected;
      };
      EXPECT_TRUE(has_only_place(ascii_letters(text_block(text, 0)), letter)) << byte << " at " << place;
      EXPECT_TRUE(has_only_place(ascii_digits(text_block(text, 0)), digit)) << byte << " at " << place;
    }
  }
  for (std::size_t length = 0; length <= TextBlock::bytes; ++length) {
    std::string text = std::string(length, 'q') + "." + std::string(TextBlock::bytes, 'q');
    EXPECT_EQ(leading_bytes(ascii_letters(text_block(text, 0))), length);
  }
}

// Ids of a word that a tokenizer could give: up to five, which depend on every byte, on the length and on the
// tokenizer.
Ids made_ids(std::string_view word, std::uint32_t owner) {
  std::uint32_t sum = owner;
  for (const char byte : word) sum = sum * 31 + static_cast<unsigned char>(byte) + 1;
  Ids ids;
  for (std::uint32_t i = 0; i < sum % 6; ++i) ids.push_back(sum + i);
  return ids;
}

/// A map that was emptied gives the words again.
TEST(WordCache, KeepsTheLastWordsThatHaveNoEntry) {
  WordCache cache(1);
  for (std::uint32_t i = 0; i < 30000; ++i) {
    const std::string word = "a word without entry " + std::to_string(i % 20000);
    Ids ids{i}, other{i};
    const bool is_known = cache.append_other(word, 1, ids);
    EXPECT_EQ(ids, (is_known ? Ids{i, i % 20000, 2, 3, 4} : Ids{i})) << i;
    EXPECT_FALSE(cache.append_other(word, 2, other)) << "another tokenizer's";
    if (!is_known) cache.put_other(word, 1, Ids{i % 20000, 2, 3, 4});
    ids = {5};
    ASSERT_TRUE(cache.append_other(word, 1, ids));
    EXPECT_EQ(ids, (Ids{5, i % 20000, 2, 3, 4}));
  }
}

TEST(WordCache, OfAnySizeGivesTheIdsOfTheWords) {
  for (const std::size_t sets : {1, 2, 64}) {
    WordCache cache(sets);
    PhiloxStream random(sets, 0);
    const std::uint32_t owners[] = {WordCache::new_owner(), WordCache::new_owner()};
    ASSERT_NE(owners[0], owners[1]);
    std::size_t made = 0;
    std::size_t words = 0;
    for (int text_number = 0; text_number < 700; ++text_number) {
      const std::uint32_t owner = owners[random.below(2)];
      Ids ids = {7};
      Ids expected = ids;
      const auto make = [&](std::string_view word, Ids& out) {
        ++made;
        const Ids own = made_ids(word, owner);
        out.insert(out.end(), own.begin(), own.end());
      };
      WordQueue queue(cache, owner, ids, make);
      // Few distinct words, some of which differ in a zero byte at their end, the last byte or the length alone.
      std::vector<std::string> texts(random.below(80));
      for (std::string& text : texts) {
        if (random.below(9) == 0) {
          // A long word, and one that is too long to be kept.
          text = std::string(WordKey::longest + 1 + random.below(60), 'l') + random_bytes(random, 1, {"a\0", 2});
          const Ids own = made_ids(text, owner);
          expected.insert(expected.end(), own.begin(), own.end());
          queue.append_long(text);
          continue;
        }
        const std::size_t length = random.below(2) != 0 ? random.below(3) : WordKey::longest - random.below(2);
        text = random_bytes(random, length, {"a\0", 2});
        if (length > 3) text.replace(0, length - 2, length - 2, 'b');
        const Ids own = made_ids(text, owner);
        expected.insert(expected.end(), own.begin(), own.end());
        queue.append(text_block(text + std::string(TextBlock::bytes, 'z'), 0), text.size(), text.data());
      }
      queue.finish();
      ASSERT_EQ(ids, expected) << "text " << text_number << ", " << sets << " sets";
      words += texts.size();
    }
    EXPECT_LT(made, words);
    // Words of four or five ids are in the map; in the large cache all others have an entry.
    if (sets == 64) {
      EXPECT_LT(made, words / 2);
    }
  }
}

// A vocabulary in which words of a's and b's have pieces, and of c's alone have none.
Vocabulary small_vocabulary() {
  return Vocabulary({{"[UNK]", 0},
                     {"a", 1},
                     {"##a", 2},
                     {"ab", 3},
                     {"##b", 4},
                     {"##ab", 5},
                     {"b", 6},
                     {".", 7},
                     {"e", 8},
                     {"##e", 9},
                     {"\u4e2d", 10},
                     {"\u0301", 11},
                     {"##\u0301", 12},
                     {"\u00e9", 13},
                     {"A", 14}},
                    "test");
}

// Encodes with and without the cache.
void expect_same_ids(const WordPiece& model, const std::string& text) {
  Ids directly;
  model.encode(text, true, text.size() + 1, directly);
  std::string buffer;
  Ids normalized;
  model.encode_normalized(model.normalize(text, buffer), true, text.size() * 4 + 1, normalized);
  ASSERT_EQ(directly, normalized) << text;
}

TEST(WordPiece, GivesTheSameIdsForMoreWordsThanTheCacheHas) {
  const WordPiece model(small_vocabulary(), {}, "test");
  PhiloxStream random(5, 0);
  // The cache of a thread grows to 2^18 entries.
  std::string text;
  for (int word = 0; word < 400000; ++word) text += random_bytes(random, 13 + random.below(5), "ab") + " ";
  expect_same_ids(model, text);
  expect_same_ids(model, text);
}

TEST(WordPiece, NormalizesPartsOfATextAsItNormalizesTheWhole) {
  const std::vector<std::string> parts = {
      "a",      "b",      "A",    "e",    " ",      " ",      "\t", ".",        "\u0301", "\u0327", "\u00e9", "\u4e2d",
      "\u00a0", "\u3000", "\x01", "\x7f", "\u0130", "\ufffd", "c",  "abababab", "\u0345", "\u00ad", "\u1e69", "0"};
  PhiloxStream random(6, 0);
  for (unsigned flags = 0; flags < 16; ++flags) {
    WordPieceSettings settings;
    settings.normalizer = {(flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, (flags & 8) != 0};
    settings.max_characters_per_word = 9;
    const WordPiece model(small_vocabulary(), settings, "test");
    for (int round = 0; round < 3000; ++round) {
      std::string text;
      for (std::uint32_t i = random.below(14); i > 0; --i)
        text += parts[random.below(static_cast<std::uint32_t>(parts.size()))];
      expect_same_ids(model, text);
    }
  }
}

TEST(ByteLevelBpe, CutsASCIIWordsWhereThePatternDoes) {
  const auto tokenizer = make_tokenizer(small_byte_level_files());
  const std::vector<std::string> parts = {"h",  "e",      "he",     "HE",     " ",          " ",
                                          "\n", "'s",     "'",      "5",      ".",          "\u00e9",
                                          "_",  "\u3000", "\u0301", "\u0663", "hehehehehe", std::string(15, 'h')};
  PhiloxStream random(7, 0);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::uint32_t i = random.below(12); i > 0; --i)
      text += parts[random.below(static_cast<std::uint32_t>(parts.size()))];
    // The vocabulary has the bytes from id 4 on, "he" and " he"; these are the merges.
    Ids expected = {0};
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = byte_level_word_end(text, begin);
      for (std::size_t i = begin; i < end;) {
        const std::string_view rest = std::string_view(text).substr(i, end - i);
        const std::size_t space = i == begin && rest[0] == ' ' ? 1 : 0;
        const bool merged = rest.substr(space, 2) == "he";
        if (merged) {
          expected.push_back(space != 0 ? 261 : 260);
          i += 2 + space;
        } else {
          expected.push_back(4 + static_cast<unsigned char>(text[i++]));
        }
      }
      begin = end;
    }
    expected.push_back(2);
    Ids ids;
    tokenizer->encode(text, 1000, ids);
    ASSERT_EQ(ids, expected) << text;
  }
}

}  // namespace
}  // namespace gausscse
