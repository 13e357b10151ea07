#include "data/sentences/sentence_splitter.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using SplitSentences = std::vector<std::string>;

SplitSentences sentences_of(std::string_view text, const std::string& locale = english_with_abbreviations) {
  SplitSentences sentences;
  SentenceSplitter splitter(locale);
  splitter.split(text, [&](std::string_view sentence) { sentences.emplace_back(sentence); });
  return sentences;
}

/// The rules' numbers are those of Unicode's standard annex 29.
TEST(SentenceSplitter, FollowsTheRulesOfUnicode) {
  EXPECT_EQ(sentences_of("One ends here. Two ends, too!  Does three?Four."),
            (SplitSentences{"One ends here.", "Two ends, too!", "Does three?", "Four."}));
  EXPECT_EQ(sentences_of("It cost $3.50. Version 1.0.2 is out."),
            (SplitSentences{"It cost $3.50.", "Version 1.0.2 is out."}))
      << "SB6: a number goes on";
  EXPECT_EQ(sentences_of("The U.S.A. is large."), (SplitSentences{"The U.S.A. is large."})) << "SB7, SB8";
  EXPECT_EQ(sentences_of("\"Why?\" she asked. (He left.) So did I."),
            (SplitSentences{"\"Why?\"", "she asked.", "(He left.)", "So did I."}))
      << "SB9 to SB11: closing marks belong to the sentence";
  EXPECT_EQ(sentences_of("\u4F60\u597D\u3002\u518D\u89C1\u3002"),
            (SplitSentences{"\u4F60\u597D\u3002", "\u518D\u89C1\u3002"}));
  EXPECT_EQ(sentences_of("No mark\rends\u2029this\u0085text"), (SplitSentences{"No mark", "ends", "this", "text"}))
      << "SB4: separators of paragraphs";
}

TEST(SentenceSplitter, TakesWhiteSpaceFromTheEndsAlone) {
  EXPECT_EQ(sentences_of(" \t One  two.\u3000\u00A0 Three.\v"), (SplitSentences{"One  two.", "Three."}));
  EXPECT_EQ(sentences_of(""), SplitSentences{});
  EXPECT_EQ(sentences_of(" \t\u2029 "), SplitSentences{});
}

TEST(SentenceSplitter, KnowsTheAbbreviationsOfItsLanguage) {
  const std::string text = "I met Mr. Jones. He left.";
  EXPECT_EQ(sentences_of(text), (SplitSentences{"I met Mr. Jones.", "He left."}));
  for (const char* without : {"en", "en-US", "und"})
    EXPECT_EQ(sentences_of(text, without), (SplitSentences{"I met Mr.", "Jones.", "He left."})) << without;
  const std::string german = "Das gilt z.B. Hunden. Er ging.";
  EXPECT_EQ(sentences_of(german, "de-u-ss-standard"), (SplitSentences{"Das gilt z.B. Hunden.", "Er ging."}));
  EXPECT_EQ(sentences_of(german, "de"), (SplitSentences{"Das gilt z.B.", "Hunden.", "Er ging."}));
  const std::string greek = "\u03A4\u03B9; \u039D\u03B1\u03B9.";
  EXPECT_EQ(sentences_of(greek, "el"), (SplitSentences{"\u03A4\u03B9;", "\u039D\u03B1\u03B9."}));
  EXPECT_EQ(sentences_of(greek, "en"), (SplitSentences{greek}));
}

TEST(SentenceSplitter, SplitsOneTextAfterAnother) {
  SentenceSplitter splitter("en-u-ss-standard");
  for (int round = 0; round < 3; ++round)
    for (const std::string word : {"short", "a much longer beginning"}) {
      SplitSentences sentences;
      const std::string text = word + ". Mr. X came. End";
      splitter.split(text, [&](std::string_view sentence) { sentences.emplace_back(sentence); });
      EXPECT_EQ(sentences, (SplitSentences{word + ".", "Mr. X came.", "End"}));
    }
}

TEST(SentenceSplitter, RefusesOtherLocales) {
  for (const char* locale : {"", "en_US", "en-", "zz-ZZ-garbage-x", "-", "\xff"})
    EXPECT_TRUE(says(refusal_of([&] { SentenceSplitter splitter(locale); }), "is no language tag of BCP 47")) << locale;
  for (const char* locale : {"xx", "english"})
    EXPECT_TRUE(says(refusal_of([&] { SentenceSplitter splitter(locale); }), "has a language that is not known"))
        << locale;
}

}  // namespace
}  // namespace gausscse
