#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "dist/collective_call.hpp"

namespace gausscse {

/// A collective that a device does while it does other work.
class PendingCollective {
 public:
  virtual ~PendingCollective() = default;
  /// Lets work that the current stream of this thread gets from now on find the result.
  virtual void wait() = 0;
};

/// One call of a collective of tensors.
struct TensorCall {
  Collective collective;
  at::Tensor data;                            ///< this rank's data; the sum or the root's data replaces it
  std::span<const std::int64_t> counts = {};  ///< elements of each rank, of a call with `out`
  at::Tensor out = {};                        ///< result of this rank; undefined for a sum or a broadcast
  int root = 0;

  /// Returns the elements of the whole, which all ranks agree on.
  std::int64_t elements() const;
};

/// The collectives of tensors that training needs, by one transport. Every one is called by all ranks of a
/// ControlGroup, in the same order. Tensors are contiguous, float32 or float64, and those of one call of one type and
/// on one device; any other is a std::logic_error. Tensors on the CPU: the call returns when this rank's result is
/// there. Some transports take tensors of a device, too. The collective is then done in the order of the current stream
/// of the calling thread. Memory of the tensors must be allocated and given back on that stream. The call may return
/// when it is queued there, and all work that the stream gets later finds the result. A failure is a SystemError that
/// names the call, the rank and the host.
///
///     const std::vector<std::int64_t> counts = {3, 5};         // elements that rank 0 and rank 1 give
///     at::Tensor all = at::empty({8}, own.options());           // `own`: [3] on rank 0, [5] on rank 1
///     collectives.all_gather(own, counts, all);                 // `all` is the same on both ranks
///     collectives.all_reduce_sum(gradient);                     // in place: the sum over ranks
///     collectives.reduce_scatter_sum(by_all, counts, by_own);   // the reverse of all_gather, for gradients
class Collectives {
 public:
  using Counts = std::span<const std::int64_t>;

  virtual ~Collectives() = default;

  /// Returns the name of the transport: `self`, `mpi`, `mpi, staged` or `nccl`.
  virtual const char* name() const = 0;

  /// Replaces `data` by the sum over ranks of `data`.
  void all_reduce_sum(at::Tensor data) { run({Collective::all_reduce_sum, std::move(data)}); }
  /// Begins a sum over ranks and returns its handle: nobody may touch `data` before `wait` was called. Where the
  /// transport can sum on a device while other work goes on, later work of the current stream does not wait for it.
  std::unique_ptr<PendingCollective> begin_all_reduce_sum(at::Tensor data) {
    return begin({Collective::all_reduce_sum, std::move(data)});
  }
  /// Gathers the ranks' `local` into `out`, one after another in rank order; rank r gives counts[r] elements.
  void all_gather(const at::Tensor& local, Counts counts, at::Tensor out) {
    run({Collective::all_gather, local, counts, std::move(out)});
  }
  /// Adds up `data` over ranks, cuts the sum into parts of counts[r] elements, and gives this rank's part to `out`. The
  /// reverse of `all_gather`.
  void reduce_scatter_sum(const at::Tensor& data, Counts counts, at::Tensor out) {
    run({Collective::reduce_scatter_sum, data, counts, std::move(out)});
  }
  /// Sends counts[r] elements of rank r's `data` to each rank, those for rank 0 first. `out` gets the values that the
  /// ranks sent to this one, one after another in rank order.
  void all_to_all(const at::Tensor& data, Counts counts, at::Tensor out) {
    run({Collective::all_to_all, data, counts, std::move(out)});
  }
  /// Sends `data` to the next rank, the last one's to rank 0; out = the values of the rank before. Rank r sends
  /// counts[r] elements.
  void ring_shift(const at::Tensor& data, Counts counts, at::Tensor out) {
    run({Collective::ring_shift, data, counts, std::move(out)});
  }
  /// Replaces `data` by rank `root`'s data.
  void broadcast(at::Tensor data, int root) { run({Collective::broadcast, std::move(data), {}, {}, root}); }

  /// Makes a call by this transport.
  virtual void run(const TensorCall& call) = 0;
  /// Begins a call that changes `data` in place, see `begin_all_reduce_sum`.
  virtual std::unique_ptr<PendingCollective> begin(const TensorCall& call);

  /// Returns the collective called last, where that was queued on a device. Empty where the call came back with the
  /// result, and when this was called before.
  virtual QueuedCollective take_queued() { return {}; }

  /// Names the training step that the calls from now on belong to; -1 for none.
  virtual void set_step(std::int64_t) {}
};

/// Makes the collectives of one process by itself: ordinary copies, on any device.
std::unique_ptr<Collectives> make_self_collectives();

/// Elements that one call of MPI takes at most, as it counts them in an int; larger tensors take several.
inline constexpr std::int64_t most_elements_of_mpi = std::int64_t{1} << 28;

/// Makes MPI's collectives, for tensors on the CPU, over the ranks of `make_mpi_control_group`. MPI must have been
/// initialised, and stay so while they live. Tests give fewer elements a call. Collective.
std::unique_ptr<Collectives> make_mpi_collectives(std::int64_t most_elements = most_elements_of_mpi);

/// Returns the type of the tensors of a call. Throws std::logic_error unless all are on one device, contiguous, and of
/// one type, float32 or float64: transports take them as plain memory.
at::ScalarType type_of_collective(const TensorCall& call);

/// Throws std::logic_error unless the tensors of a call have the elements that its counts, one for each of `size`
/// ranks, give this `rank`.
void check_counts(const TensorCall& call, int rank, int size);

}  // namespace gausscse
