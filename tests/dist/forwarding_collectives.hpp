#pragma once

#include <memory>
#include <utility>

#include "dist/monitored_communicator.hpp"

namespace gausscse::testing_support {

/// Has others do everything; what is derived from it overrides what it does itself.
class ForwardingCollectives : public Collectives {
 public:
  explicit ForwardingCollectives(std::unique_ptr<Collectives> host) : host_(std::move(host)) {}

  const char* name() const override { return host_->name(); }

  void all_reduce_sum(at::Tensor data) override { host_->all_reduce_sum(std::move(data)); }
  void all_gather(const at::Tensor& local, std::span<const std::int64_t> counts, at::Tensor out) override {
    host_->all_gather(local, counts, std::move(out));
  }
  void reduce_scatter_sum(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override {
    host_->reduce_scatter_sum(data, counts, std::move(out));
  }
  void all_to_all(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override {
    host_->all_to_all(data, counts, std::move(out));
  }
  void ring_shift(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override {
    host_->ring_shift(data, counts, std::move(out));
  }
  void broadcast(at::Tensor data, int root) override { host_->broadcast(std::move(data), root); }

  QueuedCollective take_queued() override { return host_->take_queued(); }
  void set_step(std::int64_t step) override { host_->set_step(step); }

 protected:
  Collectives& host() { return *host_; }

 private:
  std::unique_ptr<Collectives> host_;
};

/// Returns the ranks of mpirun with these collectives.
inline std::unique_ptr<Communicator> ranks_with(std::unique_ptr<Collectives> collectives) {
  return std::make_unique<MonitoredCommunicator>(make_mpi_control_group(), std::move(collectives), nullptr, false);
}

}  // namespace gausscse::testing_support
