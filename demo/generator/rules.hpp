#pragma once

#include <string>

#include "base/philox.hpp"
#include "demo/generator/scene.hpp"

/// Hypotheses about a scene. As in SNLI, premise and hypothesis describe the same scene, numbers are exact, and "the
/// man" is the man of the premise.
namespace gausscse {

/// Makes `scene` less exact: drops a part, or makes it more general; each of its parts with a probability that grows
/// with `strength` (0 .. 1). With `names` false the actor's noun stays. Returns whether anything changed; the old scene
/// entails the new one. The quantity `all` or `most` becomes `some` where the actors are described more generally.
bool generalise(PhiloxStream& draws, Scene& scene, double strength, bool names = true);

/// Returns a sentence that is true whenever the scene is.
std::string entailed_hypothesis(PhiloxStream& draws, const Scene& scene);

/// Returns a sentence that may be true or false where the scene is true.
std::string neutral_hypothesis(PhiloxStream& draws, const Scene& scene);

/// Returns a sentence that is false whenever the scene is true.
std::string contradicted_hypothesis(PhiloxStream& draws, const Scene& scene);

}  // namespace gausscse
