#include "dist/mpi/session.hpp"

#include <exception>

#include "dist/mpi/check.hpp"
#include "dist/mpi/watchdog.hpp"

namespace gausscse {

MpiSession::MpiSession() : exceptions_at_start_(std::uncaught_exceptions()) {
  int level = 0;
  // The watchdog's thread asks the other ranks where they are.
  GAUSSCSE_MPI_CHECK(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level));
  if (level < MPI_THREAD_FUNNELED)
    throw SystemError("this MPI does not allow threads beside the one that calls it (MPI_THREAD_FUNNELED)");
}

MpiSession::~MpiSession() {
  if (std::uncaught_exceptions() == exceptions_at_start_) MPI_Finalize();
}

std::unique_ptr<MonitoredCommunicator> MpiSession::communicator(double time_out, bool compare) const {
  return std::make_unique<MonitoredCommunicator>(make_mpi_control_group(), make_mpi_collectives(),
                                                 make_watchdog(time_out), compare);
}

std::string MpiSession::thread_level() const {
  int level = 0;
  GAUSSCSE_MPI_CHECK(MPI_Query_thread(&level));
  switch (level) {
    case MPI_THREAD_MULTIPLE:
      return "multiple";
    case MPI_THREAD_SERIALIZED:
      return "serialized";
    case MPI_THREAD_FUNNELED:
      return "funneled";
    default:
      return "single";
  }
}

std::string MpiSession::library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string version(text, static_cast<std::size_t>(length));
  return version.substr(0, version.find(','));
}

void MpiSession::abort_all_ranks(int exit_code) {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized && !finalized) MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace gausscse
