#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace gausscse::ops {

/// Calls `task(begin, count)` for ranges that cover the rows of `x`: on CPUs of at most `most` rows, by all threads, in
/// each of which LibTorch computes with one; on other devices once for all rows.
void for_row_ranges(const at::Tensor& x, std::int64_t most,
                    const std::function<void(std::int64_t begin, std::int64_t count)>& task);

}  // namespace gausscse::ops
