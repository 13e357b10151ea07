#include "launcher/machine/cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/error.hpp"

namespace gausscse {

namespace {

bool is_set(const char* name) {
  return std::getenv(name) != nullptr;
}

/// Returns true where Open MPI has bound this rank as it does unasked.
bool bound_by_default() {
  const char* mapping = std::getenv("OMPI_MCA_rmaps_base_mapping_policy");
  return is_set("OMPI_MCA_orte_bound_at_launch") && !is_set("OMPI_MCA_hwloc_base_binding_policy") &&
         !is_set("OMPI_MCA_hwloc_base_cpu_set") && !is_set("OMPI_MCA_hwloc_base_cpu_list") &&
         !(mapping && std::strstr(mapping, "PE="));
}

/// Returns true for hardware threads of one and the same core.
bool are_one_core(const std::vector<int>& cores) {
  if (cores.size() < 2) return true;
  std::ifstream file(concat("/sys/devices/system/cpu/cpu", cores.front(), "/topology/thread_siblings_list"));
  std::string siblings;
  std::getline(file, siblings);
  const std::vector<int> of_core = numbers_in(siblings);
  return std::includes(of_core.begin(), of_core.end(), cores.begin(), cores.end());
}

/// Returns true for a process that mpirun started as a rank: this program, or a script around it.
bool was_started_as_rank(pid_t process) {
  std::ifstream file(concat("/proc/", process, "/environ"));
  for (std::string variable; std::getline(file, variable, '\0');)
    if (variable.rfind("OMPI_COMM_WORLD_RANK=", 0) == 0) return true;
  return false;
}

/// Returns the parent of a process; 0 where the system does not show it.
pid_t parent_of(pid_t process) {
  std::ifstream file(concat("/proc/", process, "/status"));
  const std::string key = "PPid:";
  for (std::string line; std::getline(file, line);)
    if (line.rfind(key, 0) == 0) return std::atoi(line.c_str() + key.size());
  return 0;
}

}  // namespace

std::vector<int> allowed_cores(pid_t process) {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(process, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) cores.push_back(core);
  return cores;
}

void undo_default_binding() {
  if (!bound_by_default()) return;
  const std::vector<int> own = allowed_cores();
  pid_t starter = getppid();
  for (; was_started_as_rank(starter); starter = parent_of(starter))
    if (allowed_cores(starter) != own) return;  // a script around the program chose these
  const std::vector<int> given = allowed_cores(starter);
  // Bound to a socket, ranks share its cores, unless Open MPI used more than its allocation.
  if (!are_one_core(own) && std::includes(given.begin(), given.end(), own.begin(), own.end())) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : given) CPU_SET(static_cast<std::size_t>(core), &set);
  // A refusal (a container's limit) leaves the binding as it is: slower, not wrong.
  sched_setaffinity(0, sizeof set, &set);
}

std::size_t share_of_cores(const std::vector<std::string>& hosts, const std::vector<std::string>& cores,
                           std::size_t rank, std::size_t count) {
  std::size_t sharing = 0;
  for (std::size_t other = 0; other < hosts.size(); ++other)
    if (hosts[other] == hosts[rank] && cores[other] == cores[rank]) ++sharing;
  return std::max<std::size_t>(1, count / sharing);
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

std::vector<int> numbers_in(const std::string& ranges) {
  std::vector<int> numbers;
  std::istringstream list(ranges);
  for (std::string range; std::getline(list, range, ',');) {
    int first = 0, last = 0;
    const int read = std::sscanf(range.c_str(), "%d-%d", &first, &last);
    if (read < 1) return {};
    for (int number = first; number <= (read == 2 ? last : first); ++number) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace gausscse
