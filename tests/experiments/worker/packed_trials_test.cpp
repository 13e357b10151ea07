#include "experiments/dry_run/dry_run.hpp"
#include "tests/experiments/worker/worker_fixture.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// A study on a machine with one pretended GPU, of which each of its trials takes 60 % (`fake_train`).
class PackedTrials : public WorkerTest {
 protected:
  PackedTrials() {
    ::setenv("CUDA_VISIBLE_DEVICES", "GPU-of-packed-trials", 1);
    ::setenv("CUDA_MPS_PIPE_DIRECTORY", folder.path().c_str(), 1);
  }
  ~PackedTrials() override {
    ::unsetenv("CUDA_VISIBLE_DEVICES");
    ::unsetenv("CUDA_MPS_PIPE_DIRECTORY");
  }

  std::string notes_of_dry_run() const {
    std::string notes;
    dry_run_of_study(study.options(), [&](const std::string& text) { notes += text + "\n"; });
    return notes;
  }
};

TEST_F(PackedTrials, HaveTheirPartOfAGpuAndAreComparedWithIt) {
  study.write_manifest({1, 2, 3}, "resources: {gpus: 0.5}\n");
  const std::string problem =
      "resources.gpus: 0.5 lets 2 trials share a GPU, but one took 60 % of its memory: trials will halve their "
      "micro-batches, which takes longer; set resources.gpus to true";
  EXPECT_FALSE(says(notes_of_dry_run(), problem)) << "nothing is known before a trial is done";
  ASSERT_EQ(run_only({"seed=1"}), 0) << observer.lines;
  EXPECT_TRUE(says(observer.lines, "up to 2 trials share a GPU, each with 50 % of its memory; without MPS"));
  EXPECT_FALSE(says(observer.lines, problem)) << observer.lines;
  EXPECT_EQ(study.noted("per_process_memory_fraction:0.5 1"), 1u);
  EXPECT_EQ(study.trial(1).run->gpu_memory_share, 0.6);

  EXPECT_TRUE(says(notes_of_dry_run(), problem));
  ASSERT_EQ(run(), 0) << observer.lines;
  EXPECT_TRUE(says(observer.lines, "warning: " + problem));
  observer.lines.clear();
  ASSERT_EQ(run(), 0);
  EXPECT_FALSE(says(observer.lines, problem)) << "all are done";
}

TEST_F(PackedTrials, WithAGpuEachHaveAllOfIt) {
  study.write_manifest({1, 2}, "resources: {gpus: true}\n");
  ASSERT_EQ(run(), 0) << observer.lines;
  EXPECT_EQ(study.noted("per_process_memory_fraction"), 0u);
  EXPECT_FALSE(says(observer.lines, "share a GPU"));
}

}  // namespace
}  // namespace gausscse
