#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dist/collective_call.hpp"
#include "dist/nccl/handle.hpp"

namespace gausscse::detail {

/// Elements as NCCL names them, and their size.
struct NcclElement {
  ncclDataType_t type;
  std::size_t bytes;
};

/// One of the `Collectives`, for plain memory of the device. The caller has checked that counts fit the memory.
struct NcclCall {
  Collective collective;
  const void* data;                      ///< this rank's data
  void* out;                             ///< its result; the same as `data` in a sum or a broadcast, else apart
  std::span<const std::int64_t> counts;  ///< elements of each rank; of a sum or a broadcast one: all
  NcclElement element;
  int root = 0;
};

/// Queues the call on `stream`.
void queue_on_nccl(NcclHandle& handle, const NcclCall& call, cudaStream_t stream);

}  // namespace gausscse::detail
