#include "data/corpus/token_image.hpp"

#include <span>

#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/disturbances.hpp"

namespace gausscse {
namespace {

using Numbers = std::vector<std::uint32_t>;

const std::string key(32, 'k');

/// Contents of an image: three sentences of ids 1 2 | 3 | 4 5 6, one triple, one message.
struct ImageContent {
  std::size_t vocabulary_size = 7;
  TokenizedSentences tokens{.id_bytes = 2, .offsets = {0, 2, 3, 6}, .ids = {}, .counts = {}};
  TrainingCorpus corpus;
  Numbers groups;

  explicit ImageContent(std::size_t id_bytes = 2) {
    tokens.id_bytes = id_bytes;
    tokens.counts = {{.sentences = 2, .cut = 1, .tokens = 5, .unknown = 4, .unknown_of_example = 3, .example = "x"},
                     {.sentences = 1, .tokens = 2}};
    for (const Numbers& piece : {Numbers{1, 2}, Numbers{3, 4, 5, 6}}) {
      tokens.ids.emplace_back();
      for (const std::uint32_t id : piece) tokens.ids.back().append(reinterpret_cast<const char*>(&id), id_bytes);
    }
    corpus.roles = 3;
    corpus.example_sentences = {0, 1, 2};
    corpus.counts.pairs = 11;
    corpus.counts.conflicting = 5;
    corpus.counts.sentences = 3;
    corpus.bad_line_messages = {"one", "two"};
  }

  std::string image() const {
    std::string bytes;
    const TokenImage image(key, vocabulary_size, tokens, corpus, groups);
    for (const std::string_view piece : image.pieces()) bytes += piece;
    return bytes;
  }
  std::string message() const {
    const std::string bytes = image();
    return input_error([&] { view_token_image(bytes, key); });
  }
};

/// Returns the content of the same sentences as two pairs with labels.
ImageContent labelled_content(std::size_t id_bytes = 2) {
  ImageContent content(id_bytes);
  content.corpus.roles = 2;
  content.corpus.example_sentences = {0, 1, 2, 1};
  content.corpus.labels = {2, 0};
  content.groups = {0, 2};
  return content;
}

Numbers numbers(std::span<const std::uint32_t> values) {
  return {values.begin(), values.end()};
}

TEST(TokenImage, GivesBackWhatWentIn) {
  for (const std::size_t id_bytes : {2u, 4u}) {
    const ImageContent content(id_bytes);
    const std::string bytes = content.image();
    const TokenImageView view = view_token_image(bytes, key);
    EXPECT_EQ(std::vector<std::uint64_t>(view.offsets.begin(), view.offsets.end()),
              (std::vector<std::uint64_t>{0, 2, 3, 6}));
    const Numbers narrow(view.narrow_ids.begin(), view.narrow_ids.end());
    EXPECT_EQ(id_bytes == 2 ? narrow : numbers(view.wide_ids), (Numbers{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(view.roles, 3u);
    EXPECT_EQ(numbers(view.example_sentences), (Numbers{0, 1, 2}));
    EXPECT_TRUE(view.labels.empty());
    EXPECT_TRUE(view.groups.empty());
    EXPECT_EQ(view.token_counts, content.tokens.counts);
    EXPECT_EQ(view.counts, content.corpus.counts);
    EXPECT_EQ(view.bad_line_messages, content.corpus.bad_line_messages);
  }
}

TEST(TokenImage, GivesBackPairsWithLabelsAndSentencesWithoutExamples) {
  for (const std::size_t id_bytes : {2u, 4u}) {
    const std::string bytes = labelled_content(id_bytes).image();
    const TokenImageView view = view_token_image(bytes, key);
    EXPECT_EQ(view.roles, 2u);
    EXPECT_EQ(numbers(view.example_sentences), (Numbers{0, 1, 2, 1}));
    EXPECT_EQ(numbers(view.labels), (Numbers{2, 0}));
    EXPECT_EQ(numbers(view.groups), (Numbers{0, 2}));
    EXPECT_EQ(view.narrow_ids.size() + view.wide_ids.size(), 6u);
  }
  ImageContent none;
  none.corpus.roles = 0;
  none.corpus.example_sentences.clear();
  const std::string bytes = none.image();
  EXPECT_EQ(view_token_image(bytes, key).roles, 0u);
  EXPECT_TRUE(view_token_image(bytes, key).example_sentences.empty());
}

TEST(TokenImage, FindsEveryFlippedBitAndEveryCut) {
  const std::string whole = ImageContent().image();
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_THROW(view_token_image(flipped, key), InputError) << bit;
  }
  count_disturbance("flipped bits in files", 8 * whole.size());
  count_disturbance("files cut short", whole.size());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    // A short string would lie within its object, where nothing is aligned.
    std::string cut = whole;
    cut.resize(size);
    EXPECT_THROW(view_token_image(cut, key), InputError) << size;
  }
  EXPECT_THROW(view_token_image(whole + std::string(8, '\0'), key), InputError);
  EXPECT_HAS(input_error([&] { view_token_image(whole, std::string(32, 'x')); }), "made from something else");
}

TEST(TokenImage, ChecksContentWithMatchingHashes) {
  ImageContent content;
  content.vocabulary_size = 6;
  EXPECT_HAS(content.message(), "a token id is outside the vocabulary");
  content = ImageContent(4);
  content.vocabulary_size = 6;
  EXPECT_HAS(content.message(), "a token id is outside the vocabulary");
  content = ImageContent();
  content.corpus.example_sentences = {0, 3, 1};
  EXPECT_HAS(content.message(), "an example has the number of a sentence that does not exist");
  content.corpus.example_sentences = {0, 1, 2, 2};
  EXPECT_HAS(content.message(), "its last example is cut short");
  for (const std::size_t roles : {0, 1, 4}) {
    content.corpus.roles = roles;
    EXPECT_HAS(content.message(), "its examples have neither 2 nor 3 sentences");
  }
  content = labelled_content();
  for (const std::uint32_t label : {3u, 0xFFFFFFFFu}) {
    content.corpus.labels = {0, label};
    EXPECT_HAS(content.message(), "a label is none of the three");
  }
  content = labelled_content();
  content.groups = {3, 0};
  EXPECT_HAS(content.message(), "a group has the number of a sentence that does not exist");
  content.groups = {0};
  EXPECT_HAS(content.message(), "it has groups for some of its labels alone");
  for (const Numbers& labels : {Numbers{0}, Numbers{0, 1, 2}}) {
    content.corpus.labels = labels;
    EXPECT_HAS(content.message(), "it has labels for some of its examples alone");
  }
  content = ImageContent();
  content.tokens.offsets = {0, 4, 3, 6};
  EXPECT_HAS(content.message(), "its offsets are not in order");
  content.tokens.offsets = {1, 2, 3, 6};
  EXPECT_HAS(content.message(), "its offsets do not span its ids");
  content.tokens.offsets = {0, 1, 1, 2};
  EXPECT_HAS(content.message(), "its length differs from that in the header");
  content = ImageContent();
  content.tokens.id_bytes = 3;
  EXPECT_HAS(content.message(), "the width of its ids");
}

}  // namespace
}  // namespace gausscse
