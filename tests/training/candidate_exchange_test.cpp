#include "training/candidate_exchange.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

Trial trial_of(std::int64_t batch_size, setting::Exchange exchange) {
  Trial trial;
  trial.training.batch_size = batch_size;
  trial.training.exchange = exchange;
  return trial;
}

TEST(CandidateExchange, IsWhatTheTrialSays) {
  EXPECT_EQ(exchange_of(trial_of(8, setting::Exchange::ring), 3, 16, 1), CandidateExchange::ring);
  EXPECT_EQ(exchange_of(trial_of(10'000'000, setting::Exchange::gather), 3, 1536, 8), CandidateExchange::gather);
}

/// 3 roles of 1,536 numbers of 4 bytes and their gradient are 36,864 bytes an example: 2^30 bytes hold 29,127 examples.
TEST(CandidateExchange, IsTheRingWhereGatheringTakesMoreThanAGiB) {
  constexpr auto automatic = setting::Exchange::automatic;
  EXPECT_EQ(gathered_bytes(trial_of(10, automatic), 3, 1536), 368'640);
  EXPECT_EQ(exchange_of(trial_of(29'127, automatic), 3, 1536, 8), CandidateExchange::gather);
  EXPECT_EQ(exchange_of(trial_of(29'128, automatic), 3, 1536, 8), CandidateExchange::ring);
  EXPECT_EQ(exchange_of(trial_of(29'128, automatic), 2, 1536, 8), CandidateExchange::gather);
  EXPECT_EQ(exchange_of(trial_of(29'128, automatic), 3, 1536, 1), CandidateExchange::gather) << "nothing is saved";
  Trial invariant = trial_of(29'128, automatic);
  invariant.reproducibility = setting::Reproducibility::rank_invariant;
  EXPECT_EQ(exchange_of(invariant, 3, 1536, 8), CandidateExchange::gather);
}

}  // namespace
}  // namespace gausscse
