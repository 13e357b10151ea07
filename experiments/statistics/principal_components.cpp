#include "experiments/statistics/principal_components.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_eigh.h>

#include <algorithm>

#include "base/error.hpp"
#include "model/parallel_tasks.hpp"

namespace gausscse {

namespace {

/// Returns the directions with signs as the header says.
at::Tensor with_sign(const at::Tensor& directions) {
  const at::Tensor largest = directions.abs().argmax(0, /*keepdim=*/true);
  return directions * directions.gather(0, largest).sign();
}

PrincipalComponents components_of(at::Tensor values, std::int64_t count) {
  values -= values.mean(0, /*keepdim=*/true);
  // In rising order of eigenvalues.
  const auto [variances, directions] = at::linalg_eigh(values.t().matmul(values));
  const std::int64_t width = values.size(1);
  const at::Tensor first = with_sign(directions.narrow(1, width - count, count).flip(1));
  const at::Tensor coordinates = values.matmul(first).contiguous();
  const double* begin = coordinates.const_data_ptr<double>();
  PrincipalComponents found{count, {begin, begin + coordinates.numel()}, {}};
  const double total = values.square().sum().item<double>();
  for (std::int64_t i = 0; i < count; ++i)
    found.shares.push_back(total > 0 ? std::max(0.0, variances[width - 1 - i].item<double>()) / total : 0.0);
  return found;
}

}  // namespace

PrincipalComponents principal_components(std::span<const float> vectors, std::int64_t width, std::int64_t count) {
  GAUSSCSE_CHECK(width > 0 && count > 0 && vectors.size() % static_cast<std::size_t>(width) == 0, vectors.size(),
                 " values, width ", width);
  const auto rows = static_cast<std::int64_t>(vectors.size()) / width;
  count = std::min(count, width);
  if (rows == 0) return {count, {}, std::vector<double>(static_cast<std::size_t>(count), 0)};
  at::Tensor values = at::empty({rows, width}, at::kDouble);
  std::copy(vectors.begin(), vectors.end(), values.mutable_data_ptr<double>());
  if (!values.isfinite().all().item<bool>())
    throw InputError("vectors have values that are not finite: their principal components do not exist");
  PrincipalComponents found;
  run_tasks(1, 1, [&](std::int64_t, int) { found = components_of(values, count); });
  return found;
}

}  // namespace gausscse
