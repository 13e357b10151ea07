#pragma once

#include <string>
#include <vector>

#include "evaluation/geometry/token_geometry.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// Returns the metrics under the names that LayerGeometry has, those of layer l followed by `.l`, and without it those
/// of the last layer; `rogue.share_of_top.1` to `.3`, `rogue.reaching.0.1`, `.0.2` and `.0.5`, and `informativity.K`.
/// Columns are named by `geometry_columns`; empty ones are left out. `tokens` are the strings of all ids, as of
/// `Tokenizer::tokens`.
Measurement measurement_of(const std::string& task, const TokenGeometry& geometry,
                           const std::vector<std::string>& tokens);

}  // namespace gausscse
