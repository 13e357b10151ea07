#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace gausscse {

/// Returns name and text of every .csv of this folder; written when the build is configured.
std::vector<std::pair<std::string_view, std::string_view>> embedded_paper_figures();

}  // namespace gausscse
