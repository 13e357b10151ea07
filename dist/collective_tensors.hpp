#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>

namespace gausscse {

/// Returns the type of tensors that go through one collective. Throws std::logic_error unless all are on one device,
/// contiguous, and of one type, float32 or float64: transports take them as plain memory.
at::ScalarType type_of_collective(std::initializer_list<std::reference_wrapper<const at::Tensor>> tensors);
/// Returns the same of tensors on the CPU; any other is a std::logic_error, too.
at::ScalarType type_of_host_collective(std::initializer_list<std::reference_wrapper<const at::Tensor>> tensors);

/// Throws std::logic_error unless there is a count for each of `size` ranks, that of this `rank` is `own`, and all add
/// up to `all`.
void check_counts(std::span<const std::int64_t> counts, int rank, int size, std::int64_t own, std::int64_t all);
/// Checks the counts of a ring shift: this rank's is `sent`, that of the rank before `received`.
void check_ring_counts(std::span<const std::int64_t> counts, int rank, int size, std::int64_t sent,
                       std::int64_t received);

}  // namespace gausscse
