#pragma once

#include <vector>

#include "nccl_on_mpi/nccl.h"

namespace nccl_on_mpi {

/// One call between the start and the end of a group.
struct Operation {
  enum Kind { all_reduce, all_gather, reduce_scatter, broadcast, reduce, send, receive };
  Kind kind;
  const void* from;
  void* to;
  size_t count;
  ncclDataType_t type;
  int peer;  ///< or root; -1 where there is none
  ncclRedOp_t reduction;
  cudaStream_t stream;
};

/// Does the operations of a group; ncclInvalidUsage where those of ranks or peers do not fit together.
ncclResult_t execute(const std::vector<Operation>& group);

/// This process's number among MPI's, and how many these are.
void place_of_rank(int& rank, int& size);
/// Returns whether all ranks were given one id. Collective.
bool is_same_on_all_ranks(const ncclUniqueId& id);

}  // namespace nccl_on_mpi
