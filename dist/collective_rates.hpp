#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <vector>

#include "dist/collectives.hpp"
#include "dist/communicator.hpp"
#include "dist/control_group.hpp"

namespace gausscse {

/// Time and size of one kind of collective.
struct CollectiveRate {
  std::string name;
  double seconds = 0;
  /// Size of the whole: the result of all_gather on a rank, the input of reduce_scatter_sum; 0 where it has none
  double bytes = 0;
};

/// Times the barrier and each collective of tensors on `device`, of `elements` float32 values in all (rounded down to a
/// multiple of the ranks). Takes the fastest of three calls, each until all ranks have their results. Collective; the
/// rates of each rank are its own.
std::vector<CollectiveRate> measure_collectives(Communicator& communicator, at::Device device, std::int64_t elements);

/// Returns a line each, with bytes a second.
std::string to_text(const std::vector<CollectiveRate>& rates);

/// Goes through one sum and one ring shift with tensors on `device`, and waits for them. A transport makes its
/// connections when it is first used, which must not happen during other work. Throws SystemError where the numbers
/// that come out are wrong. Collective.
void try_collectives(const ControlGroup& ranks, Collectives& collectives, at::Device device);

}  // namespace gausscse
