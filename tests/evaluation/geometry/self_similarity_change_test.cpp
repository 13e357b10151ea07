#include "evaluation/geometry/self_similarity_change.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
using Similarities = std::vector<TokenSelfSimilarity>;
using Changes = std::vector<TokenChange>;
using Strings = std::vector<std::string>;

Strings strings_of(const SelfSimilarityChange& change) {
  Strings strings;
  for (const TokenChange& token : change.tokens) strings.push_back(token.token);
  return strings;
}

/// Tokens with these changes; the rest of them has no bearing.
Changes changes(const std::vector<std::pair<std::string, double>>& tokens) {
  Changes result;
  for (const auto& [token, change] : tokens) result.push_back({token, 1, 0, 0, change});
  return result;
}

TEST(AdjustedSelfSimilarities, AreThoseOfIdsLessTheAnisotropyWithTheirStrings) {
  const std::vector<IdSelfSimilarity> ids{{2, 9, 0.75}, {0, 7, unknown}, {3, 5, -0.5}};
  const Similarities adjusted = adjusted_self_similarities(ids, 0.25, {"a", "b", "c", "d"});
  ASSERT_EQ(adjusted.size(), 3u);
  EXPECT_EQ(adjusted[0].token, "c");
  EXPECT_EQ(adjusted[0].occurrences, 9u);
  EXPECT_EQ(adjusted[0].adjusted, 0.5);
  EXPECT_EQ(adjusted[1].token, "a");
  EXPECT_TRUE(std::isnan(adjusted[1].adjusted));
  EXPECT_EQ(adjusted[2].adjusted, -0.75);
}

TEST(SelfSimilarityChange, IsAfterLessBeforeInTheOrderOfAfter) {
  const Similarities before{{"the", 90, 0.5}, {"man", 80, 0.25}, {".", 70, 0.875}};
  const Similarities after{{"man", 60, 0.75}, {"the", 50, 0.125}, {".", 40, 0.875}};
  const SelfSimilarityChange change = self_similarity_change(before, after, 400);
  EXPECT_EQ(strings_of(change), (Strings{"man", "the", "."}));
  EXPECT_EQ(change.left_out, 0u);
  EXPECT_EQ(change.tokens[0].occurrences, 60u);
  EXPECT_EQ(change.tokens[0].before, 0.25);
  EXPECT_EQ(change.tokens[0].after, 0.75);
  EXPECT_EQ(change.tokens[0].change, 0.5);
  EXPECT_EQ(change.tokens[1].change, -0.375);
  EXPECT_EQ(change.tokens[2].change, 0);
}

TEST(SelfSimilarityChange, LeavesOutWhatOneModelLacks) {
  const Similarities before{{"a", 9, 0.5}, {"only before", 8, 0.5}, {"b", 7, unknown}, {"c", 6, 0.5}, {"d", 5, 0.5}};
  const Similarities after{{"only after", 9, 1}, {"d", 8, unknown}, {"c", 7, 1}, {"b", 6, 1}, {"a", 5, 1}};
  const SelfSimilarityChange change = self_similarity_change(before, after, 400);
  EXPECT_EQ(strings_of(change), (Strings{"c", "a"}));
  EXPECT_EQ(change.left_out, 3u);
  // What is left out is one of the most frequent all the same; those behind them are not counted.
  const SelfSimilarityChange of_four = self_similarity_change(before, after, 4);
  EXPECT_EQ(strings_of(of_four), (Strings{"c"}));
  EXPECT_EQ(of_four.left_out, 3u);
  EXPECT_TRUE(self_similarity_change(before, after, 2).tokens.empty());
  EXPECT_EQ(self_similarity_change({}, after, 400).left_out, 5u);
  EXPECT_EQ(self_similarity_change(before, {}, 400).left_out, 0u);
}

TEST(SelfSimilarityChange, SpecialTokensAreTheSameInAllVocabularies) {
  const Similarities bert{{"[PAD]", 9, 0.25}, {"[CLS]", 8, 0.5}, {"[SEP]", 8, 0.75}, {"[MASK]", 5, 0.5}};
  const Similarities roberta{{"<pad>", 9, 1.25}, {"<s>", 8, 1.75}, {"</s>", 8, 2.25}, {"<mask>", 5, 0.5}};
  for (const bool to_roberta : {true, false}) {
    const SelfSimilarityChange change =
        to_roberta ? self_similarity_change(bert, roberta, 400) : self_similarity_change(roberta, bert, 400);
    const double sign = to_roberta ? 1 : -1;
    ASSERT_EQ(change.tokens.size(), 3u);
    EXPECT_EQ(change.left_out, 1u);
    EXPECT_EQ(strings_of(change),
              to_roberta ? (Strings{"<pad>", "<s>", "</s>"}) : (Strings{"[PAD]", "[CLS]", "[SEP]"}));
    EXPECT_EQ(change.tokens[0].change, sign * 1);
    EXPECT_EQ(change.tokens[1].change, sign * 1.25);
    EXPECT_EQ(change.tokens[2].change, sign * 1.5);
  }
}

/// MPNet's vocabulary has BERT's [CLS] as a word next to its own <s>.
TEST(SelfSimilarityChange, TheMoreFrequentOfTwoNamesStandsForBoth) {
  const Similarities before{{"<s>", 9, 0.5}, {"[CLS]", 5, 0.125}}, after{{"[CLS]", 9, 1}};
  const SelfSimilarityChange change = self_similarity_change(before, after, 400);
  ASSERT_EQ(change.tokens.size(), 1u);
  EXPECT_EQ(change.tokens[0].before, 0.5);
}

TEST(PearsonByCount, IsOverTheFirstCommonTokensWithoutSpecialOnes) {
  const Changes a =
      changes({{"[PAD]", 50}, {"[CLS]", -80}, {"[SEP]", 3}, {"a", 1}, {"only", 7}, {"b", 2}, {"c", 4}, {"d", -9}});
  const Changes b = changes({{"d", 5}, {"</s>", -40}, {"c", 1}, {"b", 3}, {"a", 2}, {"<s>", 1}, {"<pad>", 0}});
  const std::vector<double> curve = pearson_by_count(a, b, 2, 400);
  ASSERT_EQ(curve.size(), 3u);
  EXPECT_NEAR(curve[0], 1, 1e-15);
  // (1, 2), (2, 3), (4, 1): about the means 7/3 and 2 the sums of products and squares are -2, 14/3 and 2.
  EXPECT_NEAR(curve[1], -2 / std::sqrt(14.0 / 3 * 2), 1e-15);
  // With (-9, 5) they are about -1/2 and 11/4.
  EXPECT_NEAR(curve[2], -27.5 / std::sqrt(101 * 8.75), 1e-15);
}

TEST(PearsonByCount, DoesNotExistForLessThanTwoOrEqualChanges) {
  const Changes a = changes({{"a", 0.1}, {"b", 0.1}, {"c", 0.1}, {"d", 1}}),
                b = changes({{"a", 1}, {"b", 2}, {"c", 3}});
  EXPECT_TRUE(std::isnan(pearson_by_count(a, b, 3, 3).front()));
  EXPECT_TRUE(std::isnan(pearson_by_count(b, a, 3, 3).front()));
  EXPECT_TRUE(std::isnan(pearson_by_count(b, b, 1, 1).front()));
}

/// Each element by the sums of its definition, over tokens whose order differs between the two sides.
TEST(PearsonByCount, IsTheCorrelationOverEachNumberOfTokens) {
  Changes a = changes({{"[PAD]", 9}}), b = changes({{"<pad>", -9}});
  std::vector<double> x, y;
  for (int i = 0; i < 30; ++i) {
    x.push_back(std::sin(i * 1.7));
    y.push_back(std::cos(i * i * 0.3) + 0.2 * x.back());
    a.push_back({"token " + std::to_string(i), 1, 0, 0, x.back()});
    b.insert(b.begin(), {"token " + std::to_string(i), 1, 0, 0, y.back()});
  }
  const std::vector<double> curve = pearson_by_count(a, b, 4, 400);
  ASSERT_EQ(curve.size(), 27u);
  for (std::size_t count = 4; count <= 30; ++count) {
    const auto n = static_cast<double>(count);
    double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
    for (std::size_t i = 0; i < count; ++i) {
      sx += x[i];
      sy += y[i];
      sxx += x[i] * x[i];
      syy += y[i] * y[i];
      sxy += x[i] * y[i];
    }
    EXPECT_NEAR(curve[count - 4], (n * sxy - sx * sy) / std::sqrt((n * sxx - sx * sx) * (n * syy - sy * sy)), 1e-12)
        << count;
  }
  EXPECT_EQ(pearson_by_count(a, b, 4, 10), std::vector<double>(curve.begin(), curve.begin() + 7));
  EXPECT_EQ(pearson_by_count(a, b, 30, 400).size(), 1u);
  EXPECT_TRUE(pearson_by_count(a, b, 31, 400).empty());
  EXPECT_TRUE(pearson_by_count(a, {}, 4, 400).empty());
}

}  // namespace
}  // namespace gausscse
