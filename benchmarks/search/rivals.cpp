#include "benchmarks/search/rivals.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/topk.h>

#include <algorithm>
#include <tuple>

namespace gausscse {

void multiply_blocks(std::int64_t queries, std::int64_t dimension, std::int64_t rows, std::int64_t block) {
  const std::int64_t width = 2 * dimension + 1;
  // More rows than any cache holds, again and again.
  const std::int64_t stored = std::max<std::int64_t>(block, 65536) / block * block;
  static const at::Tensor features = at::rand({stored, width}, at::kFloat);
  const at::Tensor of_queries = at::rand({queries, width}, at::kFloat);
  at::Tensor products = at::empty({queries, block}, at::kFloat);
  for (std::int64_t begin = 0; begin < rows; begin += block)
    at::mm_out(products, of_queries, features.narrow(0, begin % stored, block).t());
}

at::Tensor per_dimension_by_tensors(const at::Tensor& queries, const at::Tensor& rows, std::int64_t top,
                                    std::int64_t block) {
  const std::int64_t dimension = queries.size(1) / 2;
  const at::Tensor mean = queries.narrow(1, 0, dimension).unsqueeze(1),
                   log_var = queries.narrow(1, dimension, dimension).unsqueeze(1);
  at::Tensor best, best_rows;
  for (std::int64_t begin = 0; begin < rows.size(0); begin += block) {
    const at::Tensor some = rows.narrow(0, begin, std::min(block, rows.size(0) - begin));
    const at::Tensor row_log_var = some.narrow(1, dimension, dimension);
    const at::Tensor log_ratio = log_var - row_log_var;
    const at::Tensor kl =
        0.5 * (log_ratio.exp() + (mean - some.narrow(1, 0, dimension)).square() * (-row_log_var).exp() - 1 - log_ratio);
    auto [similarity, number] = at::topk((1 / (1 + kl)).mean(-1), std::min(top, some.size(0)));
    number = number + begin;
    if (best.defined()) {
      similarity = at::cat({best, similarity}, 1);
      number = at::cat({best_rows, number}, 1);
    }
    const auto [kept, at] = at::topk(similarity, std::min(top, similarity.size(1)));
    best = kept;
    best_rows = number.gather(1, at);
  }
  return best_rows;
}

}  // namespace gausscse
