#include "dist/nccl/calls.hpp"

#include <algorithm>

namespace gausscse::detail {

namespace {

bool all_equal(std::span<const std::int64_t> counts) {
  return std::all_of(counts.begin(), counts.end(), [&](std::int64_t count) { return count == counts.front(); });
}

bool all_zero(std::span<const std::int64_t> counts) {
  return std::all_of(counts.begin(), counts.end(), [](std::int64_t count) { return count == 0; });
}

/// Calls `call(rank, begin)` for every rank, `begin` being the number of elements of those before it, until one fails.
/// Ranks with nothing are left out, by all ranks alike.
template <typename Call>
ncclResult_t for_each_part(std::span<const std::int64_t> counts, const Call& call) {
  std::int64_t begin = 0;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    if (counts[rank] == 0) continue;
    const ncclResult_t result = call(static_cast<int>(rank), begin);
    if (result != ncclSuccess && result != ncclInProgress) return result;
    begin += counts[rank];
  }
  return ncclSuccess;
}

std::size_t count_of(std::span<const std::int64_t> counts, int rank) {
  return static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]);
}

const void* element_at(const void* data, std::int64_t element, NcclElement of) {
  return static_cast<const char*>(data) + static_cast<std::size_t>(element) * of.bytes;
}

void* element_at(void* data, std::int64_t element, NcclElement of) {
  return static_cast<char*>(data) + static_cast<std::size_t>(element) * of.bytes;
}

}  // namespace

void nccl_all_reduce_sum(NcclHandle& handle, void* data, std::int64_t count, NcclElement element, cudaStream_t stream) {
  if (count == 0) return;
  handle.queue("all_reduce_sum", [&](ncclComm_t ranks) {
    return ncclAllReduce(data, data, static_cast<std::size_t>(count), element.type, ncclSum, ranks, stream);
  });
}

void nccl_all_gather(NcclHandle& handle, const void* local, std::span<const std::int64_t> counts, void* out,
                     NcclElement element, cudaStream_t stream) {
  if (all_zero(counts)) return;
  handle.queue("all_gather", [&](ncclComm_t ranks) {
    if (all_equal(counts)) return ncclAllGather(local, out, count_of(counts, 0), element.type, ranks, stream);
    return for_each_part(counts, [&](int rank, std::int64_t begin) {
      void* part = element_at(out, begin, element);
      return ncclBroadcast(rank == handle.rank() ? local : part, part, count_of(counts, rank), element.type, rank,
                           ranks, stream);
    });
  });
}

void nccl_reduce_scatter_sum(NcclHandle& handle, const void* data, std::span<const std::int64_t> counts, void* out,
                             NcclElement element, cudaStream_t stream) {
  if (all_zero(counts)) return;
  handle.queue("reduce_scatter_sum", [&](ncclComm_t ranks) {
    if (all_equal(counts))
      return ncclReduceScatter(data, out, count_of(counts, 0), element.type, ncclSum, ranks, stream);
    return for_each_part(counts, [&](int rank, std::int64_t begin) {
      return ncclReduce(element_at(data, begin, element), rank == handle.rank() ? out : nullptr, count_of(counts, rank),
                        element.type, ncclSum, rank, ranks, stream);
    });
  });
}

void nccl_all_to_all(NcclHandle& handle, const void* data, std::span<const std::int64_t> counts, void* out,
                     NcclElement element, cudaStream_t stream) {
  if (all_zero(counts)) return;
  const std::size_t own = count_of(counts, handle.rank());
  handle.queue("all_to_all", [&](ncclComm_t ranks) {
    for (int rank = 0; own > 0 && rank < handle.size(); ++rank) {
      const ncclResult_t result = ncclSend(element_at(data, rank * static_cast<std::int64_t>(own), element), own,
                                           element.type, rank, ranks, stream);
      if (result != ncclSuccess && result != ncclInProgress) return result;
    }
    return for_each_part(counts, [&](int rank, std::int64_t begin) {
      return ncclRecv(element_at(out, begin, element), count_of(counts, rank), element.type, rank, ranks, stream);
    });
  });
}

void nccl_ring_shift(NcclHandle& handle, const void* data, std::span<const std::int64_t> counts, void* out,
                     NcclElement element, cudaStream_t stream) {
  const int size = handle.size(), next = (handle.rank() + 1) % size, before = (handle.rank() + size - 1) % size;
  const std::size_t sent = count_of(counts, handle.rank()), received = count_of(counts, before);
  if (sent == 0 && received == 0) return;
  handle.queue("ring_shift", [&](ncclComm_t ranks) {
    const ncclResult_t result = sent > 0 ? ncclSend(data, sent, element.type, next, ranks, stream) : ncclSuccess;
    if (received == 0 || (result != ncclSuccess && result != ncclInProgress)) return result;
    return ncclRecv(out, received, element.type, before, ranks, stream);
  });
}

void nccl_broadcast(NcclHandle& handle, void* data, std::int64_t count, int root, NcclElement element,
                    cudaStream_t stream) {
  if (count == 0) return;
  handle.queue("broadcast", [&](ncclComm_t ranks) {
    return ncclBroadcast(data, data, static_cast<std::size_t>(count), element.type, root, ranks, stream);
  });
}

}  // namespace gausscse::detail
