#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>

#include "dist/collectives.hpp"

namespace gausscse {

/// Collectives that take tensors of any device: those that are not on the CPU are copied to host memory, go through the
/// collective of `host` there, and what comes out is copied back. For devices that have no transport of their own, and
/// for ranks that share one. Calls return when the result is on its way to the device; named `mpi, staged` where `host`
/// is `mpi`. Those of tensors on the CPU are the host's.
std::unique_ptr<Collectives> make_staged_collectives(std::unique_ptr<Collectives> host);

/// Returns the same for the tensors that `must_be_staged` names, all or none of a call.
std::unique_ptr<Collectives> make_staged_collectives(std::unique_ptr<Collectives> host,
                                                     std::function<bool(const at::Tensor&)> must_be_staged);

}  // namespace gausscse
