// failing_rank TRIAL RANK WHAT: trains a trial as `gausscse train` does, but for what happens on one rank in step 1,
// when all are about to gather their embeddings: it throws alone (input, write, system), is refused memory (memory),
// has embeddings that are no numbers (nan), or calls another collective (collective), which the ranks then compare.

#include <ATen/ops/empty.h>

#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "experiments/training/train_trial.hpp"
#include "launcher/log.hpp"
#include "launcher/process.hpp"
#include "launcher/progress.hpp"
#include "launcher/run_command.hpp"
#include "launcher/signal_requests.hpp"

namespace gausscse {
namespace {

void fail(const std::string& what, const at::Tensor& own) {
  if (what == "input") throw InputError("a line that only this rank has");
  if (what == "write") throw WriteError("a disk that only this rank has is full");
  if (what == "system") throw SystemError("a device that only this rank has is gone");
  if (what == "memory") at::empty({std::int64_t{1} << 52}, at::kByte);
  if (what == "nan") own.fill_(std::numeric_limits<double>::quiet_NaN());
}

class FailingCommunicator : public Communicator {
 public:
  FailingCommunicator(Communicator& inner, int failing_rank, std::string what)
      : inner_(inner), fails_(inner.rank() == failing_rank), what_(std::move(what)) {}

  int rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  int local_rank() const override { return inner_.local_rank(); }
  int local_size() const override { return inner_.local_size(); }
  const char* name() const override { return inner_.name(); }
  void barrier() override { inner_.barrier(); }
  void local_barrier() override { inner_.local_barrier(); }
  void all_reduce_sum(at::Tensor data) override { inner_.all_reduce_sum(std::move(data)); }
  void all_gather(const at::Tensor& local, std::span<const std::int64_t> counts, at::Tensor out) override {
    if (fails_ && step_ == 1) fail(what_, local);
    if (fails_ && step_ == 1 && what_ == "collective") return inner_.barrier();
    inner_.all_gather(local, counts, std::move(out));
  }
  void reduce_scatter_sum(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override {
    inner_.reduce_scatter_sum(data, counts, std::move(out));
  }
  void all_to_all(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override {
    inner_.all_to_all(data, counts, std::move(out));
  }
  void ring_shift(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override {
    inner_.ring_shift(data, counts, std::move(out));
  }
  void broadcast(at::Tensor data, int root) override { inner_.broadcast(std::move(data), root); }
  std::vector<std::string> all_gather_text(const std::string& text) override { return inner_.all_gather_text(text); }
  void set_step(std::int64_t step) override {
    step_ = step;
    inner_.set_step(step);
  }
  void set_slow_work(bool begins) override { inner_.set_slow_work(begins); }

 private:
  Communicator& inner_;
  bool fails_;
  std::string what_;
  std::int64_t step_ = -1;
};

int run(const char* trial, int failing_rank, const char* what) {
  SignalRequests requests;
  const bool compare = std::string_view(what) == "collective";
  Process process({.threads = 1, .timeout = compare ? 20.0 : 600.0, .check_collectives = compare});
  start_log(process.communicator(), Verbosity::errors);
  FailingCommunicator ranks(process.communicator(), failing_rank, what);
  Progress progress(false, false);
  TrainOptions options;
  options.provenance = process.provenance();
  train_trial(read_trial(trial, {}), options, ranks, progress, requests);
  return 0;
}

}  // namespace
}  // namespace gausscse

int main(int argc, char** argv) {
  if (argc != 4) return 3;
  return gausscse::run_command("train", [&] { return gausscse::run(argv[1], std::atoi(argv[2]), argv[3]); });
}
