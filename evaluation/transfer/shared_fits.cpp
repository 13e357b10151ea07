#include "evaluation/transfer/shared_fits.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>

#include "base/error.hpp"
#include "dist/group_work.hpp"
#include "model/parallel_tasks.hpp"

namespace gausscse {

std::vector<std::vector<double>> SharedFits::run(std::size_t count, std::size_t values,
                                                 const std::function<std::vector<double>(std::size_t i)>& fit) {
  const auto ranks = static_cast<std::size_t>(communicator_.size());
  const auto own_rank = static_cast<std::size_t>(communicator_.rank());
  // Rank r has those of numbers r, r + ranks, ...
  const auto of_rank = [&](std::size_t rank) { return (count + ranks - 1 - rank) / ranks; };
  std::vector<std::int64_t> elements;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    elements.push_back(static_cast<std::int64_t>(of_rank(rank) * values));
  const auto own = static_cast<std::int64_t>(of_rank(own_rank));
  at::Tensor local = at::empty({own, static_cast<std::int64_t>(values)}, at::kDouble);
  auto* const results = local.mutable_data_ptr<double>();
  {
    const LongOperation at_work(communicator_);
    run_tasks(own, std::max(1, at::get_num_threads()), [&](std::int64_t i, int) {
      const std::vector<double> result = fit(own_rank + static_cast<std::size_t>(i) * ranks);
      GAUSSCSE_CHECK(result.size() == values, "a fit gives ", values, " numbers");
      std::copy(result.begin(), result.end(), results + i * static_cast<std::int64_t>(values));
    });
  }
  const at::Tensor gathered = at::empty({static_cast<std::int64_t>(count * values)}, at::kDouble);
  communicator_.all_gather(local, elements, gathered);
  std::vector<std::vector<double>> of_fits(count);
  const double* next = gathered.const_data_ptr<double>();
  for (std::size_t rank = 0; rank < ranks; ++rank)
    for (std::size_t i = rank; i < count; i += ranks, next += values) of_fits[i].assign(next, next + values);
  return of_fits;
}

}  // namespace gausscse
