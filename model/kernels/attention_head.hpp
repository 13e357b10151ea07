#pragma once

#include <cstdint>

namespace gausscse::kernels {

/// Columns of an attention head that kernels for GPUs take at most.
constexpr std::int64_t widest_attention_head_of_gpus = 128;

}  // namespace gausscse::kernels
