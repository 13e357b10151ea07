#include "base/rank_in_environment.hpp"

#include <cstdlib>

namespace gausscse {

std::optional<int> rank_in_environment() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
    if (const char* rank = std::getenv(name)) return std::atoi(rank);
  return std::nullopt;
}

}  // namespace gausscse
