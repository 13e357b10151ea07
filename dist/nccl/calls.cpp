#include "dist/nccl/calls.hpp"

#include <algorithm>
#include <type_traits>

#include "base/error.hpp"

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
    if (is_failure(result)) return result;
    begin += counts[rank];
  }
  return ncclSuccess;
}

std::size_t count_of(std::span<const std::int64_t> counts, int rank) {
  return static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]);
}

/// Returns `data` from `element` on.
template <typename Data>
Data* element_at(Data* data, std::int64_t element, NcclElement of) {
  using Bytes = std::conditional_t<std::is_const_v<Data>, const char, char>;
  return static_cast<Bytes*>(data) + static_cast<std::size_t>(element) * of.bytes;
}

/// Calls NCCL and returns the first failure, if there is one.
ncclResult_t make_calls(const NcclCall& call, int own_rank, int size, ncclComm_t ranks, cudaStream_t stream) {
  const void* data = call.data;
  void* out = call.out;
  const NcclElement element = call.element;
  const bool is_even = all_equal(call.counts);
  const std::size_t first = count_of(call.counts, 0);
  switch (call.collective) {
    case Collective::all_reduce_sum:
      return ncclAllReduce(data, out, first, element.type, ncclSum, ranks, stream);
    case Collective::broadcast:
      return ncclBroadcast(data, out, first, element.type, call.root, ranks, stream);
    case Collective::all_gather:
      if (is_even) return ncclAllGather(data, out, first, element.type, ranks, stream);
      return for_each_part(call.counts, [&](int rank, std::int64_t begin) {
        void* part = element_at(out, begin, element);
        return ncclBroadcast(rank == own_rank ? data : part, part, count_of(call.counts, rank), element.type, rank,
                             ranks, stream);
      });
    case Collective::reduce_scatter_sum:
      if (is_even) return ncclReduceScatter(data, out, first, element.type, ncclSum, ranks, stream);
      return for_each_part(call.counts, [&](int rank, std::int64_t begin) {
        return ncclReduce(element_at(data, begin, element), rank == own_rank ? out : nullptr,
                          count_of(call.counts, rank), element.type, ncclSum, rank, ranks, stream);
      });
    case Collective::all_to_all: {
      const std::size_t own = count_of(call.counts, own_rank);
      for (int rank = 0; own > 0 && rank < size; ++rank) {
        const ncclResult_t result = ncclSend(element_at(data, rank * static_cast<std::int64_t>(own), element), own,
                                             element.type, rank, ranks, stream);
        if (is_failure(result)) return result;
      }
      return for_each_part(call.counts, [&](int rank, std::int64_t begin) {
        return ncclRecv(element_at(out, begin, element), count_of(call.counts, rank), element.type, rank, ranks,
                        stream);
      });
    }
    case Collective::ring_shift: {
      const int next = (own_rank + 1) % size, before = (own_rank + size - 1) % size;
      const std::size_t sent = count_of(call.counts, own_rank), received = count_of(call.counts, before);
      const ncclResult_t result = sent > 0 ? ncclSend(data, sent, element.type, next, ranks, stream) : ncclSuccess;
      if (received == 0 || is_failure(result)) return result;
      return ncclRecv(out, received, element.type, before, ranks, stream);
    }
    default:
      GAUSSCSE_CHECK(false, "no collective of tensors");
  }
}

}  // namespace

void queue_on_nccl(NcclHandle& handle, const NcclCall& call, cudaStream_t stream) {
  if (all_zero(call.counts)) return;
  handle.queue(collective_names[static_cast<std::size_t>(call.collective)],
               [&](ncclComm_t ranks) { return make_calls(call, handle.rank(), handle.size(), ranks, stream); });
}

}  // namespace gausscse::detail
