#include "evaluation/mteb/known_tasks.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gausscse::mteb {

namespace {

constexpr std::array<std::pair<std::string_view, std::size_t>, 7> sts_tasks{{{"STS12", 3108},
                                                                             {"STS13", 1500},
                                                                             {"STS14", 3750},
                                                                             {"STS15", 3000},
                                                                             {"STS16", 1186},
                                                                             {"STSBenchmark", 1379},
                                                                             {"SICK-R", 9927}}};

}  // namespace

std::optional<std::size_t> pairs_of_sts_task(std::string_view name) {
  const auto* known =
      std::find_if(sts_tasks.begin(), sts_tasks.end(), [=](const auto& task) { return task.first == name; });
  return known == sts_tasks.end() ? std::nullopt : std::optional(known->second);
}

}  // namespace gausscse::mteb
