#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dist/nccl/handle.hpp"

/// `Collectives` by NCCL, for plain memory: pointers are the device's, counts those of elements,
/// the work is queued on `stream`. The caller has checked that counts fit the memory. Elements may not overlap.
namespace gausscse::detail {

/// Elements as NCCL names them, and their size.
struct NcclElement {
  ncclDataType_t type;
  std::size_t bytes;
};

void nccl_all_reduce_sum(NcclHandle& handle, void* data, std::int64_t count, NcclElement element, cudaStream_t stream);
void nccl_all_gather(NcclHandle& handle, const void* local, std::span<const std::int64_t> counts, void* out,
                     NcclElement element, cudaStream_t stream);
void nccl_reduce_scatter_sum(NcclHandle& handle, const void* data, std::span<const std::int64_t> counts, void* out,
                             NcclElement element, cudaStream_t stream);
void nccl_all_to_all(NcclHandle& handle, const void* data, std::span<const std::int64_t> counts, void* out,
                     NcclElement element, cudaStream_t stream);
void nccl_ring_shift(NcclHandle& handle, const void* data, std::span<const std::int64_t> counts, void* out,
                     NcclElement element, cudaStream_t stream);
void nccl_broadcast(NcclHandle& handle, void* data, std::int64_t count, int root, NcclElement element,
                    cudaStream_t stream);

}  // namespace gausscse::detail
