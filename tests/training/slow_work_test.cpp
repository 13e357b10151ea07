#include "dist/monitored_communicator.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/tiny_training.hpp"
#include "training/train_trial.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

/// Files on the disk when slow work begins, or ends.
struct Moment {
  bool cache, checkpoint, model, result;
};
struct SlowWorkSeen {
  Moment begin, end;
};

/// Looks at the disk whenever a rank reports the begin or end of work for which others may have to wait.
class DiskWatch : public CollectiveWatch {
 public:
  DiskWatch(const Trial& trial, std::vector<SlowWorkSeen>& seen) : trial_(trial), seen_(seen) {}
  void enter(const CollectiveCall&) override {}
  void leave() override {}
  void set_long_operation(bool begins) override {
    const Moment now{fs::exists(trial_.data.cache),
                     fs::exists(trial_.output / "checkpoints/step-000000001.safetensors"),
                     fs::exists(trial_.output / "model"), fs::exists(trial_.output / "result.h5")};
    if (begins) seen_.push_back({now, now});
    if (!begins && !seen_.empty()) seen_.back().end = now;
  }

 private:
  const Trial& trial_;
  std::vector<SlowWorkSeen>& seen_;
};

/// Returns the slow work of a training of a few steps, or of one that is asked to stop after the first.
std::vector<SlowWorkSeen> slow_work_of(const TinyTraining& training, bool stop) {
  Trial trial = training.trial({"training.max_steps=2", "training.checkpoint_minutes=0"});
  trial.output = training.folder / (stop ? "stopped" : "whole");
  trial.data.cache = trial.output.string() + " cache";
  std::vector<SlowWorkSeen> seen;
  MonitoredCommunicator alone(make_self_control_group(), make_self_collectives(),
                              std::make_unique<DiskWatch>(trial, seen), false);
  RecordingObserver told;
  StopAfter requests(stop ? 1 : 100);
  try {
    train_trial(trial, {}, alone, told, requests);
    EXPECT_FALSE(stop);
  } catch (const TrainingStopped&) {
    EXPECT_TRUE(stop);
  }
  return seen;
}

bool comes(const std::vector<SlowWorkSeen>& seen, bool Moment::*part) {
  return std::ranges::any_of(seen, [&](const SlowWorkSeen& work) { return !(work.begin.*part) && work.end.*part; });
}

/// Ranks that wait for one that reads, or writes, large files must know that it does.
TEST(SlowWorkOfATraining, ReadingAndWritingAreTold) {
  const TinyTraining training;
  const std::vector<SlowWorkSeen> whole = slow_work_of(training, false);
  EXPECT_TRUE(comes(whole, &Moment::cache)) << "tokenising";
  EXPECT_TRUE(comes(whole, &Moment::model)) << "writing the model";
  EXPECT_TRUE(comes(whole, &Moment::result)) << "writing the result";
  EXPECT_TRUE(comes(slow_work_of(training, true), &Moment::checkpoint)) << "waiting for a checkpoint to be written";
}

}  // namespace
}  // namespace gausscse
