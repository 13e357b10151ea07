#pragma once

#include <memory>

#include "dist/monitored_communicator.hpp"

namespace gausscse {

/// Passes every call on; a derived class overrides the calls that it makes itself.
class ForwardingCollectives : public Collectives {
 public:
  explicit ForwardingCollectives(std::unique_ptr<Collectives> host) : host_(std::move(host)) {}

  const char* name() const override { return host_->name(); }

  void run(const TensorCall& call) override { host_->run(call); }

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

}  // namespace gausscse
