#include "experiments/grid/process_identity.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <optional>
#include <sstream>

#include "base/host_name.hpp"

namespace gausscse {

namespace {

std::string this_boot() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  file >> boot;
  char name[64] = {};
  if (::readlink("/proc/self/ns/pid", name, sizeof name - 1) > 0) boot.append(" ").append(name);
  return boot;
}

/// When a process began; nothing where there is none, or one that has ended and is not yet collected by its parent.
std::optional<std::uint64_t> start_of(std::int64_t number) {
  std::ifstream file("/proc/" + std::to_string(number) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  // The second field, the program's name in parentheses, may hold anything.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  for (int i = 3; i <= 22 && fields >> field; ++i)
    if (i == 3 && (field == "Z" || field == "X")) return std::nullopt;
  std::uint64_t start = 0;
  std::istringstream(field) >> start;
  return start;
}

bool is_of_here(const ProcessIdentity& process) {
  // A boot that could not be read says nothing.
  const std::string boot = this_boot();
  return process.number > 0 && process.start > 0 && boot.size() > 30 && process.boot == boot &&
         process.host == host_name();
}

/// Whether there may be a process of this number that may not be looked at.
bool is_hidden(std::int64_t number) {
  return !std::ifstream("/proc/" + std::to_string(number) + "/stat") &&
         (::kill(static_cast<pid_t>(number), 0) == 0 || errno != ESRCH);
}

}  // namespace

ProcessIdentity identity_of_process(pid_t number) {
  return {.host = host_name(), .boot = this_boot(), .number = number, .start = start_of(number).value_or(0)};
}

ProcessIdentity this_process_identity() {
  return identity_of_process(::getpid());
}

bool is_known_to_be_gone(const ProcessIdentity& process) {
  return is_of_here(process) && start_of(process.number) != process.start && !is_hidden(process.number);
}

bool is_known_to_run(const ProcessIdentity& process) {
  return is_of_here(process) && start_of(process.number) == process.start;
}

}  // namespace gausscse
