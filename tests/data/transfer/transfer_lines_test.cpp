#include "data/transfer/transfer_examples.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Classes = std::vector<std::string>;

const Classes two{"0", "1"}, kinds{"ABBR", "DESC"};

TEST(TransferLines, SentenceAndLabel) {
  EXPECT_EQ(sentence_and_label("a  good\xC2\xA0"
                               "film \t1\n",
                               two),
            (TransferExample{"a good film", "", 1}));
  EXPECT_EQ(sentence_and_label("bad\t0", two).label, 0u);
  EXPECT_TRUE(says(refusal_of([] { sentence_and_label("no label", two); }), "\"no label\" has 0 tabs in it"));
  EXPECT_TRUE(says(refusal_of([] { sentence_and_label("a\tb\t1", two); }), "has 2 tabs in it"));
  EXPECT_TRUE(says(refusal_of([] { sentence_and_label("a\t2", two); }),
                   "the label \"2\" is not known: it must be one of 0, 1"));
}

TEST(TransferLines, LabelAndSentence) {
  EXPECT_EQ(label_and_sentence("1 a fine\tday ", two), (TransferExample{"a fine day", "", 1}));
  EXPECT_TRUE(says(refusal_of([] { label_and_sentence("1", two); }), "\"1\" has no \" \" in it"));
  EXPECT_TRUE(says(refusal_of([] { label_and_sentence("x y", two); }), "the label \"x\" is not known"));
}

TEST(TransferLines, Question) {
  EXPECT_EQ(question("DESC:manner How did: it  go ?\n", kinds), (TransferExample{"How did: it go ?", "", 1}));
  EXPECT_TRUE(says(refusal_of([] { question("DESC How", kinds); }), "\"DESC How\" has no \":\" in it"));
  EXPECT_TRUE(says(refusal_of([] { question("DESC:manner", kinds); }), "\"manner\" has no \" \" in it"));
  EXPECT_TRUE(says(refusal_of([] { question("HUM:ind Who ?", kinds); }), "one of ABBR, DESC"));
}

TEST(TransferLines, ClassesHaveTheirPlaceAsLabel) {
  const Classes judgments{"CONTRADICTION", "NEUTRAL", "ENTAILMENT"};
  EXPECT_EQ(class_of("CONTRADICTION", judgments), 0u);
  EXPECT_EQ(class_of("ENTAILMENT", judgments), 2u);
  EXPECT_EQ(refusal_of([&] { class_of("MAYBE", judgments); }),
            "the label \"MAYBE\" is not known: it must be one of CONTRADICTION, NEUTRAL, ENTAILMENT");
}

}  // namespace
}  // namespace gausscse
