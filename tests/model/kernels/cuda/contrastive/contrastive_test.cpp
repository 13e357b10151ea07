#include "tests/model/kernels/cuda/contrastive/contrastive_test.hpp"

namespace gausscse {
namespace {

TEST(CudaContrastive, LossAndGradientAreThoseOfTheCpu) {
  const Case cases[] = {
      {1, 1, 0, 1, per_dimension, ent},         {1, 5, 0, 1, joint, all_terms},
      {2, 33, 0, 2, per_dimension, ent_con},    {2, 5, 0, 2, joint, ent_rev},
      {37, 5, 0, 37, per_dimension, all_terms}, {37, 5, 0, 37, joint, all_terms},
      {37, 5, 0, 37, per_dimension, ent},       {37, 5, 0, 37, joint, ent},
      {37, 5, 0, 37, per_dimension, ent_rev},   {37, 1, 0, 37, joint, ent_con},
      {70, 5, 0, 70, joint, ent_con},           {70, 1, 0, 70, per_dimension, all_terms},
  };
  for (const Case& c : cases) {
    expect_loss_as_on_cpu<double>(c);
    expect_loss_as_on_cpu<float>(c);
  }
  expect_loss_as_on_cpu<float>({70, 64, 0, 70, per_dimension, ent});
}

TEST(CudaContrastive, TemperatureCounts) {
  Case c{9, 6, 0, 9, per_dimension, all_terms};
  for (const double temperature : {0.003, 0.7}) {
    c.temperature = temperature;
    expect_loss_as_on_cpu<double>(c);
  }
}

TEST(CudaContrastive, AnchorsMayBeAPartOfTheBatch) {
  const Case cases[] = {{37, 5, 3, 36, per_dimension, all_terms},
                        {37, 5, 36, 37, joint, all_terms},
                        {70, 5, 33, 70, joint, ent_rev},
                        {37, 5, 12, 12, per_dimension, all_terms},
                        {5, 5, 0, 0, joint, ent_con}};
  for (const Case& c : cases) {
    expect_loss_as_on_cpu<double>(c);
    expect_loss_as_on_cpu<float>(c);
  }
}

TEST(CudaContrastive, OrderOfThreadsDoesNotMatter) {
  for (const Similarity kind : gaussian_similarities) {
    const Case c{37, 18, 2, 37, kind, all_terms};
    const std::vector<float> rows = rows_of<float>(c);
    const Result<float> first = loss_on_gpu(c, rows);
    for_each_order([&] {
      const Result<float> again = loss_on_gpu(c, rows);
      EXPECT_EQ(again.loss, first.loss);
      EXPECT_EQ(again.gradient, first.gradient);
    });
  }
}

TEST(CudaContrastive, WithoutGradientTheLossIsTheSame) {
  const Case c{37, 5, 0, 37, joint, all_terms};
  const std::vector<double> rows = rows_of<double>(c);
  const Result<double> without = loss_on_gpu(c, rows, false);
  EXPECT_EQ(without.loss, loss_on_gpu(c, rows).loss);
  for (const double value : without.gradient) ASSERT_TRUE(std::isnan(value));
}

TEST(CudaContrastive, ManyCandidatesGoTileByTileThroughAPart) {
  // 17 tiles: more than a part for each.
  expect_loss_as_on_cpu<double>({530, 1, 500, 505, per_dimension, ent_con});
}

TEST(CudaContrastive, MoreAnchorsThanABlockHasThreads) {
  // Of the kernel that joins parts of a softmax there are several blocks, of the one that adds up the loss one.
  expect_loss_as_on_cpu<double>({300, 1, 0, 300, per_dimension, ent});
}

TEST(CudaContrastive, MoreDimensionsThanABlockHasThreads) {
  expect_loss_as_on_cpu<double>({3, 130, 0, 3, joint, all_terms});
}

TEST(CudaContrastive, OneOfManyRowsMayBeFarOut) {
  // Number 280 of 300, which the block's threads look at in their second round.
  const Case c{150, 1, 0, 150, per_dimension, ent};
  std::vector<float> rows = rows_of<float>(c);
  rows[2 * 280 + 1] = 100;
  expect_loss_as_on_cpu<float>(c, rows);
}

TEST(CudaContrastive, MeansMayLieFarFromTheOrigin) {
  for (const Similarity kind : gaussian_similarities) {
    Case c{37, 33, 0, 37, kind, all_terms};
    c.mean = 30;
    c.mean_spread = 0.5;
    expect_loss_as_on_cpu<double>(c);
    expect_loss_as_on_cpu<float>(c);
  }
}

TEST(CudaContrastive, LogVariancesMaySpread) {
  struct Spread {
    double log_var, spread, mean_spread;
  };
  // The last two are beyond the range that is computed without special functions.
  for (const Spread& spread : {Spread{0, 8, 1}, Spread{0, 100, 1}, Spread{90, 1, 1e19}}) {
    for (const Similarity kind : gaussian_similarities) {
      Case c{12, 20, 0, 12, kind, all_terms};
      c.log_var = spread.log_var;
      c.log_var_spread = spread.spread;
      c.mean_spread = spread.mean_spread;
      expect_loss_as_on_cpu<float>(c);
      expect_loss_as_on_cpu<double>(c);
    }
  }
}

TEST(CudaContrastive, NotANumberGivesALossThatIsNone) {
  const Case c{5, 6, 0, 5, per_dimension, all_terms};
  for (const std::size_t place : {std::size_t{0}, std::size_t{2 * 12 + 8}, std::size_t{(2 * 5 + 4) * 12 + 11}}) {
    std::vector<float> rows = rows_of<float>(c);
    rows[place] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(std::isnan(loss_on_gpu(c, rows).loss)) << place;
  }
}

TEST(CudaContrastive, LossByHand) {
  // One dimension, variance 1: kl = difference^2 / 2. Premises 0 and 2, entailments 1 and 4.
  const Case c{2, 1, 0, 2, joint, ent, 0.5};
  std::vector<double> rows{0, 0, 2, 0, 1, 0, 4, 0, 0, 0, 0, 0};
  const auto similarity = [](double difference) { return 1 / (1 + difference * difference / 2); };
  const auto of_anchor = [&](double own, double other) {
    return std::log(1 + std::exp((similarity(other) - similarity(own)) / 0.5));
  };
  EXPECT_NEAR(loss_on_gpu(c, rows).loss, (of_anchor(1, 4) + of_anchor(2, 1)) / 2, 1e-14);
}

template <typename T>
void expect_blocks_as_on_cpu(const Case& c, const std::vector<std::int64_t>& ends) {
  SCOPED_TRACE(c.name() + (sizeof(T) == 4 ? ", float" : ", double"));
  const std::vector<double> rows = rows_of<double>(c);
  const Blockwise<T> actual(c, rows_of<T>(c), ends, GpuCalls<T>(c));
  const Blockwise<double> expected(c, rows, ends, CpuCalls{});
  expect_relative(actual.largest, expected.largest, tolerance_of<T>(), "largest");
  expect_relative(actual.sum, expected.sum, tolerance_of<T>(), "sum");
  expect_relative(actual.positive, expected.positive, tolerance_of<T>(), "positive");
  expect_relative(actual.gradient, expected.gradient, tolerance_of<T>(), "gradient");
  std::vector<T> of_roles = actual.gradient;
  const Result<double> whole = loss_on_cpu(c, rows);
  of_roles.resize(whole.gradient.size());
  expect_relative(of_roles, whole.gradient, tolerance_of<T>(), "gradient of the whole");
}

TEST(CudaContrastiveCandidates, BlocksOfCandidatesGiveWhatAllAtOnceDo) {
  const std::vector<std::int64_t> ends{6, 6, 18};
  for (const Similarity kind : gaussian_similarities) {
    for (const ContrastiveTerms terms : {ent, ent_con, ent_rev, all_terms}) {
      // Own candidates lie before, in and behind the blocks.
      expect_blocks_as_on_cpu<double>({18, 5, 3, 16, kind, terms}, ends);
    }
    expect_blocks_as_on_cpu<float>({41, 5, 3, 38, kind, all_terms}, {2, 40, 41});
  }
}

/// With three texts an anchor keeps few candidates, and none of some blocks.
TEST(CudaContrastiveCandidates, SomeAreLeftOutByTheirTexts) {
  for (const ContrastiveTerms terms : {ent, ent_con, ent_rev, all_terms}) {
    Case c{11, 5, 3, 10, terms.reversed ? per_dimension : joint, terms};
    const double kept = loss_on_cpu(c, rows_of<double>(c)).loss;
    c.texts = terms.contradiction ? 3 : 12;
    EXPECT_LT(loss_on_cpu(c, rows_of<double>(c)).loss, kept - 0.01);
    expect_loss_as_on_cpu<double>(c);
    expect_blocks_as_on_cpu<double>(c, {1, 2, 11});
  }
}

TEST(CudaContrastiveCandidates, SomeAreLeftOutOfEveryPartOfTheAnchors) {
  Case c{70, 2, 1, 70, per_dimension, ent_rev};
  c.most_pairs = 1;
  c.texts = 20;
  expect_loss_as_on_cpu<float>(c);
}

TEST(CudaContrastiveCandidates, OrderOfThreadsDoesNotMatter) {
  for (const Similarity kind : gaussian_similarities) {
    const Case c{37, 18, 2, 37, kind, all_terms};
    const std::vector<std::int64_t> ends{4, 36, 37};
    const std::vector<float> rows = rows_of<float>(c);
    const Blockwise<float> first(c, rows, ends, GpuCalls<float>(c));
    for_each_order([&] {
      const Blockwise<float> again(c, rows, ends, GpuCalls<float>(c));
      EXPECT_EQ(again.largest, first.largest);
      EXPECT_EQ(again.sum, first.sum);
      EXPECT_EQ(again.positive, first.positive);
      EXPECT_EQ(again.gradient, first.gradient);
    });
  }
}

TEST(CudaContrastiveCandidates, OneBlockAndOneAnchor) {
  expect_blocks_as_on_cpu<double>({37, 33, 7, 8, per_dimension, all_terms}, {37});
  expect_blocks_as_on_cpu<double>({1, 1, 0, 1, joint, all_terms}, {1});
}

TEST(CudaContrastiveCandidates, PairsOfFewAnchorsAtOnceGiveTheSame) {
  Case c{40, 4, 1, 40, per_dimension, all_terms};
  c.most_pairs = 1;
  expect_blocks_as_on_cpu<double>(c, {7, 40});
}

TEST(CudaContrastiveCandidates, WithoutAnchorsNothingIsWritten) {
  const Case c{5, 3, 2, 2, per_dimension, all_terms};
  const Blockwise<double> nothing(c, rows_of<double>(c), {2, 5}, GpuCalls<double>(c));
  for (const double value : nothing.gradient) ASSERT_EQ(value, 0);
}

}  // namespace
}  // namespace gausscse
