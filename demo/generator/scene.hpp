#pragma once

#include <cstdint>
#include <string_view>

#include "base/philox.hpp"
#include "demo/generator/lexicon.hpp"

namespace gausscse {

/// Part of a scene: an entry of the lexicon, and the words that are said of it.
struct ScenePart {
  const lexicon::Entry* entry = nullptr;  ///< null: nothing is said
  std::string_view words;
  bool is_exact = true;  ///< one of the entry's names, not one of its more general words
};

/// Content of a sentence: somebody does something, perhaps to something, somewhere, sometime.
struct Scene {
  bool is_plural = false;
  ScenePart actor, activity, thing, place, time;
  std::string_view count;                            ///< word for several actors: "two "
  std::string_view adjective, colour, circumstance;  ///< actor's, thing's, and what is said last; empty: none
};

/// Returns true with the given probability.
inline bool happens(PhiloxStream& draws, double probability) {
  return draws.uniform() < probability;
}

/// Returns an element of the list, each as likely.
template <typename List>
const auto& pick(PhiloxStream& draws, const List& list) {
  return list[draws.below(static_cast<std::uint32_t>(list.size()))];
}

Scene draw_scene(PhiloxStream& draws);

/// Makes a scene less exact, so that the old one entails it: drops parts, or says them in more general words, each with
/// a probability that grows with `strength` (0 .. 1). Returns whether anything changed.
bool weaken(PhiloxStream& draws, Scene& scene, double strength);

/// Returns a place where the activity can be, at the time if one is said.
ScenePart draw_place(PhiloxStream& draws, const Scene& scene);

/// Returns a time that goes with the place; where none is said, with all places of the activity.
ScenePart draw_time(PhiloxStream& draws, const Scene& scene);

/// Returns an adjective that goes with the part and that excludes `said`, if that is not empty; empty where there is
/// none.
std::string_view draw_adjective(PhiloxStream& draws, const ScenePart& part, std::string_view said);

/// Returns one of a table of circumstances.
std::string_view draw_circumstance(PhiloxStream& draws, std::string_view table);

}  // namespace gausscse
