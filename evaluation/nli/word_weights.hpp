#pragma once

#include <span>
#include <string>
#include <vector>

namespace gausscse {

/// Returns for each sentence the sum, over its words, of their inverse document frequency among these sentences:
///
///     ln((N + 1) / (n_w + 1))    N sentences, n_w of them have the word w
///
/// A word is a run of letters, marks, digits and underscores in lower case, as Python's `re.findall(r"\w+",
/// text.lower())` has it, and counts as often as it stands there. So a sentence of rare words is heavy. Sentences whose
/// words are as frequent have equal sums, bit for bit, in any order of the words. Well-formed UTF-8.
std::vector<double> word_weights(std::span<const std::string> sentences);

}  // namespace gausscse
