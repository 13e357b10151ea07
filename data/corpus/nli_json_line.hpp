#pragma once

#include <string_view>

#include "data/corpus/nli_label.hpp"
#include "data/corpus/nli_pair.hpp"

namespace gausscse {

/// The pair of one line of SNLI's and MNLI's JSON layout: an object with the texts `gold_label`, `sentence1` and
/// `sentence2`; other keys may hold anything. Throws InputError, saying what is wrong but not where, if the line is not
/// JSON (RFC 8259), not an object, names a key twice in an object, lacks one of the three, has another type there, an
/// unknown label, or a sentence that holds nothing but white space. Sentences are trimmed if `trim` is set.
/// The text, number or truth value under `group_key` becomes the pair's group; a line without it throws. Empty: none.
NliPair parse_nli_json_line(std::string_view line, NliLabels labels, bool trim, std::string_view group_key = {});

}  // namespace gausscse
