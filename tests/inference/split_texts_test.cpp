#include "inference/split_texts.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Texts = std::vector<std::string>;

TEST(SplitTexts, EndsSentencesWithTheirMarkOrTheLine) {
  const std::string text = "Mr. Smith left.  Why?\n\nNobody knows\r\nthat.";
  EXPECT_EQ(sentences_of(text, "en-u-ss-standard"), (Texts{"Mr. Smith left.", "Why?", "Nobody knows", "that."}));
  EXPECT_EQ(sentences_of(text, "en"), (Texts{"Mr.", "Smith left.", "Why?", "Nobody knows", "that."}));
  EXPECT_EQ(sentences_of(" \n", "en"), Texts{});
}

TEST(SplitTexts, AreRefusedWhereTheyAreNoText) {
  EXPECT_TRUE(says(refusal_of([] { sentences_of("ab\xff", "en"); }), "the text is not UTF-8 at byte 2"));
  EXPECT_TRUE(says(refusal_of([] { sentences_of("ab", "not a tag"); }), "is no language tag"));
}

}  // namespace
}  // namespace gausscse
