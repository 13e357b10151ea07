#include "model/kernels/scratch_refused.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/option_name.hpp"
#include "base/process.hpp"

namespace gausscse::kernels {

void abort_as_scratch_was_refused(std::size_t bytes) {
  char rank[32] = "";
  if (const std::optional<int> number = rank_in_environment()) std::snprintf(rank, sizeof rank, " on rank %d", *number);
  std::fprintf(stderr,
               "gausscse: error%s: out of memory: %zu bytes of a kernel's scratch were refused: give each rank more "
               "memory, or start fewer ranks on a node, or fewer threads a rank (%s)\n",
               rank, bytes, option_style() == OptionStyle::command_line ? "--threads" : "threads");
  std::abort();
}

}  // namespace gausscse::kernels
