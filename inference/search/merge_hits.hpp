#pragma once

#include "dist/communicator.hpp"
#include "inference/search/top_rows.hpp"

namespace gausscse {

/// Adds to rank 0's search the hits of all other ranks, which searched other rows for the same queries. Collective.
void merge_hits_of_ranks(TopRows& search, Communicator& communicator);

}  // namespace gausscse
