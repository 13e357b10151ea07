#include "model/ops/row_ranges.hpp"

#include <ATen/Parallel.h>

#include <algorithm>

#include "model/parallel_tasks.hpp"

namespace gausscse::ops {

void for_row_ranges(const at::Tensor& x, std::int64_t most,
                    const std::function<void(std::int64_t begin, std::int64_t count)>& task) {
  const std::int64_t rows = x.size(0);
  if (!x.is_cpu()) {
    if (rows > 0) task(0, rows);
    return;
  }
  run_tasks((rows + most - 1) / most, at::get_num_threads(), [&](std::int64_t i, int) {
    const std::int64_t begin = i * most;
    task(begin, std::min(most, rows - begin));
  });
}

}  // namespace gausscse::ops
