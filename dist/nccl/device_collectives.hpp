#pragma once

#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>

#include "dist/collectives.hpp"
#include "dist/nccl/calls.hpp"

namespace gausscse::detail {

/// Collectives of tensors on one device, by NCCL on their own stream, which waits for the caller's current stream and
/// is waited for by it; those of tensors on the CPU are the host's. Speaks of device, streams and events by LibTorch's
/// general names only.
class NcclCollectives : public Collectives {
 public:
  /// Joins the other ranks by `id`. Collective.
  NcclCollectives(std::unique_ptr<Collectives> host, int rank, int size, at::Device device, const std::string& id,
                  NcclLimits limits);
  /// Takes leave of the others, or aborts where an exception passes.
  ~NcclCollectives() override;

  const char* name() const override { return "nccl"; }

  void all_reduce_sum(at::Tensor data) override;
  std::unique_ptr<PendingCollective> begin_all_reduce_sum(at::Tensor data) override;
  void all_gather(const at::Tensor& local, std::span<const std::int64_t> counts, at::Tensor out) override;
  void reduce_scatter_sum(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override;
  void all_to_all(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override;
  void ring_shift(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override;
  void broadcast(at::Tensor data, int root) override;
  QueuedCollective take_queued() override;
  /// Sets the step. Up to the end of the first step calls return when they are done.
  void set_step(std::int64_t step) override;

 private:
  /// Returns the elements of tensors on the device; nothing where they are on the CPU. Any others are a
  /// std::logic_error.
  std::optional<NcclElement> element_of(std::initializer_list<std::reference_wrapper<const at::Tensor>> tensors) const;
  /// Has `calls` queue work on a stream, behind what the current stream has by now. The event of its end.
  template <typename Calls>
  std::shared_ptr<c10::Event> begin(const Calls& calls);
  /// Does the same, and before what the current stream gets later.
  template <typename Calls>
  void queue(const Calls& calls);
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
  /// CUDA loads a kernel when it is first launched, and may wait for what the device is at before that. Were that a
  /// collective, ranks could wait for each other for ever: until a whole step has run, none is left on the device.
  bool kernels_are_loaded_ = false;
  std::unique_ptr<NcclHandle> handle_;
};

}  // namespace gausscse::detail
