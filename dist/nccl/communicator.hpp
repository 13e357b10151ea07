#pragma once

#include <c10/core/Device.h>

#include <memory>
#include <string>

#include "dist/communicator.hpp"

namespace gausscse {

/// A communicator whose collectives of tensors on `device`, this rank's GPU, are NCCL's, in the order of the current
/// stream; a call returns when the work is queued. Ranks, texts, barriers and tensors on the CPU are those of `host`,
/// which must not be watched itself: MonitoredCommunicator::decorate puts this one into a watched one.
///
/// Collective: every rank has a GPU of its own. Throws SystemError where NCCL does not come up within `time_out`
/// seconds, InputError where the ranks have different NCCL libraries; in a build without CUDA always InputError. A call
/// that takes longer than `time_out` to be queued is a SystemError, a little later than a watch with that limit tells
/// of it.
///
/// When it goes, it waits for what is queued, `time_out` at most, and takes leave of the other ranks; where an
/// exception passes it aborts, and waits for nothing.
std::unique_ptr<Communicator> make_nccl_communicator(std::unique_ptr<Communicator> host, at::Device device,
                                                     double time_out);

/// "2.28.9", as the library that is loaded says; empty in a build without CUDA.
std::string nccl_version();

}  // namespace gausscse
