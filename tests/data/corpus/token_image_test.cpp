#include "data/corpus/token_image.hpp"

#include <cstring>

#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/disturbances.hpp"

namespace gausscse {
namespace {

using testing_support::input_error;
using Numbers = std::vector<std::uint32_t>;

const std::string key(32, 'k');

/// Three sentences of ids 1 2 | 3 | 4 5 6, one triple, one message.
TokenizedSentences small_tokens(std::size_t id_bytes) {
  TokenizedSentences tokens;
  tokens.id_bytes = id_bytes;
  tokens.offsets = {0, 2, 3, 6};
  std::string ids;
  for (std::uint32_t id = 1; id <= 6; ++id) {
    ids.append(reinterpret_cast<const char*>(&id), id_bytes);
  }
  tokens.id_parts = {ids.substr(0, 3 * id_bytes), ids.substr(3 * id_bytes)};
  tokens.cut_sentences = 1;
  return tokens;
}

TokenImageContent small_content() {
  TokenImageContent content;
  content.key = key;
  content.vocabulary_size = 7;
  content.roles = 3;
  content.example_sentences = {0, 1, 2};
  content.counts.pairs = 11;
  content.counts.sentences = 3;
  content.bad_line_messages = {"one", "two"};
  return content;
}

/// Returns the same sentences as two pairs with labels.
TokenImageContent labelled_content() {
  TokenImageContent content = small_content();
  content.roles = 2;
  content.example_sentences = {0, 1, 2, 1};
  content.labels = {2, 0};
  content.groups = {0, 2};
  return content;
}

/// An image in memory that begins at a multiple of 8.
class Image {
 public:
  Image(const TokenizedSentences& tokens, const TokenImageContent& content) {
    const TokenImageParts parts(tokens, content);
    std::string joined;
    for (const std::string_view part : parts.image().parts()) joined += part;
    EXPECT_EQ(joined.size(), parts.image().size());
    assign(joined);
  }
  void assign(std::string_view bytes) {
    words_.assign(bytes.size() / 8 + 1, 0);
    std::memcpy(words_.data(), bytes.data(), bytes.size());
    size_ = bytes.size();
  }
  std::string_view bytes() const { return {reinterpret_cast<const char*>(words_.data()), size_}; }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
};

TEST(TokenImage, GivesBackWhatWentIn) {
  for (const std::size_t id_bytes : {2u, 4u}) {
    const Image image(small_tokens(id_bytes), small_content());
    const TokenImageView view = view_token_image(image.bytes(), key);
    EXPECT_EQ(std::vector<std::uint64_t>(view.offsets.begin(), view.offsets.end()),
              (std::vector<std::uint64_t>{0, 2, 3, 6}));
    const Numbers ids = id_bytes == 2 ? Numbers(view.narrow_ids.begin(), view.narrow_ids.end())
                                      : Numbers(view.wide_ids.begin(), view.wide_ids.end());
    EXPECT_EQ(ids, (Numbers{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(view.roles, 3u);
    EXPECT_EQ(Numbers(view.example_sentences.begin(), view.example_sentences.end()), (Numbers{0, 1, 2}));
    EXPECT_EQ(view.cut_sentences, 1u);
    EXPECT_EQ(view.counts, small_content().counts);
    EXPECT_EQ(view.bad_line_messages, (std::vector<std::string>{"one", "two"}));
  }
}

TEST(TokenImage, GivesBackPairsAndSentencesWithoutExamples) {
  TokenImageContent content = small_content();
  content.roles = 2;
  content.example_sentences = {0, 1, 2, 2, 0, 1};
  const Image pairs(small_tokens(2), content);
  const TokenImageView view = view_token_image(pairs.bytes(), key);
  EXPECT_EQ(view.roles, 2u);
  EXPECT_EQ(Numbers(view.example_sentences.begin(), view.example_sentences.end()), (Numbers{0, 1, 2, 2, 0, 1}));
  content.roles = 0;
  content.example_sentences.clear();
  const Image none(small_tokens(2), content);
  EXPECT_EQ(view_token_image(none.bytes(), key).roles, 0u);
  EXPECT_TRUE(view_token_image(none.bytes(), key).example_sentences.empty());
}

TEST(TokenImage, GivesBackLabelsAndGroups) {
  for (const std::size_t id_bytes : {2u, 4u}) {
    const Image image(small_tokens(id_bytes), labelled_content());
    const TokenImageView view = view_token_image(image.bytes(), key);
    EXPECT_EQ(Numbers(view.example_sentences.begin(), view.example_sentences.end()), (Numbers{0, 1, 2, 1}));
    EXPECT_EQ(Numbers(view.labels.begin(), view.labels.end()), (Numbers{2, 0}));
    EXPECT_EQ(Numbers(view.groups.begin(), view.groups.end()), (Numbers{0, 2}));
    EXPECT_EQ(view.narrow_ids.size() + view.wide_ids.size(), 6u);
    EXPECT_EQ(view.bad_line_messages, (std::vector<std::string>{"one", "two"}));
  }
  const Image without(small_tokens(2), small_content());
  EXPECT_TRUE(view_token_image(without.bytes(), key).labels.empty());
  EXPECT_TRUE(view_token_image(without.bytes(), key).groups.empty());
}

TEST(TokenImage, FindsEveryFlippedBitAndEveryCut) {
  const Image whole(small_tokens(2), small_content());
  const std::string bytes(whole.bytes());
  Image damaged = whole;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    damaged.assign(flipped);
    EXPECT_THROW(view_token_image(damaged.bytes(), key), InputError) << bit;
  }
  testing_support::count_disturbance("flipped bits in files", 8 * bytes.size());
  testing_support::count_disturbance("files cut short", bytes.size());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    damaged.assign(bytes.substr(0, size));
    EXPECT_THROW(view_token_image(damaged.bytes(), key), InputError) << size;
  }
  damaged.assign(bytes + std::string(8, '\0'));
  EXPECT_HAS(input_error([&] { view_token_image(damaged.bytes(), key); }),
             "its length differs from that in the header");
  EXPECT_HAS(input_error([&] { view_token_image(whole.bytes(), std::string(32, 'x')); }), "made from something else");
}

TEST(TokenImage, ChecksContentWithMatchingHashes) {
  const auto message = [](const TokenizedSentences& tokens, const TokenImageContent& content) {
    const Image image(tokens, content);
    return input_error([&] { view_token_image(image.bytes(), key); });
  };
  TokenImageContent content = small_content();
  content.vocabulary_size = 6;
  EXPECT_HAS(message(small_tokens(2), content), "a token id is outside the vocabulary");
  EXPECT_HAS(message(small_tokens(4), content), "a token id is outside the vocabulary");
  content = small_content();
  content.example_sentences = {0, 3, 1};
  EXPECT_HAS(message(small_tokens(2), content), "an example has the number of a sentence that does not exist");
  content.roles = 2;
  content.example_sentences = {0, 1, 2, 3};
  EXPECT_HAS(message(small_tokens(2), content), "an example has the number of a sentence that does not exist");
  for (const std::size_t roles : {1, 4}) {
    content.roles = roles;
    content.example_sentences = {0, 1, 2, 0};
    EXPECT_HAS(message(small_tokens(2), content), "its examples have neither 2 nor 3 sentences");
  }
  content = labelled_content();
  content.labels = {0, 3};
  EXPECT_HAS(message(small_tokens(2), content), "a label is none of the three");
  content.labels = {0xFFFFFFFF, 0};
  EXPECT_HAS(message(small_tokens(2), content), "a label is none of the three");
  content = labelled_content();
  content.groups = {3, 0};
  EXPECT_HAS(message(small_tokens(2), content), "a group has the number of a sentence that does not exist");
  content.labels = content.groups = {0};
  EXPECT_HAS(message(small_tokens(2), content), "it has labels for some of its examples alone");
  content.labels = content.groups = {0, 1, 2};
  EXPECT_HAS(message(small_tokens(2), content), "it has labels for some of its examples alone");
  TokenizedSentences tokens = small_tokens(2);
  tokens.offsets = {0, 4, 3, 6};
  EXPECT_HAS(message(tokens, small_content()), "its offsets are not in order");
  tokens.offsets = {1, 2, 3, 6};
  EXPECT_HAS(message(tokens, small_content()), "its offsets do not span its ids");
  tokens = small_tokens(2);
  tokens.id_bytes = 3;
  EXPECT_HAS(message(tokens, small_content()), "the width of its ids");
}

TEST(TokenImage, IsMadeOfWholeExamples) {
  TokenImageContent content = small_content();
  for (const std::size_t roles : {0, 2}) {
    content.roles = roles;
    EXPECT_THROW(TokenImageParts(small_tokens(2), content), std::logic_error) << roles;
  }
  content = labelled_content();
  content.groups.pop_back();
  EXPECT_THROW(TokenImageParts(small_tokens(2), content), std::logic_error);
}

}  // namespace
}  // namespace gausscse
