// failing_rank TRIAL RANK WHAT [STEP [OVERRIDE...]]: trains a trial as `gausscse train` does, but with a fault on one
// rank in step STEP (default 1). WHAT happens when all are about to gather their embeddings. The rank throws alone
// (input, write, system), is refused memory (memory), or has embeddings that are no numbers (nan). Or it calls another
// collective (collective), which the ranks then compare. Or its part of the loss (nan_loss), or of one gradient
// (nan_gradient), is no number.

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "launcher/log.hpp"
#include "launcher/process.hpp"
#include "launcher/progress.hpp"
#include "launcher/run_command.hpp"
#include "launcher/signal_requests.hpp"
#include "training/train_trial.hpp"

namespace gausscse {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Before the gather of embeddings.
void fail(const std::string& what, const at::Tensor& own) {
  if (what == "input") throw InputError("a line that only this rank has");
  if (what == "write") throw WriteError("a disk that only this rank has is full");
  if (what == "system") throw SystemError("a device that only this rank has is gone");
  if (what == "memory") at::empty({std::int64_t{1} << 52}, at::kByte);
  if (what == "nan") own.fill_(nan);
}

/// Before a sum over ranks: that of the totals, which are float64 and end with the loss, or of all gradients.
void spoil_sum(const std::string& what, const at::Tensor& own) {
  const bool totals = own.scalar_type() == at::kDouble;
  if ((what == "nan_loss" && totals) || (what == "nan_gradient" && !totals)) own.view(-1)[own.numel() - 1].fill_(nan);
}

class FailingCommunicator : public Communicator {
 public:
  FailingCommunicator(Communicator& inner, int failing_rank, std::string what, std::int64_t step)
      : inner_(inner), fails_(inner.rank() == failing_rank), what_(std::move(what)), failing_step_(step) {}

  int rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  int local_rank() const override { return inner_.local_rank(); }
  int local_size() const override { return inner_.local_size(); }
  const char* name() const override { return inner_.name(); }
  void barrier() override { inner_.barrier(); }
  void local_barrier() override { inner_.local_barrier(); }
  void run(const TensorCall& call) override {
    if (fails_now() && call.collective == Collective::all_reduce_sum) spoil_sum(what_, call.data);
    if (fails_now() && call.collective == Collective::all_gather) {
      fail(what_, call.data);
      if (what_ == "collective") return inner_.barrier();
    }
    inner_.run(call);
  }
  std::vector<std::string> all_gather_text(const std::string& text) override { return inner_.all_gather_text(text); }
  void broadcast_numbers(std::span<double> numbers) override { inner_.broadcast_numbers(numbers); }
  void set_step(std::int64_t step) override {
    step_ = step;
    inner_.set_step(step);
  }
  void set_long_operation(bool begins) override { inner_.set_long_operation(begins); }

 private:
  bool fails_now() const { return fails_ && step_ == failing_step_; }

  Communicator& inner_;
  bool fails_;
  std::string what_;
  std::int64_t failing_step_;
  std::int64_t step_ = -1;
};

int run(const char* trial, int failing_rank, const char* what, std::int64_t step,
        const std::vector<std::string>& overrides) {
  SignalRequests requests;
  const bool compare = std::string_view(what) == "collective";
  Process process({.threads = 1, .timeout = compare ? 20.0 : 600.0, .check_collectives = compare});
  start_log(process.communicator(), Verbosity::errors);
  FailingCommunicator ranks(process.communicator(), failing_rank, what, step);
  Progress progress(false, false);
  TrainOptions options;
  options.provenance = process.provenance();
  train_trial(read_trial(trial, overrides), options, ranks, progress, requests);
  return 0;
}

}  // namespace
}  // namespace gausscse

int main(int argc, char** argv) {
  if (argc < 4) return 3;
  const std::vector<std::string> overrides(argv + std::min(argc, 5), argv + argc);
  const int step = argc > 4 ? std::atoi(argv[4]) : 1;
  return gausscse::run_command("train",
                               [&] { return gausscse::run(argv[1], std::atoi(argv[2]), argv[3], step, overrides); });
}
