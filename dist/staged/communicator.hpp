#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>

#include "dist/communicator.hpp"

namespace gausscse {

/// A communicator that takes tensors of any device: those that are not on the CPU are copied to host memory, go through
/// the collective of `host` there, and what comes out is copied back. For devices that have no transport of their own,
/// and for ranks that share one. Its calls return when the result is on its way to the device; named `mpi, staged`
/// where `host` is `mpi`. Ranks, texts, barriers and tensors on the CPU are those of `host`.
std::unique_ptr<Communicator> make_staged_communicator(std::unique_ptr<Communicator> host);

/// The same for the tensors that `must_be_staged` names, all or none of a call.
std::unique_ptr<Communicator> make_staged_communicator(std::unique_ptr<Communicator> host,
                                                       std::function<bool(const at::Tensor&)> must_be_staged);

}  // namespace gausscse
