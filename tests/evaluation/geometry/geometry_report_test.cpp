#include "evaluation/geometry/geometry_report.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

LayerGeometry layer_of_sixteenths(double first) {
  return {.anisotropy = first + 1.0 / 16,
          .sampled_anisotropy = first + 2.0 / 16,
          .self_similarity = first + 3.0 / 16,
          .intra_sentence_similarity = first + 4.0 / 16,
          .adjusted_self_similarity = first + 5.0 / 16,
          .adjusted_intra_sentence_similarity = first + 6.0 / 16,
          .norm = first + 12.0 / 16,
          .norm_of_sentences = first + 14.0 / 16};
}

TEST(GeometryReport, HasEachMetricUnderItsHeading) {
  TokenGeometry geometry;
  geometry.sentences = 11;
  geometry.tokens = 22;
  geometry.longest = 33;
  geometry.ids = 44;
  geometry.layers = {layer_of_sixteenths(0), layer_of_sixteenths(2)};
  EXPECT_EQ(geometry_table(geometry),
            "11 sentences, 22 tokens, the longest sentence has 33, 44 token ids are compared\n"
            "layer  anisotropy  sampled  self-similarity  adjusted  intra-sentence similarity  adjusted   norm  "
            "norm, by sentence\n"
            "0          0.0625    0.125           0.1875    0.3125                     0.2500    0.3750  0.750  "
            "            0.875\n"
            "1          2.0625    2.125           2.1875    2.3125                     2.2500    2.3750  2.750  "
            "            2.875\n");
}

TEST(GeometryReport, HasTheLowestAndTheHighestChange) {
  const SelfSimilarityChange change{
      {{"the", 30, 0.5, 0.75, 0.25}, {"a", 20, 0.5, 0.25, -0.25}, {"of", 10, 0.5, 0.5, 0}}, 4};
  EXPECT_EQ(change_table({"before", change}),
            "last layer, change of adjusted self-similarity since before: 3 tokens, 4 left out\n"
            "lowest  occurrences  before  after  change\n"
            "\"a\"              20   0.500  0.250  -0.250\n"
            "\"of\"             10   0.500  0.500   0.000\n"
            "\"the\"            30   0.500  0.750   0.250\n"
            "highest  occurrences  before  after  change\n"
            "\"the\"             30   0.500  0.750   0.250\n"
            "\"of\"              10   0.500  0.500   0.000\n"
            "\"a\"               20   0.500  0.250  -0.250\n");
}

TEST(GeometryReport, SaysHowManyIdsHaveNoSelfSimilarity) {
  TokenGeometry geometry;
  geometry.ids = 3;
  geometry.layers = {layer_of_sixteenths(0)};
  geometry.self_similarities = {{7, 9, 0.5}, {8, 6, std::nan("")}, {9, 5, 0.25}};
  EXPECT_TRUE(geometry_table(geometry).starts_with(
      "0 sentences, 0 tokens, the longest sentence has 0, 3 token ids are compared (1 of them in one sentence only, "
      "which no self-similarity counts; shares of dimensions do)\n"));
}

/// Changes of words in the order 0, 1, ..., and special tokens before and among them.
std::vector<TokenChange> changes_of(const std::vector<double>& values) {
  std::vector<TokenChange> changes{{"[CLS]", 99, 0, 0, -9}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == 2) changes.push_back({"</s>", 9, 0, 0, 7});
    changes.push_back({concat("word", i), 9, 0, values[i], values[i]});
  }
  return changes;
}

TEST(ChangeCorrelation, IsOverTheFirstTokensAndNamesTheHighest) {
  // Over 4: x 0 1 2 3, y 0 1 3 2: r = 4 / 5. Over 5 with (4, 4): 9 / 10. Over 6 with (5, 0): the
  // sum of x y less 6 times the means 2.5 and 5/3 is 29 - 25, squares are 17.5 and 40/3.
  const ChangeCorrelation found =
      correlate_changes(changes_of({0, 1, 2, 3, 4, 5}), "other.json", changes_of({0, 1, 3, 2, 4, 0}));
  ASSERT_EQ(found.by_count.size(), 3u);
  EXPECT_NEAR(found.by_count[0], 0.8, 1e-12);
  EXPECT_NEAR(found.by_count[1], 0.9, 1e-12);
  EXPECT_NEAR(found.by_count[2], 4 / std::sqrt(17.5 * 40 / 3), 1e-12);
  EXPECT_EQ(correlation_table(found),
            "last layer, correlation of the changes with those of other.json\n"
            "most frequent tokens  Pearson's r             \n"
            "5                           0.900  the highest\n"
            "6                           0.262          all\n");
  EXPECT_THROW(correlate_changes(changes_of({0, 1, 2}), "x", changes_of({0, 1, 2, 3})), InputError);
}

TEST(GeometryReport, ReportsTenChangesOfEach) {
  SelfSimilarityChange change;
  for (int i = 0; i < 12; ++i) {
    const double value = (i * 5 % 12) / 16.0;
    change.tokens.push_back({concat("word", i * 5 % 12, "."), 9, 0, value, value});
  }
  const std::string text = change_table({"before", change});
  const std::size_t highest = text.find("highest");
  ASSERT_NE(highest, std::string::npos) << text;
  const std::string lowest = text.substr(0, highest), rest = text.substr(highest);
  for (int i = 0; i < 12; ++i) {
    const std::string word = concat("\"word", i, ".\"");
    EXPECT_EQ(lowest.find(word) != std::string::npos, i < 10) << word;
    EXPECT_EQ(rest.find(word) != std::string::npos, i >= 2) << word;
  }
  EXPECT_LT(lowest.find("\"word0.\""), lowest.find("\"word9.\""));
  EXPECT_GT(rest.find("\"word2.\""), rest.find("\"word11.\""));
}

}  // namespace
}  // namespace gausscse
