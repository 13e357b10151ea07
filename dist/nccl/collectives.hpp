#pragma once

#include <c10/core/Device.h>

#include <memory>
#include <string>

#include "dist/collectives.hpp"
#include "dist/control_group.hpp"

namespace gausscse {

/// Makes collectives of tensors on `device`, this rank's GPU, by NCCL, in the order of the current stream; a call
/// returns when the work is queued. Tensors on the CPU go through the `host`'s collectives. `ranks`, by which NCCL
/// comes up, must not be watched itself: MonitoredCommunicator::replace_collectives gives it.
///
/// Collective: every rank has its own GPU. Throws SystemError where NCCL does not come up within `time_out` seconds,
/// InputError where the ranks have different NCCL libraries; in a build without CUDA always InputError. A call that
/// takes longer than `time_out` to be queued is a SystemError, a little later than a watch with that limit reports it.
///
/// At their end the collectives wait for the queued calls, `time_out` at most, and take leave of the other ranks; where
/// an exception passes they abort, and wait for nothing.
std::unique_ptr<Collectives> make_nccl_collectives(ControlGroup& ranks, std::unique_ptr<Collectives> host,
                                                   at::Device device, double time_out);

/// Returns "2.28.9", as the library that is loaded says; empty in a build without CUDA.
std::string nccl_version();

}  // namespace gausscse
