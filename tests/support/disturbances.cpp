#include "tests/support/disturbances.hpp"

#include <cstdio>
#include <map>
#include <mutex>

namespace gausscse {

namespace {

std::map<std::string, std::size_t>& counts() {
  static std::map<std::string, std::size_t> counted;
  return counted;
}

}  // namespace

void count_disturbance(const std::string& kind, std::size_t times) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  counts()[kind] += times;
}

void print_disturbances() {
  for (const auto& [kind, times] : counts()) std::printf("disturbances: %s %zu\n", kind.c_str(), times);
}

}  // namespace gausscse
