#include "experiments/report/group_summary.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gausscse {

namespace {

using Values = std::vector<double>;

RunResult small_result(double shift) {
  RunResult result;
  result.training.step = {0, 1};
  result.training.loss = {4 + shift, 2 + shift};
  result.curves = {{"dev",
                    {0, 10},
                    {{"pairs", Unit::count, {7, 7}},
                     {"auprc", Unit::fraction, {0.5 + shift, 0.75 + shift}},
                     {"spearman.part", Unit::fraction, {0, 1}}}}};
  Measurement tokens{"tokens",
                     "geometry",
                     false,
                     {{"norm", 9, Unit::number},
                      {"norm.0", 3 + shift, Unit::number},
                      {"norm.1", 9, Unit::number},
                      {"informativity.1", 0.9, Unit::number},
                      {"rogue.reaching.0.1", 2, Unit::count}},
                     {},
                     ""};
  Measurement dev{"dev", "nli", true, {{"pairs", 7, Unit::count}, {"accuracy", 0.5 + shift}, {"auprc", std::nan("")}},
                  {},    ""};
  result.states = {{"best", 10, {dev, tokens}}};
  return result;
}

TEST(GroupSummary, AddsSeedsUp) {
  GroupSummaryOfSeeds seeds(100, true);
  // Its task of NLI has no columns: a sentence, no error.
  ASSERT_EQ(seeds.add(small_result(0), std::nullopt).size(), 1u);
  seeds.add(small_result(0.25), std::nullopt);
  const GroupSummary summary = seeds.summary();
  EXPECT_EQ(summary.seeds, 2);
  EXPECT_EQ(summary.loss.mean, (Values{4.125, 2.125}));
  ASSERT_EQ(summary.curves.size(), 1u);  // no counts, no parts
  EXPECT_EQ(summary.curves[0].task, "dev");
  EXPECT_EQ(summary.curves[0].figure, "auprc");
  EXPECT_EQ(summary.curves[0].unit, Unit::fraction);
  EXPECT_EQ(summary.curves[0].band.x, (Values{0, 10}));
  EXPECT_EQ(summary.curves[0].band.low, (Values{0.5, 0.75}));
  EXPECT_EQ(summary.curves[0].band.high, (Values{0.75, 1}));
  ASSERT_EQ(summary.layers.size(), 1u);
  EXPECT_EQ(summary.layers[0].task, "tokens");
  EXPECT_EQ(summary.layers[0].figure, "norm");
  EXPECT_EQ(summary.layers[0].band.x, (Values{0, 1}));
  EXPECT_EQ(summary.layers[0].band.mean, (Values{3.125, 9}));
  ASSERT_EQ(summary.figures.size(), 2u);
  EXPECT_EQ(summary.figures[0].figure, "accuracy");
  EXPECT_EQ(summary.figures[0].kind, "nli");
  EXPECT_DOUBLE_EQ(summary.figures[0].mean, 0.625);
  EXPECT_EQ(summary.figures[0].seeds, 2);
  EXPECT_EQ(summary.figures[1].figure, "norm");
}

TEST(GroupSummary, LooksAtFiguresAloneWhereItIsNotShown) {
  GroupSummaryOfSeeds seeds(100, false);
  EXPECT_TRUE(seeds.add(small_result(0), std::nullopt).empty());
  const GroupSummary summary = seeds.summary();
  EXPECT_EQ(summary.figures.size(), 2u);
  EXPECT_TRUE(summary.loss.x.empty());
  EXPECT_TRUE(summary.curves.empty());
  EXPECT_TRUE(summary.nli.empty());
}

}  // namespace

}  // namespace gausscse
