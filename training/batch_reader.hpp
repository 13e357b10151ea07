#pragma once

#include <cstdint>
#include <vector>

#include "data/corpus/token_store.hpp"
#include "model/choices.hpp"
#include "model/objective/objective.hpp"
#include "training/prepared_batch.hpp"

namespace gausscse {

/// Reads the examples of a batch, whose numbers in `store` are `batch`, for `objective`. With the divisor `longest` it
/// reports the longest sentence of each role in the whole batch, which every rank knows by the plan. `store` and
/// `objective` must outlive it.
ExampleReader batch_reader(const TokenStore& store, std::vector<std::uint32_t> batch, const Objective& objective,
                           PoolingDivisor divisor);

}  // namespace gausscse
