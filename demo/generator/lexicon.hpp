#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

/// The words of the generated corpus, which lexicon.txt lists; the program holds that file.
namespace gausscse::lexicon {

using Words = std::vector<std::string_view>;
/// Entry of a table: its fields, each a list. lexicon.txt names the fields of each table.
using Entry = std::vector<Words>;

/// Numbers of fields. Words of `generals` hold of all that the entry's `names` hold of. `tags` are the kinds of actors,
/// uses of things, and settings. The others are of activities and, `opposites`, of places.
enum Field : std::size_t { names, generals, tags, use_of_object, contraries, by_whom, opposites = use_of_object };

/// Returns the text of lexicon.txt, which the build compiles in.
std::string_view text();

/// Returns the entries of a table; throws std::out_of_range if there is none of this name.
const std::vector<Entry>& table(std::string_view name);

}  // namespace gausscse::lexicon
