#include "experiments/report/numbers/geometry_summary.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"

namespace gausscse {

namespace {

using Values = std::vector<double>;
using Texts = std::vector<std::string>;

Measurement tokens_with(double anisotropy, const Texts& tokens, const Values& self_similarities) {
  Measurement measurement{"tokens", "geometry", true, {{"anisotropy", anisotropy, Unit::number}}, {}, ""};
  std::vector<std::int64_t> occurrences;
  for (std::size_t i = 0; i < tokens.size(); ++i) occurrences.push_back(90 - static_cast<std::int64_t>(i));
  measurement.columns = {{"token", tokens}, {"occurrences", occurrences}, {"self_similarity", self_similarities}};
  return measurement;
}

/// "the" falls from 0.5 - 0.25 to 0.125, "man" grows from 0.25 - 0.25 to 0.75; means with a second seed.
TEST(GeometrySummary, HasMeanChangesOfTokensThatAllSeedsHave) {
  GeometrySummary seeds{"tokens"};
  const Measurement first_before = tokens_with(0.25, {"the", "man", "dog"}, {0.5, 0.25, 0.5});
  seeds.add(&first_before, tokens_with(0, {"man", "the", "dog", "new"}, {0.75, 0.125, 1, 1}));
  const Measurement second_before = tokens_with(0.5, {"the", "man", "dog"}, {0.5, 0.5, std::nan("")});
  seeds.add(&second_before, tokens_with(0, {"the", "man", "dog"}, {0.5, 0.25, 1}));
  const SelfSimilarityChange mean = seeds.mean_changes();
  ASSERT_EQ(mean.tokens.size(), 2u);
  EXPECT_EQ(mean.left_out, 2u) << "new of the first seed, dog of the second";
  EXPECT_EQ(mean.tokens[0].token, "man");
  EXPECT_EQ(mean.tokens[0].occurrences, 90u) << "as the first seed has it";
  EXPECT_EQ(mean.tokens[0].before, 0);
  EXPECT_EQ(mean.tokens[0].after, 0.5);
  EXPECT_EQ(mean.tokens[0].change, 0.5);
  EXPECT_EQ(mean.tokens[1].token, "the");
  EXPECT_EQ(mean.tokens[1].before, 0.125);
  EXPECT_EQ(mean.tokens[1].change, (-0.125 + 0.5) / 2);
}

TEST(GeometrySummary, ComparesTheFourHundredMostFrequentTokens) {
  Texts tokens;
  for (int i = 0; i < 410; ++i) tokens.push_back("t" + std::to_string(i));
  const Measurement before = tokens_with(0, tokens, Values(410, 0.5));
  GeometrySummary seeds{"tokens"};
  seeds.add(&before, tokens_with(0, tokens, Values(410, 1)));
  const SelfSimilarityChange mean = seeds.mean_changes();
  ASSERT_EQ(mean.tokens.size(), 400u);
  EXPECT_EQ(mean.tokens.back().token, "t399");
  EXPECT_EQ(mean.left_out, 0u);
}

Measurement with_rogue_dimensions(double first, const Values& shares) {
  Measurement measurement{"tokens", "geometry", true, {}, {}, ""};
  measurement.figures = {{"anisotropy", 0, Unit::number},
                         {"rogue.share_of_top.1", first, Unit::number},
                         {"rogue.share_of_top.2", first + 0.25, Unit::number},
                         {"rogue.share_of_top.3", first + 0.375, Unit::number},
                         {"rogue.reaching.0.1", 1, Unit::count},
                         {"rogue.reaching.0.2", 2, Unit::count},
                         {"rogue.reaching.0.5", 4 * first, Unit::count}};
  measurement.columns = {{"rogue_share", shares}};
  return measurement;
}

TEST(GeometrySummary, HasMeanSharesOfRogueDimensionsBeforeAndAfter) {
  GeometrySummary seeds{"tokens"};
  const Measurement before = with_rogue_dimensions(0.75, {0.75, 0.25});
  seeds.add(&before, with_rogue_dimensions(0.5, {0.5, 0.5}));
  seeds.add(nullptr, with_rogue_dimensions(0.25, {0.25, 0.75}));
  const auto means = [](const RogueSummary& state, const std::array<double, 3>& sums) {
    return Values{state.mean(sums[0]), state.mean(sums[1]), state.mean(sums[2])};
  };
  EXPECT_EQ(means(seeds.before, seeds.before.share_of_top), (Values{0.75, 1, 1.125}));
  EXPECT_EQ(means(seeds.after, seeds.after.share_of_top), (Values{0.375, 0.625, 0.75}));
  EXPECT_EQ(means(seeds.before, seeds.before.reaching), (Values{1, 2, 3}));
  EXPECT_EQ(means(seeds.after, seeds.after.reaching), (Values{1, 2, 1.5}));
  EXPECT_EQ(seeds.before.cumulative.lines().x, (Values{1, 2}));
  EXPECT_EQ(seeds.before.cumulative.lines().mean, (Values{0.75, 1}));
  EXPECT_EQ(seeds.after.cumulative.lines().mean, (Values{0.375, 1}));
  EXPECT_EQ(seeds.after.cumulative.lines().low, (Values{0.25, 1}));
}

TEST(GeometrySummary, CumulatesSharesOfManyDimensionsAtFewerPlaces) {
  GeometrySummary seeds{"tokens", 10};
  seeds.add(nullptr, with_rogue_dimensions(0, Values(768, 1.0 / 768)));
  const BandLines cumulative = seeds.after.cumulative.lines();
  ASSERT_GT(cumulative.x.size(), 51u);
  EXPECT_LT(cumulative.x.size(), 90u);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(cumulative.x[i], static_cast<double>(i + 1));
  EXPECT_EQ(cumulative.x.back(), 768);
  for (std::size_t i = 0; i < cumulative.x.size(); ++i)
    EXPECT_NEAR(cumulative.mean[i], cumulative.x[i] / 768, 1e-12) << i;
}

TEST(GeometrySummary, WithoutAnUntrainedStateHasNothingOfIt) {
  GeometrySummary seeds{"tokens"};
  seeds.add(nullptr, tokens_with(0, {"a"}, {1}));
  for (const RogueSummary* state : {&seeds.before, &seeds.after}) {
    EXPECT_TRUE(std::isnan(state->mean(state->share_of_top[0]))) << "it has no rogue dimensions";
    EXPECT_TRUE(state->cumulative.empty());
  }
  EXPECT_TRUE(seeds.mean_changes().tokens.empty());
  EXPECT_TRUE(seeds.plane.after_x.empty());
}

/// Before along the second axis, after along the first, about the mean (0, 0).
TEST(GeometrySummary, PutsTheVectorsOfBothStatesOnOnePlane) {
  Measurement before = tokens_with(0, {}, {}), after = before;
  before.columns.push_back({"sentence_vector", VectorRows{3, {0, 1, 0, 0, -1, 0}}});
  after.columns.push_back({"sentence_vector", VectorRows{3, {5, 0, 0, -5, 0, 0}}});
  GeometrySummary seeds{"tokens"};
  seeds.add(nullptr, after);
  EXPECT_TRUE(seeds.plane.after_x.empty());
  seeds.add(&before, after);
  Measurement other = after;
  std::get<VectorRows>(other.columns.back().values).values = {9, 9, 9, 1, 1, 1};
  seeds.add(&before, other);
  const SentencePlane plane = seeds.plane;
  const auto expect_near = [](const Values& values, const Values& expected) {
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-12);
  };
  expect_near(plane.after_x, {5, -5});
  expect_near(plane.after_y, {0, 0});
  expect_near(plane.before_x, {0, 0});
  expect_near(plane.before_y, {1, -1});
  EXPECT_NEAR(plane.first_share, 50.0 / 52, 1e-12);
  EXPECT_NEAR(plane.second_share, 2.0 / 52, 1e-12);

  EXPECT_TRUE(seeds.early_plane.after_x.empty());
  seeds.add_early(before, other, 200);
  seeds.add_early(before, after, 400);  // of another seed, or a later step: the first stays
  EXPECT_EQ(seeds.early_steps, 200);
  // About the mean (2.5, 2.5, 2.5): along the diagonal, on which the states after lie.
  const SentencePlane early = seeds.early_plane;
  ASSERT_EQ(early.after_x.size(), 2u);
  EXPECT_GT(std::abs(early.after_x[0] - early.after_x[1]), 8 * std::sqrt(3.0) - 0.1);
  EXPECT_EQ(seeds.plane.after_x.size(), 2u);
  expect_near(seeds.plane.after_x, {5, -5});

  std::get<VectorRows>(other.columns.back().values).width = 2;
  GeometrySummary unlike{"tokens"};
  EXPECT_THROW(unlike.add_early(before, other, 1), InputError);
  EXPECT_THROW(unlike.add(&before, other), InputError);
}

}  // namespace

}  // namespace gausscse
