#include "evaluation/transfer/shared_fits.hpp"
#include "tests/dist/watch_notes.hpp"
#include "tests/evaluation/transfer/transfer_goldens.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Each number once on one rank, results in order on all, more ranks than fits or fewer.
TEST(SharedFits, GiveAllRanksAllResults) {
  const auto communicator = make_mpi_communicator();
  SharedFits fits(*communicator);
  for (const std::size_t count : {1u, 2u, 5u, 12u}) {
    std::vector<double> calls(count);
    const auto results = fits.run(count, 3, [&](std::size_t i) {
      ++calls[i];
      const auto number = static_cast<double>(i);
      return std::vector<double>{number, number * number, 7};
    });
    ASSERT_EQ(results.size(), count);
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_EQ(results[i], (std::vector<double>{static_cast<double>(i), static_cast<double>(i * i), 7}));
    at::Tensor of_all = at::empty({static_cast<std::int64_t>(count)}, at::kDouble);
    std::copy(calls.begin(), calls.end(), of_all.mutable_data_ptr<double>());
    communicator->all_reduce_sum(of_all);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(of_all.const_data_ptr<double>()[i], 1) << i;
  }
}

/// A fit may take longer than a collective may last.
TEST(SharedFits, OtherRanksWaitWhileOneFits) {
  std::string notes;
  MonitoredCommunicator alone = noted_communicator(notes);
  SharedFits(alone).run(1, 1, [&](std::size_t) {
    notes += "fit, ";
    return std::vector<double>{0};
  });
  EXPECT_EQ(notes, "slow, fit, not slow, all_gather of 1 elements (collective 1), left, ");
}

/// The same metrics on any number of ranks as on one.
TEST(SharedFits, TransferAccuracyDoesNotDependOnRanks) {
  const auto communicator = make_mpi_communicator(), alone = make_self_communicator();
  SharedFits fits(*communicator), own_fits(*alone);
  const ClassifierSettings settings = golden_settings("fast");
  for (const TransferDataset dataset : {TransferDataset::cr, TransferDataset::mrpc, TransferDataset::sst5}) {
    const TransferFeatures features = hashed_features(dataset, 24);
    const TransferAccuracy shared = transfer_accuracy(features, layout_of(dataset), settings, fits);
    const TransferAccuracy own = transfer_accuracy(features, layout_of(dataset), settings, own_fits);
    EXPECT_EQ(shared.accuracy, own.accuracy) << name_of(dataset);
    EXPECT_EQ(shared.development, own.development) << name_of(dataset);
    EXPECT_EQ(shared.f1, own.f1) << name_of(dataset);
  }
}

}  // namespace
}  // namespace gausscse
