#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include "dist/collective_call.hpp"
#include "dist/communicator.hpp"

namespace gausscse {

/// Communicator over a control group and collectives of the same ranks. It counts all calls, reports each to a watch,
/// and, if asked to, compares them between ranks.
class MonitoredCommunicator : public Communicator {
 public:
  /// Calls of each kind, by `Collective`.
  using Counts = std::array<std::int64_t, collective_names.size()>;

  /// Joins the two. `watch` may be null. With `compare`, every collective first gathers the calls that the ranks are
  /// about to make. Where they differ it throws SystemError on all ranks, with the call of each: else they would wait
  /// for each other for ever, or mix up their data.
  MonitoredCommunicator(std::unique_ptr<ControlGroup> control, std::unique_ptr<Collectives> collectives,
                        std::unique_ptr<CollectiveWatch> watch, bool compare);

  /// Function that makes other collectives of those of the host, such as those of GPUs that leave tensors on the CPU to
  /// MPI's.
  using MakeCollectives =
      std::function<std::unique_ptr<Collectives>(ControlGroup& ranks, std::unique_ptr<Collectives> host)>;
  /// Replaces the collectives by the result of `make`, which takes them. Collective; watched, and counted, as
  /// `connect`. Where `make` throws, this communicator is of no use any more.
  void replace_collectives(const MakeCollectives& make);

  /// Waits for the other ranks before the end of MPI. Unlike in other collectives, a rank that is still at work is
  /// waited for as long as it shows signs of life: rank 0 may write for long. Collective.
  void wait_for_end();

  const Counts& counts() const { return counts_; }
  /// Sets the step of calls from now on.
  void set_step(std::int64_t step) override;
  void set_long_operation(bool begins) override;

  int rank() const override { return control_->rank(); }
  int size() const override { return control_->size(); }
  int local_rank() const override { return control_->local_rank(); }
  int local_size() const override { return control_->local_size(); }
  const char* name() const override { return collectives_->name(); }

  void barrier() override;
  void local_barrier() override;
  void run(const TensorCall& call) override;
  std::unique_ptr<PendingCollective> begin(const TensorCall& call) override;
  std::vector<std::string> all_gather_text(const std::string& text) override;
  void broadcast_numbers(std::span<double> numbers) override;

 private:
  class Watched;
  template <typename Call>
  auto watched(Collective collective, std::int64_t elements, const Call& call);
  void compare(const CollectiveCall& call);

  std::unique_ptr<ControlGroup> control_;
  std::unique_ptr<Collectives> collectives_;
  std::unique_ptr<CollectiveWatch> watch_;
  bool compare_;
  Counts counts_{};
  std::int64_t number_ = 0;
  std::int64_t step_ = -1;
  int long_operations_ = 0;  ///< begun and not ended
};

/// Returns "all_gather 12, all_reduce_sum 24": the kinds that were called.
std::string counts_text(const MonitoredCommunicator::Counts& counts);

}  // namespace gausscse
