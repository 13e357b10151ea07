#include "base/process_start.hpp"

#include <sys/types.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

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

}  // namespace gausscse
