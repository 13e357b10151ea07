#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gausscse {

/// A group of ranks, and the messages of their hosts besides the tensors of training: small, and over when the call
/// returns. Every function that all ranks take part in is called by all of them, in the same order. A failure is a
/// SystemError that names the call, the rank and the host.
class ControlGroup {
 public:
  virtual ~ControlGroup() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Returns the number of this rank among those of its node, and how many these are.
  virtual int local_rank() const = 0;
  virtual int local_size() const = 0;
  bool is_root() const { return rank() == 0; }

  virtual void barrier() = 0;
  /// Waits for the ranks of this node only.
  virtual void local_barrier() = 0;
  /// Returns each rank's text, in rank order, on all ranks.
  virtual std::vector<std::string> all_gather_text(const std::string& text) = 0;
  /// Replaces the numbers of all ranks by those of rank 0. Every rank gives as many.
  virtual void broadcast_numbers(std::span<double> numbers) = 0;

  /// Begins or ends work that may take longer than others should wait for this rank; see LongOperation.
  virtual void set_long_operation(bool /*begins*/) {}
};

/// Returns one process by itself.
std::unique_ptr<ControlGroup> make_self_control_group();

/// Returns all processes that mpirun or srun started. MPI must have been initialised, and stay so while it lives.
/// Collective.
std::unique_ptr<ControlGroup> make_mpi_control_group();

}  // namespace gausscse
