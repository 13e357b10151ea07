#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "data/corpus/read_report.hpp"

namespace gausscse {

// What the log tells of sentences that were read, in all commands alike. `name` is the file or the set.

/// Warns of lines left out, the first of them one by one.
void tell_bad_lines(const std::string& name, const ReadReport& report);

/// Warns of sentences that were cut to `max_tokens`.
void tell_cut_sentences(const std::string& name, std::size_t cut_sentences, std::int64_t max_tokens);

}  // namespace gausscse
