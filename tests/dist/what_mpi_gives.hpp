#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>

#include "dist/collectives.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

/// Returns parts of the ranks: even, uneven, some empty, of the last rank alone, and nothing at all.
inline std::vector<std::vector<std::int64_t>> ways_to_share(int size) {
  const auto ranks = static_cast<std::size_t>(size);
  std::vector<std::int64_t> even(ranks, 5), uneven, some_empty, last(ranks, 0), none(ranks, 0);
  for (int rank = 0; rank < size; ++rank) {
    uneven.push_back(3 * rank + 1);
    some_empty.push_back((rank + 2) % 3);
  }
  last.back() = 7;
  return {even, uneven, some_empty, last, none};
}

/// Expects every collective of `tried` to give the values of MPI's, for which communicator_test has closed forms.
/// `on_device` makes a tensor for `tried` of the memory of one of the CPU. The input must stay as it is, and so must
/// the memory around a result.
template <typename OnDevice>
void expect_what_mpi_gives(Collectives& tried, int rank, int size, const OnDevice& on_device) {
  const auto mpi = make_mpi_collectives();
  using Tensor = const at::Tensor&;
  for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
    const auto values = [&](std::int64_t count, int of) -> at::Tensor { return at::arange(count, type) + 100 * of; };
    const auto compare = [&](std::int64_t in, std::int64_t out, const auto& call) {
      constexpr std::int64_t margin = 4;
      const at::Tensor edge = at::full({margin}, -77, type), expected = at::full({out}, -1, type);
      const at::Tensor data = values(in, rank), found = at::cat({edge, expected, edge});
      call(*mpi, data, expected);
      call(tried, on_device(data), on_device(found.narrow(0, margin, out)));
      EXPECT_TRUE(at::equal(found, at::cat({edge, expected, edge})));
      EXPECT_TRUE(at::equal(data, values(in, rank)));
    };
    for (const std::vector<std::int64_t>& counts : ways_to_share(size)) {
      const std::int64_t own = counts[static_cast<std::size_t>(rank)];
      const std::int64_t before = counts[static_cast<std::size_t>((rank + size - 1) % size)];
      const std::int64_t all = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
      compare(own, all, [&](Collectives& ranks, Tensor in, Tensor out) { ranks.all_gather(in, counts, out); });
      compare(all, own, [&](Collectives& ranks, Tensor in, Tensor out) { ranks.reduce_scatter_sum(in, counts, out); });
      compare(own * size, all, [&](Collectives& ranks, Tensor in, Tensor out) { ranks.all_to_all(in, counts, out); });
      compare(own, before, [&](Collectives& ranks, Tensor in, Tensor out) { ranks.ring_shift(in, counts, out); });
    }
    for (const std::int64_t count : {5, 3, 1001, 0}) {
      const at::Tensor sum = values(count, rank), expected = sum.clone();
      mpi->all_reduce_sum(expected);
      tried.all_reduce_sum(on_device(sum));
      EXPECT_TRUE(at::equal(sum, expected));
      for (int root = 0; root < size; ++root) {
        const at::Tensor sent = values(count, rank);
        tried.broadcast(on_device(sent), root);
        EXPECT_TRUE(at::equal(sent, values(count, root)));
      }
    }
  }
}

}  // namespace gausscse
