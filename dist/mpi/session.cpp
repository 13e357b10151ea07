#include "dist/mpi/session.hpp"

#include <exception>

#include "base/error.hpp"
#include "dist/mpi/communicator_handle.hpp"
#include "dist/mpi/watchdog.hpp"

namespace gausscse {

MpiSession::MpiSession(double time_out) : exceptions_at_start_(std::uncaught_exceptions()), time_out_(time_out) {
  start_.emplace(time_out_, [] {
    return "MPI's start waits for another rank, one that does not print this (stopped, dead, cut off or not started)";
  });
  int level = 0;
  // The watchdog's thread asks the other ranks where they are.
  GAUSSCSE_MPI_CHECK(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level));
  if (level < MPI_THREAD_FUNNELED)
    throw SystemError("this MPI allows no threads besides the one that calls it (MPI_THREAD_FUNNELED)");
}

MpiSession::~MpiSession() {
  if (std::uncaught_exceptions() != exceptions_at_start_) return;
  const auto waits_for = [&] {
    const std::string behind = departure_ ? departure_->who_is_behind() : std::string();
    return concat("MPI's end waits for another rank",
                  behind.empty() ? ", one that does not print this (stopped, dead or cut off)" : "; " + behind,
                  "; all outputs of this command are written");
  };
  const detail::PhaseWatch end(time_out_, waits_for);
  if (departure_) departure_->reach(detail::Departure::at_end);
  MPI_Finalize();
  if (!departure_) return;
  departure_->reach(detail::Departure::out);
  departure_->wait();
}

std::unique_ptr<MonitoredCommunicator> MpiSession::communicator(bool compare) {
  departure_.emplace();
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
