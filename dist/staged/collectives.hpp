#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>

#include "dist/collectives.hpp"

namespace gausscse {

/// Makes collectives that take tensors of any device. Those that are not on the CPU are copied to host memory, go
/// through the collective of `host` there, and the result is copied back. They serve devices that have no transport
/// themselves, and ranks that share one. Calls return when the result is on its way to the device. They are named `mpi,
/// staged` where `host` is `mpi`. Tensors on the CPU go to the host's collectives.
std::unique_ptr<Collectives> make_staged_collectives(std::unique_ptr<Collectives> host);

/// Returns collectives that stage only the tensors that `must_be_staged` names, all or none of a call.
std::unique_ptr<Collectives> make_staged_collectives(std::unique_ptr<Collectives> host,
                                                     std::function<bool(const at::Tensor&)> must_be_staged);

}  // namespace gausscse
