#pragma once

#include "base/choice.hpp"

/// How a corpus is read: the values that a trial names.
namespace gausscse {

/// What a line that cannot be read leads to.
enum class BadLines {
  error,  ///< InputError with the file, the line and what is wrong
  skip,   ///< the line is left out, counted and listed in the ReadReport
};

/// How many triples a premise of an NLI corpus gives.
enum class TriplesPerPremise {
  one,  ///< one entailed and one contradicted hypothesis, chosen by seed
  all,  ///< every combination
};

template <>
inline constexpr NameTable<BadLines, 2> names<BadLines>{{{BadLines::error, "error"}, {BadLines::skip, "skip"}}};
template <>
inline constexpr NameTable<TriplesPerPremise, 2> names<TriplesPerPremise>{
    {{TriplesPerPremise::one, "one"}, {TriplesPerPremise::all, "all"}}};

}  // namespace gausscse
