#include "experiments/worker/gpu_sharing.hpp"

#include "experiments/processes/trial_launch.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

Resources with_gpus(double gpus) {
  Resources resources;
  resources.gpus = gpus;
  return resources;
}

TEST(SharingNote, SaysWhetherMpsServes) {
  EXPECT_EQ(sharing_note(with_gpus(0.25), true),
            "up to 4 trials share a GPU, each with 25 % of its memory; MPS serves this node, so that their kernels run "
            "at the same time");
  EXPECT_EQ(sharing_note(with_gpus(0.5), false),
            "up to 2 trials share a GPU, each with 50 % of its memory; without MPS their kernels take turns: "
            "nvidia-cuda-mps-control -d starts it");
  for (const double gpus : {0.0, 0.6, 1.0}) EXPECT_EQ(sharing_note(with_gpus(gpus), true), "") << gpus;
}

TEST(PackingWarning, SaysWhatFits) {
  EXPECT_EQ(packing_warning(with_gpus(0.25), 0.36),
            "resources.gpus: 0.25 lets 4 trials share a GPU, but one took 36 % of its memory: trials will halve their "
            "micro-batches, which takes longer; set resources.gpus to 0.5, with which 2 trials fit");
  EXPECT_TRUE(says(packing_warning(with_gpus(0.5), 0.51), "set resources.gpus to true"));
  EXPECT_TRUE(says(packing_warning(with_gpus(0.25), 0.3), "to 0.333, with which 3 trials fit"));
}

TEST(PackingWarning, IsEmptyWhereTrialsFit) {
  EXPECT_EQ(packing_warning(with_gpus(0.25), 0.25), "");
  EXPECT_EQ(packing_warning(with_gpus(0.25), 0), "") << "nothing is known";
  EXPECT_EQ(packing_warning(with_gpus(1), 0.9), "");
  EXPECT_EQ(packing_warning(with_gpus(0), 0.9), "");
}

/// With the proposed fraction as many trials share a GPU as fit.
TEST(PackingWarning, ProposesAFractionForAsManyTrials) {
  for (double share = 0.02; share <= 0.5; share += 0.003) {
    const std::string text = packing_warning(with_gpus(0.01), share);
    const std::size_t at = text.find("resources.gpus to ");
    ASSERT_NE(at, std::string::npos) << share;
    EXPECT_EQ(trials_on_a_gpu(with_gpus(std::stod(text.substr(at + 18)))), static_cast<int>(1 / share)) << text;
  }
}

}  // namespace
}  // namespace gausscse
