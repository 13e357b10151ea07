#include <ATen/record_function.h>

#include <atomic>

#include "dist/communicator.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/device_of_goldens.hpp"
#include "tests/training/tiny_training.hpp"
#include "training/train_trial.hpp"

namespace gausscse {
namespace {

/// LibTorch's operators that bring values of the GPU to the host, and those of them that have the host wait.
std::atomic<std::int64_t> copies_to_host, waits;

/// Counts them while it lives.
class OperatorCounts {
 public:
  OperatorCounts()
      : callback_(at::addGlobalCallback(
            at::RecordFunctionCallback(&count).needsInputs(true).scopes({at::RecordScope::FUNCTION}))) {
    copies_to_host = 0;
    waits = 0;
  }
  ~OperatorCounts() { at::removeCallback(callback_); }
  OperatorCounts(const OperatorCounts&) = delete;
  OperatorCounts& operator=(const OperatorCounts&) = delete;

 private:
  static std::unique_ptr<at::ObserverContext> count(const at::RecordFunction& call) {
    const std::string_view name = call.name();
    const c10::ArrayRef<const c10::IValue> inputs = call.inputs();
    const auto on_gpu = [&](std::size_t i) {
      return i < inputs.size() && inputs[i].isTensor() && inputs[i].toTensor().is_cuda();
    };
    if (name == "aten::copy_" && on_gpu(1) && !on_gpu(0)) {
      ++copies_to_host;
      if (!inputs[2].toBool()) ++waits;
    }
    // The GPU is asked for their number and their values.
    for (const char* asking : {"aten::_local_scalar_dense", "aten::equal", "aten::nonzero", "aten::masked_select"})
      if (name == asking && on_gpu(0)) ++waits;
    return nullptr;
  }

  at::CallbackHandle callback_;
};

/// Observer that keeps the counts from one reported step to the next.
class StepWatcher : public RecordingObserver {
 public:
  void on_step(const StepReport& report) override {
    RecordingObserver::on_step(report);
    copies.push_back(copies_to_host.exchange(0));
    waited.push_back(waits.exchange(0));
  }

  std::vector<std::int64_t> copies, waited;
};

TEST(GpuStep, CopiesItsLossAndItsNormToTheHostAndNothingElse) {
  GAUSSCSE_SKIP_WITHOUT_DEVICE();
  const TinyTraining training;
  Trial trial = training.trial({"training.batch_size=6", "training.max_steps=5", "training.max_tokens=12",
                                "training.clip_norm=0.5", "training.checkpoint_minutes=0"});
  trial.output = training.folder / "counted";
  TrainOptions options;
  options.device = device_of_goldens;
  StepWatcher watcher;
  NoRequests nothing;
  const OperatorCounts counts;
  train_trial(trial, options, *make_self_communicator(), watcher, nothing);
  ASSERT_EQ(watcher.copies.size(), 5u);
  // The loss, and the norm of the gradients, which is read a step later. The first step is reported with the counts
  // before training.
  for (std::size_t step = 1; step < 4; ++step) {
    EXPECT_EQ(watcher.copies[step], 2) << step;
    EXPECT_EQ(watcher.waited[step], 0) << step;
  }
  EXPECT_EQ(watcher.waited[4], 0);
}

}  // namespace
}  // namespace gausscse
