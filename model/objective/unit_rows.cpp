#include "model/objective/unit_rows.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <functional>

#include "model/parallel_tasks.hpp"

namespace gausscse {

namespace {

constexpr std::int64_t rows_of_task = 64;

void for_row_ranges(std::int64_t rows, const std::function<void(std::int64_t begin, std::int64_t count)>& task) {
  run_tasks((rows + rows_of_task - 1) / rows_of_task, at::get_num_threads(), [&](std::int64_t i, int) {
    const std::int64_t begin = i * rows_of_task;
    task(begin, std::min(rows_of_task, rows - begin));
  });
}

}  // namespace

UnitRows::UnitRows(const at::Tensor& rows)
    : units_(at::empty(rows.sizes(), rows.options())), inverse_lengths_(at::empty({rows.size(0), 1}, at::kDouble)) {
  for_row_ranges(rows.size(0), [&](std::int64_t begin, std::int64_t count) {
    const at::Tensor part = rows.narrow(0, begin, count).to(at::kDouble);
    const at::Tensor lengths = part.square().sum({1}, true).sqrt_();
    at::Tensor inverse = inverse_lengths_.narrow(0, begin, count);
    inverse.copy_(lengths.reciprocal().masked_fill_(lengths == 0, 0));
    units_.narrow(0, begin, count).copy_(part * inverse);
  });
}

void UnitRows::differentiate(at::Tensor gradient) const {
  for_row_ranges(gradient.size(0), [&](std::int64_t begin, std::int64_t count) {
    at::Tensor part = gradient.narrow(0, begin, count);
    const at::Tensor units = units_.narrow(0, begin, count).to(at::kDouble);
    const at::Tensor by_units = part.to(at::kDouble);
    const at::Tensor along = (by_units * units).sum({1}, true);
    part.copy_((by_units - along * units) * inverse_lengths_.narrow(0, begin, count));
  });
}

}  // namespace gausscse
