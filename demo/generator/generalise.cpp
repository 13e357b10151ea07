#include "demo/generator/rules.hpp"

namespace gausscse {

namespace {

using lexicon::AdjectiveGroup;
using Groups = const lexicon::AdjectiveGroups&;

/// Returns a general; the first of each list is a word rather than a phrase and comes more often.
std::size_t pick_general(PhiloxStream& draws, std::size_t size) {
  return happens(draws, 0.4) ? 0 : pick(draws, size);
}

bool drop_adjectives(PhiloxStream& draws, Groups groups, Adjectives& adjectives, bool noun_is_general,
                     double probability) {
  bool changed = false;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!adjectives[i]) continue;
    const bool must = noun_is_general && !groups[i]->survives_generalising;
    if (!must && !happens(draws, probability)) continue;
    adjectives[i].reset();
    changed = true;
  }
  return changed;
}

bool generalise_actor(PhiloxStream& draws, ActorPhrase& actor, double strength, bool names) {
  bool changed = false;
  if (names && !actor.general && happens(draws, 0.75 * strength)) {
    actor.general = pick_general(draws, actor.actor->generals.size());
    changed = true;
  }
  const bool general = actor.general.has_value();
  if (drop_adjectives(draws, actor.actor->adjectives, actor.adjectives, general, 0.6 * strength)) changed = true;
  if (actor.clothing && happens(draws, 0.8 * strength)) {
    if (actor.clothing->colour && happens(draws, 0.4)) {
      actor.clothing->colour.reset();
    } else {
      actor.clothing.reset();
    }
    changed = true;
  }
  return changed;
}

bool generalise_thing(PhiloxStream& draws, ThingPhrase& thing, double strength) {
  bool changed = false;
  if (!thing.general && happens(draws, 0.7 * strength)) {
    thing.general = pick_general(draws, thing.thing->generals.size());
    changed = true;
  }
  const bool general = thing.general.has_value();
  if (drop_adjectives(draws, thing.thing->adjectives, thing.adjectives, general, 0.6 * strength)) changed = true;
  return changed;
}

bool generalise_surroundings(PhiloxStream& draws, Scene& scene, double strength) {
  bool changed = false;
  if (scene.place && !scene.general_place && happens(draws, 0.8 * strength)) {
    if (happens(draws, 0.5)) {
      scene.general_place = pick_general(draws, scene.place->generals.size());
    } else {
      scene.place = nullptr;
    }
    changed = true;
  }
  if (scene.time && !scene.general_time && happens(draws, 0.8 * strength)) {
    if (happens(draws, 0.4)) {
      scene.general_time = true;
    } else {
      scene.time = nullptr;
    }
    changed = true;
  }
  if (scene.bystander && happens(draws, 0.8 * strength)) {
    scene.bystander.reset();
    changed = true;
  }
  if (!scene.tail.empty() && happens(draws, 0.8 * strength)) {
    scene.tail = {};
    changed = true;
  }
  return changed;
}

}  // namespace

bool generalise(PhiloxStream& draws, Scene& scene, double strength, bool names) {
  bool changed = generalise_actor(draws, scene.actor, strength, names);
  // "All of the old men ride" does not say that all of the men do.
  if (changed && is_of_known_group(scene)) scene.quantity = Quantity::some;
  if (!scene.general_activity && happens(draws, 0.4 * strength)) {
    scene.general_activity = pick_general(draws, scene.activity->generals.size());
    changed = true;
  }
  if (scene.thing && generalise_thing(draws, *scene.thing, strength)) changed = true;
  if (generalise_surroundings(draws, scene, strength)) changed = true;
  return changed;
}

}  // namespace gausscse
