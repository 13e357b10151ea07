#pragma once

#include <memory>
#include <utility>

#include "dist/communicator.hpp"

namespace gausscse {

/// Has another communicator do everything; what is derived from it overrides what it does itself.
class ForwardingCommunicator : public Communicator {
 public:
  explicit ForwardingCommunicator(std::unique_ptr<Communicator> host) : host_(std::move(host)) {}

  int rank() const override { return host_->rank(); }
  int size() const override { return host_->size(); }
  int local_rank() const override { return host_->local_rank(); }
  int local_size() const override { return host_->local_size(); }
  const char* name() const override { return host_->name(); }

  void barrier() override { host_->barrier(); }
  void local_barrier() override { host_->local_barrier(); }
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
  std::vector<std::string> all_gather_text(const std::string& text) override { return host_->all_gather_text(text); }

  QueuedCollective take_queued() override { return host_->take_queued(); }
  void set_step(std::int64_t step) override { host_->set_step(step); }
  void set_slow_work(bool begins) override { host_->set_slow_work(begins); }

 protected:
  Communicator& host() { return *host_; }

 private:
  std::unique_ptr<Communicator> host_;
};

}  // namespace gausscse
