#include "experiments/processes/machine.hpp"

#include <sched.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace gausscse {

namespace {

std::vector<int> affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) cores.push_back(core);
  return cores;
}

/// Counts the files of NVIDIA's driver, one for each GPU: /dev/nvidia0.
std::size_t gpus_of_driver() {
  constexpr std::string_view prefix = "nvidia";
  std::size_t count = 0;
  std::error_code ignored;
  for (std::filesystem::directory_iterator file("/dev", ignored), end; file != end; file.increment(ignored)) {
    const std::string name = file->path().filename();
    if (name.size() > prefix.size() && name.compare(0, prefix.size(), prefix) == 0 &&
        std::all_of(name.begin() + prefix.size(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
      ++count;
  }
  return count;
}

std::size_t number_in(std::string_view text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::vector<std::string_view> words_of(std::string_view list) {
  std::vector<std::string_view> words;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    words.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return words;
}

/// Reads the variable as CUDA does: entries behind a name that is none are not seen.
std::vector<std::string> gpus_in(std::string_view list) {
  std::vector<std::string> gpus;
  for (std::string_view word : words_of(list)) {
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    if (word.empty() || word.front() == '-') break;
    gpus.emplace_back(word);
  }
  return gpus;
}

/// Reads SLURM_JOB_CPUS_PER_NODE: "8(x2),4" is 8, 8, 4.
std::vector<std::size_t> cores_of_nodes(std::string_view list) {
  std::vector<std::size_t> cores;
  for (const std::string_view word : words_of(list)) {
    const std::size_t times = word.find("(x");
    cores.insert(cores.end(), times == std::string_view::npos ? 1 : number_in(word.substr(times + 2)), number_in(word));
  }
  return cores;
}

}  // namespace

Machine machine_of(std::vector<int> cores, std::size_t gpu_count, const Variables& variables) {
  Machine machine;
  machine.cores = std::move(cores);
  if (const auto shown = variables("CUDA_VISIBLE_DEVICES")) {
    machine.gpus = gpus_in(*shown);
  } else {
    for (std::size_t gpu = 0; gpu < gpu_count; ++gpu) machine.gpus.push_back(std::to_string(gpu));
  }
  if (!variables("SLURM_JOB_ID")) return machine;
  machine.allocated_cores = cores_of_nodes(variables("SLURM_JOB_CPUS_PER_NODE").value_or(""));
  machine.allocated_gpus = number_in(variables("SLURM_GPUS_ON_NODE").value_or("")) * machine.allocated_cores.size();
  const std::size_t given = number_in(variables("SLURM_CPUS_ON_NODE").value_or(""));
  if (given > 0 && given < machine.cores.size()) {
    machine.cores.resize(given);
    machine.cores_are_own = false;
  }
  return machine;
}

Machine this_machine() {
  return machine_of(affinity(), gpus_of_driver(), [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    if (!value) return std::nullopt;
    return value;
  });
}

}  // namespace gausscse
