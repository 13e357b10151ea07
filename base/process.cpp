#include "base/process.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>

namespace gausscse {

namespace {

/// Fields of /proc/NUMBER/stat.
struct ProcessStatus {
  std::string state;
  std::int64_t parent = 0;
  std::uint64_t start = 0;

  bool has_ended() const { return state == "Z" || state == "X"; }
};

std::optional<ProcessStatus> status_of(std::int64_t number) {
  std::ifstream file("/proc/" + std::to_string(number) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  // The second field, the program's name in parentheses, may hold anything.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  ProcessStatus status;
  std::string skipped;
  fields >> status.state >> status.parent;
  for (int field = 5; field < 22; ++field) fields >> skipped;
  if (!(fields >> status.start)) return std::nullopt;
  return status;
}

/// Variables of launchers that hold how many processes they started. The first is that of the MPI that joins ranks;
/// those that are not certain come last.
struct SizeVariable {
  const char* name;
  const char* launcher;
  /// The variable counts for certain only where this one is set as well; null: always.
  const char* witness = nullptr;
};
constexpr std::array size_variables = {SizeVariable{"OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun"},
                                       SizeVariable{"PMI_SIZE", "mpiexec of MPICH or Intel MPI"},
                                       SizeVariable{"MV2_COMM_WORLD_SIZE", "mpirun of MVAPICH2"},
                                       SizeVariable{"JSM_NAMESPACE_SIZE", "jsrun"},
                                       SizeVariable{"SLURM_STEP_NUM_TASKS", "srun"},
                                       SizeVariable{"FLUX_JOB_SIZE", "flux run"},
                                       SizeVariable{"WORLD_SIZE", "torchrun", "TORCHELASTIC_RUN_ID"}};

}  // namespace

std::optional<std::uint64_t> start_of_process(std::int64_t number) {
  const auto status = status_of(number);
  if (!status || status->has_ended()) return std::nullopt;
  return status->start;
}

bool process_has_ended(std::int64_t number, std::uint64_t start) {
  if (number <= 0 || number > std::numeric_limits<pid_t>::max()) return true;
  const auto status = status_of(number);
  if (!status) return ::kill(static_cast<pid_t>(number), 0) != 0 && errno == ESRCH;
  return status->has_ended() || (start != 0 && status->start != start);
}

std::int64_t parent_of_process(std::int64_t number) {
  const auto status = status_of(number);
  return status ? status->parent : 0;
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "unknown";
}

std::optional<int> rank_in_environment() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
    if (const char* rank = std::getenv(name)) return std::atoi(rank);
  return std::nullopt;
}

std::optional<Siblings> siblings_not_joined(int joined) {
  std::optional<Siblings> found;
  for (const SizeVariable& variable : size_variables) {
    const char* text = std::getenv(variable.name);
    if (!text) continue;
    const int processes = std::atoi(text);
    const bool is_certain = !variable.witness || std::getenv(variable.witness);
    if (processes > joined && (!found || (is_certain && processes > found->processes)))
      found = Siblings{variable.name, variable.launcher, processes, is_certain};
    if (&variable == &size_variables.front()) break;
  }
  return found;
}

void handle_signal(int number, void (*handler)(int), int flags) {
  struct sigaction before {};
  sigaction(number, nullptr, &before);
  if ((number == SIGHUP || number == SIGPIPE) && before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

bool is_drawing_terminal(int descriptor) {
  const char* kind = std::getenv("TERM");
  return ::isatty(descriptor) != 0 && kind && *kind && std::string_view(kind) != "dumb";
}

}  // namespace gausscse
