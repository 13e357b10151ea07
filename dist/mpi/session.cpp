#include "dist/mpi/session.hpp"

#include <exception>

#include "base/error.hpp"
#include "dist/mpi/communicator_handle.hpp"
#include "dist/mpi/end_guard.hpp"
#include "dist/mpi/watchdog.hpp"

namespace gausscse {

namespace {

/// Seconds beyond the time-out in which the watch over MPI's end ends a rank that is not stopped, with better words.
constexpr double seconds_of_watch = 5;

}  // namespace

MpiSession::MpiSession(double time_out) : exceptions_at_start_(std::uncaught_exceptions()), time_out_(time_out) {
  start_.emplace(time_out_,
                 "MPI's start waits for another rank, one that does not print this (stopped, dead, cut off or "
                 "not started)");
  int level = 0;
  // The watchdog's thread asks the other ranks where they are.
  GAUSSCSE_MPI_CHECK(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level));
  if (level < MPI_THREAD_FUNNELED)
    throw SystemError("this MPI allows no threads besides the one that calls it (MPI_THREAD_FUNNELED)");
}

MpiSession::~MpiSession() {
  if (std::uncaught_exceptions() != exceptions_at_start_) return;
  const detail::PhaseWatch end(time_out_,
                               "MPI's end waits for another rank, one that does not print this (stopped, dead or cut "
                               "off); all outputs of this command are written");
  const detail::EndGuard guard(
      time_out_ + seconds_of_watch,
      detail::no_progress(time_out_, "this rank is stopped inside MPI's end; all outputs of this command are written"));
  MPI_Finalize();
}

std::unique_ptr<MonitoredCommunicator> MpiSession::communicator(bool compare) {
  auto all = std::make_unique<MonitoredCommunicator>(make_mpi_control_group(), make_mpi_collectives(),
                                                     make_watchdog(time_out_), compare);
  start_.reset();
  return all;
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
