#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include "dist/collective_call.hpp"
#include "dist/communicator.hpp"

namespace gausscse {

/// A communicator that counts its collectives, tells a watch of each, and, if asked to, compares them between ranks.
class MonitoredCommunicator : public Communicator {
 public:
  /// Calls of each kind, by `Collective`.
  using Counts = std::array<std::int64_t, collective_names.size()>;

  /// `watch` may be null. With `compare`, every collective first gathers what each rank is about to call, and throws
  /// SystemError on all ranks, with the call of each, where they differ: without it they would wait for each other for
  /// ever, or mix up their data.
  MonitoredCommunicator(std::unique_ptr<Communicator> inner, std::unique_ptr<CollectiveWatch> watch, bool compare);

  /// Puts another communicator around the one that calls are passed on to, such as that of GPUs around MPI's.
  /// Collective; watched, and counted, as `connect`. Where `around` throws, this communicator is of no use any more.
  void decorate(const std::function<std::unique_ptr<Communicator>(std::unique_ptr<Communicator>)>& around);

  const Counts& counts() const { return counts_; }
  /// Of calls from now on.
  void set_step(std::int64_t step) override;
  void set_slow_work(bool begins) override;

  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  int local_rank() const override { return inner_->local_rank(); }
  int local_size() const override { return inner_->local_size(); }
  const char* name() const override { return inner_->name(); }

  void barrier() override;
  void local_barrier() override;
  void all_reduce_sum(at::Tensor data) override;
  std::unique_ptr<PendingCollective> begin_all_reduce_sum(at::Tensor data) override;
  void all_gather(const at::Tensor& local, std::span<const std::int64_t> counts, at::Tensor out) override;
  void reduce_scatter_sum(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override;
  void all_to_all(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override;
  void ring_shift(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override;
  void broadcast(at::Tensor data, int root) override;
  std::vector<std::string> all_gather_text(const std::string& text) override;

 private:
  class Watched;
  template <typename Call>
  auto watched(Collective collective, std::int64_t elements, const Call& call);
  void compare(const CollectiveCall& call);

  std::unique_ptr<Communicator> inner_;
  std::unique_ptr<CollectiveWatch> watch_;
  bool compare_;
  Counts counts_{};
  std::int64_t number_ = 0;
  std::int64_t step_ = -1;
  int slow_works_ = 0;  ///< begun and not ended
};

/// "all_gather 12, all_reduce_sum 24": the kinds that were called.
std::string counts_text(const MonitoredCommunicator::Counts& counts);

}  // namespace gausscse
