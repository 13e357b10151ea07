#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

namespace gausscse {

enum class Collective {
  barrier,
  local_barrier,
  all_reduce_sum,
  all_gather,
  reduce_scatter_sum,
  all_to_all,
  ring_shift,
  broadcast,
  all_gather_text,
  connect,
  end
};

/// The functions of `Communicator`, in the order of `Collective`, the start of a transport of GPUs and the end of the
/// program.
constexpr std::array collective_names = {
    "barrier",   "local_barrier",   "all_reduce_sum", "all_gather", "reduce_scatter_sum", "all_to_all", "ring_shift",
    "broadcast", "all_gather_text", "connect",        "end"};
static_assert(collective_names.size() == static_cast<std::size_t>(Collective::end) + 1);

/// One call of a collective, as messages and comparisons between ranks need it.
struct CollectiveCall {
  Collective collective = Collective::barrier;
  std::int64_t elements = 0;  ///< elements of the whole, which all ranks agree on, not of this rank's part
  std::int64_t number = 0;    ///< number of this call among all of this rank, from 1
  std::int64_t step = -1;     ///< training step, -1 outside of steps

  bool operator==(const CollectiveCall&) const = default;
};

/// Returns "all_reduce_sum of 123 elements (collective 45, step 6)".
std::string to_string(const CollectiveCall& call);

/// A collective that goes on on a device after the call that queued it. For any thread, as long as its communicator
/// lives.
struct QueuedCollective {
  /// True when it is done; throws SystemError where it never will be.
  std::function<bool()> is_done;
  /// Gives up queued calls that are not done, in some seconds, so that the device does not wait for other ranks any
  /// more. No collective of the device may follow. May be empty.
  std::function<void()> abort = {};

  explicit operator bool() const { return static_cast<bool>(is_done); }
};

/// Observer of every collective that a rank enters and leaves.
class CollectiveWatch {
 public:
  virtual ~CollectiveWatch() = default;
  virtual void enter(const CollectiveCall& call) = 0;
  /// Takes note that the call that was entered last is queued on a device, and goes on there when it is left.
  virtual void queued(const QueuedCollective& /*collective*/) {}
  virtual void leave() = 0;
  /// Takes note whether the rank does work, outside of collectives, that may take longer than a collective should.
  virtual void set_long_operation(bool slow_work) = 0;
};

}  // namespace gausscse
