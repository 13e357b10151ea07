#pragma once

#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "dist/collectives.hpp"
#include "dist/nccl/calls.hpp"

namespace gausscse::detail {

/// Collectives of tensors on one device, by NCCL on their own stream. That stream waits for the caller's current
/// stream, which waits for it in turn. Collectives of tensors on the CPU are the host's. Speaks of device, streams and
/// events by LibTorch's general names only.
class NcclCollectives : public Collectives {
 public:
  /// Joins the other ranks by `id`. Collective.
  NcclCollectives(std::unique_ptr<Collectives> host, int rank, int size, at::Device device, const std::string& id,
                  NcclLimits limits);
  /// Takes leave of the others, or aborts where an exception passes.
  ~NcclCollectives() override;

  const char* name() const override { return "nccl"; }

  void run(const TensorCall& call) override;
  std::unique_ptr<PendingCollective> begin(const TensorCall& call) override;
  QueuedCollective take_queued() override;
  /// Sets the step. Up to the end of the first step calls return when they are done.
  void set_step(std::int64_t step) override;

 private:
  /// Returns the elements of tensors on the device; nothing where they are on the CPU. Any others are a
  /// std::logic_error.
  std::optional<NcclElement> element_of(const TensorCall& call) const;
  /// Queues the call behind the present work of the current stream, and returns the event of its end.
  std::shared_ptr<c10::Event> queue(const TensorCall& call, NcclElement element);
  std::shared_ptr<c10::Event> unused_event();

  std::unique_ptr<Collectives> host_;
  int rank_, size_;
  at::Device device_;
  int exceptions_at_start_;
  c10::Stream stream_;
  c10::Event before_;
  /// Events at the ends of collectives, the one used longest ago first. They are kept, as giving one back may wait for
  /// a device that is stuck, which the thread that asks for its collective must not.
  std::deque<std::shared_ptr<c10::Event>> ends_;
  QueuedCollective queued_;
  bool in_step_ = false;
  /// CUDA loads a kernel when it is first launched, and may wait for the device's present work before that. Were that a
  /// collective, ranks could wait for each other for ever: until a whole step has run, none is left on the device.
  bool kernels_are_loaded_ = false;
  std::unique_ptr<NcclHandle> handle_;
};

}  // namespace gausscse::detail
