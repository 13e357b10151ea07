#include "model/ops/unit_rows.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include "model/ops/row_ranges.hpp"

namespace gausscse {

namespace {

constexpr std::int64_t rows_of_unit_task = 64;

}  // namespace

UnitRows::UnitRows(const at::Tensor& rows)
    : units_(at::empty(rows.sizes(), rows.options())),
      inverse_lengths_(at::empty({rows.size(0), 1}, rows.options().dtype(at::kDouble))) {
  ops::for_row_ranges(rows, rows_of_unit_task, [&](std::int64_t begin, std::int64_t count) {
    const at::Tensor part = rows.narrow(0, begin, count).to(at::kDouble);
    const at::Tensor lengths = part.square().sum({1}, true).sqrt_();
    at::Tensor inverse = inverse_lengths_.narrow(0, begin, count);
    inverse.copy_(lengths.reciprocal().masked_fill_(lengths == 0, 0));
    units_.narrow(0, begin, count).copy_(part * inverse);
  });
}

void UnitRows::backward(at::Tensor gradient) const {
  ops::for_row_ranges(gradient, rows_of_unit_task, [&](std::int64_t begin, std::int64_t count) {
    at::Tensor part = gradient.narrow(0, begin, count);
    const at::Tensor units = units_.narrow(0, begin, count).to(at::kDouble);
    const at::Tensor by_units = part.to(at::kDouble);
    const at::Tensor along = (by_units * units).sum({1}, true);
    part.copy_((by_units - along * units) * inverse_lengths_.narrow(0, begin, count));
  });
}

}  // namespace gausscse
