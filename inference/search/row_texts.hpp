#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "inference/sentence_file.hpp"

namespace gausscse {

/// Returns the texts of these rows. The file is read once more, from its first block on; `choose` removes the sentences
/// that have no row, as it did in `read_rows`. Memory holds a block and the texts.
std::map<std::uint64_t, std::string> texts_of_rows(SentenceFile& file, const std::set<std::uint64_t>& rows,
                                                   const std::function<void(std::vector<std::string>&)>& choose = {});

}  // namespace gausscse
