#include "launcher/cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <cstdlib>

#include "base/error.hpp"

namespace gausscse {

std::vector<int> allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) cores.push_back(core);
  return cores;
}

void undo_default_binding() {
  if (!std::getenv("OMPI_COMM_WORLD_SIZE") || std::getenv("OMPI_MCA_hwloc_base_binding_policy")) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  for (long core = 0; core < online && core < CPU_SETSIZE; ++core) CPU_SET(static_cast<std::size_t>(core), &set);
  // A refusal (a container's limit) leaves the binding as it is: slower, not wrong.
  sched_setaffinity(0, sizeof set, &set);
}

std::string ranges_of(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
    text += concat(text.empty() ? "" : ",", numbers[i]);
    if (end > i) text += concat("-", numbers[end]);
    i = end + 1;
  }
  return text;
}

}  // namespace gausscse
