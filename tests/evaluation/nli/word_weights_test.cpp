#include "evaluation/nli/word_weights.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST(WordWeights, AreSumsOfInverseDocumentFrequencies) {
  const std::vector<std::string> sentences{
      "A dog, a DOG!", "the dog's bone", "\u00c9t\u00e9 3_4", "", "\u00e9T\u00c9 bone a", "?"};
  const std::vector<double> weights = word_weights(sentences);
  const auto idf = [](int with) { return std::log(7.0 / (with + 1)); };
  ASSERT_EQ(weights.size(), sentences.size());
  EXPECT_DOUBLE_EQ(weights[0], 2 * idf(2) + 2 * idf(2)) << "a and dog, each in two sentences, twice";
  EXPECT_DOUBLE_EQ(weights[1], idf(1) + idf(2) + idf(1) + idf(2)) << "the, dog, s, bone";
  EXPECT_DOUBLE_EQ(weights[2], idf(2) + idf(1)) << "a word in capitals is that of another sentence; 3_4 is one";
  EXPECT_EQ(weights[3], 0);
  EXPECT_DOUBLE_EQ(weights[4], idf(2) + idf(2) + idf(2));
  EXPECT_EQ(weights[5], 0);
}

TEST(WordWeights, DoNotDependOnTheOrderOfWords) {
  const std::vector<double> weights =
      word_weights(std::vector<std::string>{"b c a d e a", "a d e a c b", "a a b", "c e e e", "x y b d", "y x d b"});
  EXPECT_EQ(weights[0], weights[1]);
  EXPECT_EQ(weights[4], weights[5]);
}

}  // namespace
}  // namespace gausscse
