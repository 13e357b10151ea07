#include "nccl_on_mpi/operations.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace nccl_on_mpi {

namespace {

constexpr int header_tag = 1, data_tag = 2;

/// Messages of these functions meet no others.
MPI_Comm messages() {
  static const MPI_Comm copy = [] {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    return made;
  }();
  return copy;
}

MPI_Datatype type_of(const Operation& operation) {
  return operation.type == ncclFloat32 ? MPI_FLOAT : MPI_DOUBLE;
}

bool is_between_two(const Operation& operation) {
  return operation.kind == Operation::send || operation.kind == Operation::receive;
}

/// Properties that all ranks have to name alike.
using Description = std::array<std::int64_t, 5>;
Description describe(const Operation& operation) {
  return {operation.kind, static_cast<std::int64_t>(operation.count), operation.type, operation.peer,
          operation.reduction};
}

bool all_ranks_agree(const Operation& operation, int size) {
  const Description own = describe(operation);
  std::vector<Description> all(static_cast<std::size_t>(size));
  MPI_Allgather(own.data(), static_cast<int>(own.size()), MPI_INT64_T, all.data(), static_cast<int>(own.size()),
                MPI_INT64_T, messages());
  for (const Description& other : all)
    if (other != own) return false;
  return true;
}

ncclResult_t execute_collective(const Operation& operation, int rank, int size) {
  if (!all_ranks_agree(operation, size)) return ncclInvalidUsage;
  const int count = static_cast<int>(operation.count);
  const MPI_Datatype type = type_of(operation);
  const MPI_Op reduction = operation.reduction == ncclSum ? MPI_SUM : MPI_MAX;
  const void* from = operation.from == operation.to ? MPI_IN_PLACE : operation.from;
  switch (operation.kind) {
    case Operation::all_reduce:
      MPI_Allreduce(from, operation.to, count, type, reduction, messages());
      break;
    case Operation::all_gather:
      MPI_Allgather(from, count, type, operation.to, count, type, messages());
      break;
    case Operation::reduce_scatter:
      MPI_Reduce_scatter_block(from, operation.to, count, type, reduction, messages());
      break;
    case Operation::reduce:
      MPI_Reduce(operation.from, rank == operation.peer ? operation.to : nullptr, count, type, reduction,
                 operation.peer, messages());
      break;
    default: {
      int bytes = 0;
      MPI_Type_size(type, &bytes);
      if (rank == operation.peer && operation.from != operation.to) {
        const auto* begin = static_cast<const char*>(operation.from);
        std::copy(begin, begin + static_cast<std::size_t>(bytes) * operation.count, static_cast<char*>(operation.to));
      }
      MPI_Bcast(operation.to, count, type, operation.peer, messages());
    }
  }
  return ncclSuccess;
}

/// Sends and receives of a group, all at once. A message is preceded by its sender's description of it.
ncclResult_t exchange(const std::vector<Operation>& operations) {
  using Header = std::array<std::int64_t, 2>;
  std::vector<Header> headers(operations.size());
  std::vector<MPI_Request> sends, header_receives;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Operation& operation = operations[i];
    if (operation.kind == Operation::send) {
      headers[i] = {static_cast<std::int64_t>(operation.count), operation.type};
      MPI_Isend(headers[i].data(), 2, MPI_INT64_T, operation.peer, header_tag, messages(), &sends.emplace_back());
      MPI_Isend(operation.from, static_cast<int>(operation.count), type_of(operation), operation.peer, data_tag,
                messages(), &sends.emplace_back());
    } else {
      MPI_Irecv(headers[i].data(), 2, MPI_INT64_T, operation.peer, header_tag, messages(),
                &header_receives.emplace_back());
    }
  }
  MPI_Waitall(static_cast<int>(header_receives.size()), header_receives.data(), MPI_STATUSES_IGNORE);
  ncclResult_t result = ncclSuccess;
  std::vector<std::vector<double>> unwanted;
  std::vector<MPI_Request> receives;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Operation& operation = operations[i];
    if (operation.kind != Operation::receive) continue;
    void* to = operation.to;
    const auto count = static_cast<int>(headers[i][0]);
    const bool fits = headers[i] == Header{static_cast<std::int64_t>(operation.count), operation.type};
    if (!fits) {
      result = ncclInvalidUsage;
      to = unwanted.emplace_back(static_cast<std::size_t>(count)).data();
    }
    MPI_Irecv(to, count, headers[i][1] == ncclFloat32 ? MPI_FLOAT : MPI_DOUBLE, operation.peer, data_tag, messages(),
              &receives.emplace_back());
  }
  MPI_Waitall(static_cast<int>(receives.size()), receives.data(), MPI_STATUSES_IGNORE);
  MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
  return result;
}

}  // namespace

ncclResult_t execute(const std::vector<Operation>& group) {
  int rank = 0, size = 0;
  place_of_rank(rank, size);
  ncclResult_t result = ncclSuccess;
  std::vector<Operation> between_two;
  for (const Operation& operation : group) {
    if (is_between_two(operation)) {
      between_two.push_back(operation);
      continue;
    }
    const ncclResult_t done = execute_collective(operation, rank, size);
    if (done != ncclSuccess) result = done;
  }
  const ncclResult_t done = exchange(between_two);
  return result == ncclSuccess ? done : result;
}

void place_of_rank(int& rank, int& size) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

bool is_same_on_all_ranks(const ncclUniqueId& id) {
  ncclUniqueId first = id;
  MPI_Bcast(first.internal, sizeof first.internal, MPI_CHAR, 0, messages());
  int same = std::memcmp(first.internal, id.internal, sizeof id.internal) == 0 ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, messages());
  return same != 0;
}

}  // namespace nccl_on_mpi
