#include "dist/mpi/communicator_handle.hpp"

namespace gausscse::detail {

CommunicatorHandle CommunicatorHandle::of_all_ranks() {
  MPI_Comm handle = MPI_COMM_NULL;
  GAUSSCSE_MPI_CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &handle));
  CommunicatorHandle all(handle);
  // Communicators that are split off inherit it.
  GAUSSCSE_MPI_CHECK(MPI_Comm_set_errhandler(handle, MPI_ERRORS_RETURN));
  return all;
}

CommunicatorHandle CommunicatorHandle::of_this_node() const {
  MPI_Comm handle = MPI_COMM_NULL;
  GAUSSCSE_MPI_CHECK(MPI_Comm_split_type(handle_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &handle));
  return CommunicatorHandle(handle);
}

CommunicatorHandle::~CommunicatorHandle() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (handle_ != MPI_COMM_NULL && !finalized) MPI_Comm_free(&handle_);
}

int CommunicatorHandle::rank() const {
  int rank = 0;
  GAUSSCSE_MPI_CHECK(MPI_Comm_rank(handle_, &rank));
  return rank;
}

int CommunicatorHandle::size() const {
  int size = 0;
  GAUSSCSE_MPI_CHECK(MPI_Comm_size(handle_, &size));
  return size;
}

}  // namespace gausscse::detail
