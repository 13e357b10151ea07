#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "inference/sentence_file.hpp"

namespace gausscse {

/// Returns the texts of these rows, which are numbered through all files. They are read once more, from the first block
/// on; `choose` removes the sentences that have no row, as it did in `read_rows`. Memory holds a block and the texts.
std::map<std::uint64_t, std::string> texts_of_rows(std::span<SentenceFile* const> files,
                                                   const std::set<std::uint64_t>& rows,
                                                   const std::function<void(std::vector<std::string>&)>& choose = {});

}  // namespace gausscse
