#pragma once

#include "model/kernels/cpu/sum_over_rows.hpp"
#include "model/kernels/kernels.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

template <typename T>
void add_grouped_rows(const KernelContext&, const T* x, RowGroups groups, RowShards shards, std::int64_t width,
                      T* table) {
  constexpr std::int64_t columns_of_task = 128;
  const std::int64_t blocks = (width + columns_of_task - 1) / columns_of_task;
#pragma omp parallel
  {
    Scratch<T> scratch;
    T* sums = scratch.of_size(places_of_tree(shards.count) * columns_of_task);
    // A group has rows of some shards only: empty parts are not added.
    bool empty[most_places];
#pragma omp for schedule(dynamic, 16)
    for (std::int64_t task = 0; task < groups.count * blocks; ++task) {
      const std::int64_t group = task / blocks, column = task % blocks * columns_of_task;
      const std::int64_t count = width - column < columns_of_task ? width - column : columns_of_task;
      const auto bytes = sizeof(T) * static_cast<std::size_t>(count);
      const auto put = [&](const T* part, std::int64_t place) {
        T* sum = sums + place * columns_of_task;
        if (empty[place])
          std::memcpy(sum, part, bytes);
        else
          add_to(part, count, sum);
        empty[place] = false;
      };
      std::int64_t next = groups.offsets[group];
      const std::int64_t end = groups.offsets[group + 1];
      T* target = table + groups.targets[group] * width + column;
      add_in_tree(
          shards.count,
          [&](std::int64_t shard, std::int64_t place) {
            empty[place] = true;
            for (; next < end && groups.rows[next] < shards.offsets[shard + 1]; ++next)
              put(x + groups.rows[next] * width + column, place);
          },
          [&](std::int64_t place) {
            if (!empty[place + 1]) put(sums + (place + 1) * columns_of_task, place);
          });
      add_to(sums, count, target);
    }
  }
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
