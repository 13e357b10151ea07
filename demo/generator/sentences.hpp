#pragma once

#include <string>

#include "data/corpus/nli_pair.hpp"
#include "demo/generator/scene.hpp"

namespace gausscse {

/// Returns a sentence with the scene as its content, in one of several forms; of known actors it begins with "The".
std::string sentence(PhiloxStream& draws, const Scene& scene, bool known);

/// Returns a sentence that is true whenever the scene is, may be true or false, or is false. As in SNLI, both sentences
/// describe the same scene, and "the man" is the man of the premise.
std::string hypothesis(PhiloxStream& draws, const Scene& scene, NliLabel label);

}  // namespace gausscse
