#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/philox.hpp"
#include "demo/generator/lexicon.hpp"

namespace gausscse {

/// Number of actors. `all` and `most` are of a group that the scene takes for known.
enum class Quantity { one, two, three, four, five, several, many, group, some, all, most };

/// An index in a table, or nothing.
using TableIndex = std::optional<std::size_t>;

/// One choice a group of adjectives of an actor or a thing, in the order of its groups.
using Adjectives = std::array<TableIndex, 4>;

struct Clothing {
  std::size_t garment = 0;
  TableIndex colour;
};

struct ActorPhrase {
  const lexicon::Actor* actor = nullptr;
  TableIndex general;  ///< one of the actor's generals, in place of its name
  Adjectives adjectives;
  std::optional<Clothing> clothing;
};

struct ThingPhrase {
  const lexicon::Thing* thing = nullptr;
  TableIndex general;
  Adjectives adjectives;
};

struct Bystander {
  const lexicon::Actor* actor = nullptr;
  const lexicon::Bystanding* doing = nullptr;
};

/// Content of a sentence of the generator: somebody does something, perhaps to something, somewhere, sometime.
struct Scene {
  Quantity quantity = Quantity::one;
  ActorPhrase actor;
  const lexicon::Activity* activity = nullptr;
  TableIndex general_activity;
  std::optional<ThingPhrase> thing;
  const lexicon::Place* place = nullptr;  ///< null where nothing is said
  TableIndex general_place;
  const lexicon::Time* time = nullptr;  ///< null where nothing is said
  bool general_time = false;
  std::optional<Bystander> bystander;
  std::string_view tail;  ///< a circumstance, said last
};

/// Returns whether the actors are all or most of a group that the scene takes for known.
inline bool is_of_known_group(const Scene& scene) {
  return scene.quantity == Quantity::all || scene.quantity == Quantity::most;
}

/// Returns the groups of which an adjective is said, or those of which none is.
std::vector<std::size_t> groups_where(bool said, const lexicon::AdjectiveGroups& groups, const Adjectives& adjectives);

/// Returns true with the given probability.
bool happens(PhiloxStream& draws, double probability);

/// Returns an index below `size` (>= 1), each as likely.
std::size_t pick(PhiloxStream& draws, std::size_t size);

/// Returns another index below `size` (>= 2) than `index`, each as likely.
std::size_t pick_other(PhiloxStream& draws, std::size_t index, std::size_t size);

/// Draws a scene. Its activity and time are exact; actors, thing and place may be said in general words.
Scene draw_scene(PhiloxStream& draws);

/// Returns a place where `activity` can be, at the time of `time` (or null).
const lexicon::Place& draw_place(PhiloxStream& draws, const lexicon::Activity& activity, const lexicon::Time* time);

/// Returns a time that goes with `place` (or null).
const lexicon::Time& draw_time(PhiloxStream& draws, const lexicon::Place* place);

/// Returns a bystander of another kind than the actor and the thing of `scene`.
Bystander draw_bystander(PhiloxStream& draws, const Scene& scene);

}  // namespace gausscse
