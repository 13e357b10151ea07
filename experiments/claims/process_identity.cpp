#include "experiments/claims/process_identity.hpp"

#include <unistd.h>

#include <fstream>

#include "base/process.hpp"

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

bool is_of_here(const ProcessIdentity& process) {
  // A boot that could not be read says nothing.
  const std::string boot = this_boot();
  return process.number > 0 && process.start > 0 && boot.size() > 30 && process.boot == boot &&
         process.host == host_name();
}

}  // namespace

ProcessIdentity identity_of_process(pid_t number) {
  return {.host = host_name(), .boot = this_boot(), .number = number, .start = start_of_process(number).value_or(0)};
}

ProcessIdentity this_process_identity() {
  return identity_of_process(::getpid());
}

bool is_known_to_be_gone(const ProcessIdentity& process) {
  return is_of_here(process) && process_has_ended(process.number, process.start);
}

bool is_known_to_run(const ProcessIdentity& process) {
  return is_of_here(process) && start_of_process(process.number) == process.start;
}

}  // namespace gausscse
