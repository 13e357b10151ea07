#pragma once

#include <mpi.h>

#include <string>

#include "base/error.hpp"

namespace gausscse::detail {

/// Throws a SystemError for an MPI call that did not succeed.
inline void check_mpi(int code, const char* call, const char* file, int line) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {}, host[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0, rank = -1;
  MPI_Error_string(code, text, &length);
  MPI_Get_processor_name(host, &length);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  throw SystemError(
      concat("MPI call failed on rank ", rank, " (", host, "): ", text, " in ", call, " at ", file, ":", line));
}

}  // namespace gausscse::detail

#define GAUSSCSE_MPI_CHECK(call) ::gausscse::detail::check_mpi((call), #call, __FILE__, __LINE__)
