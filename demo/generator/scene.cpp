#include "demo/generator/scene.hpp"

#include <algorithm>

#include "base/lists.hpp"
#include "demo/generator/rules.hpp"

namespace gausscse {

namespace {

using lexicon::Activity;
using lexicon::Actor;
using lexicon::AdjectiveGroup;
using lexicon::Place;
using lexicon::Thing;
using lexicon::Time;

bool can_do(const Actor& actor, const Activity& activity) {
  if (activity.only_by_adults && !actor.adult) return false;
  return actor.person ? activity.by_persons : activity.by_animals;
}

/// Draws until `suits` holds; some entry must.
template <typename T, typename Predicate>
const T& draw_from(PhiloxStream& draws, const std::vector<T>& table, const Predicate& suits) {
  while (true) {
    const T& entry = table[pick(draws, table.size())];
    if (suits(entry)) return entry;
  }
}

Adjectives draw_adjectives(PhiloxStream& draws, const lexicon::AdjectiveGroups& groups, double probability) {
  Adjectives adjectives;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (chosen == 2 || !happens(draws, probability)) continue;
    adjectives[i] = pick(draws, groups[i]->values.size());
    ++chosen;
  }
  return adjectives;
}

Quantity draw_quantity(PhiloxStream& draws) {
  if (happens(draws, 0.55)) return Quantity::one;
  static constexpr Quantity plural[] = {Quantity::two,   Quantity::two,  Quantity::three,   Quantity::three,
                                        Quantity::four,  Quantity::five, Quantity::several, Quantity::many,
                                        Quantity::group, Quantity::some, Quantity::all,     Quantity::most};
  return plural[pick(draws, std::size(plural))];
}

ThingPhrase draw_thing(PhiloxStream& draws, const Actor& actor, const Activity& activity) {
  const Thing& thing = draw_from<Thing>(draws, lexicon::tables().things, [&](const Thing& candidate) {
    return is_among(candidate.uses, activity.use) && candidate.name.singular != actor.name.singular;
  });
  return {&thing, std::nullopt, draw_adjectives(draws, thing.adjectives, 0.45)};
}

/// Replaces some words of a scene by general ones, so that these are no mark of a hypothesis.
void use_general_words(PhiloxStream& draws, Scene& scene) {
  const Scene exact = scene;
  generalise(draws, scene, 0.6);
  scene.quantity = exact.quantity;
  scene.general_activity.reset();
  scene.general_time = false;
  // "A person rides while a woman watches": it would be unclear who "the person" is.
  if (scene.actor.general) scene.bystander.reset();
}

}  // namespace

std::vector<std::size_t> groups_where(bool said, const lexicon::AdjectiveGroups& groups, const Adjectives& adjectives) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (adjectives[i].has_value() == said) found.push_back(i);
  return found;
}

bool happens(PhiloxStream& draws, double probability) {
  return draws.uniform() < probability;
}

std::size_t pick(PhiloxStream& draws, std::size_t size) {
  return draws.below(static_cast<std::uint32_t>(size));
}

std::size_t pick_other(PhiloxStream& draws, std::size_t index, std::size_t size) {
  return (index + 1 + pick(draws, size - 1)) % size;
}

const Place& draw_place(PhiloxStream& draws, const Activity& activity, const Time* time) {
  const bool under_the_sky = time && time->only_outdoors;
  return draw_from<Place>(draws, lexicon::tables().places, [&](const Place& place) {
    if (under_the_sky && place.setting == "indoors" && activity.settings.size() > 1) return false;
    return is_among(activity.settings, place.setting);
  });
}

const Time& draw_time(PhiloxStream& draws, const Place* place) {
  const bool indoors = place && place->setting == "indoors";
  return draw_from<Time>(draws, lexicon::tables().times,
                         [&](const Time& time) { return !(indoors && time.only_outdoors); });
}

Bystander draw_bystander(PhiloxStream& draws, const Scene& scene) {
  const auto related = [](const Actor& one, std::string_view name) {
    return one.name.singular == name ||
           std::any_of(one.generals.begin(), one.generals.end(),
                       [&](const lexicon::Noun& general) { return general.singular == name; });
  };
  const Actor& actor = draw_from<Actor>(draws, lexicon::tables().actors, [&](const Actor& candidate) {
    if (related(candidate, scene.actor.actor->name.singular)) return false;
    if (related(*scene.actor.actor, candidate.name.singular)) return false;
    return !scene.thing || !related(candidate, scene.thing->thing->name.singular);
  });
  const auto& bystandings = lexicon::tables().bystandings;
  return {&actor, &bystandings[pick(draws, bystandings.size())]};
}

Scene draw_scene(PhiloxStream& draws) {
  Scene scene;
  const bool person = happens(draws, 0.8);
  const Actor& actor = draw_from<Actor>(draws, lexicon::tables().actors,
                                        [&](const Actor& candidate) { return candidate.person == person; });
  scene.actor.actor = &actor;
  scene.actor.adjectives = draw_adjectives(draws, actor.adjectives, 0.4);
  if (actor.person && happens(draws, 0.3)) {
    Clothing clothing{pick(draws, lexicon::garments().size()), pick(draws, lexicon::colours().size())};
    scene.actor.clothing = clothing;
  }
  scene.quantity = draw_quantity(draws);
  const Activity& activity = draw_from<Activity>(draws, lexicon::tables().activities,
                                                 [&](const Activity& candidate) { return can_do(actor, candidate); });
  scene.activity = &activity;
  if (!activity.use.empty()) scene.thing = draw_thing(draws, actor, activity);
  if (happens(draws, 0.75)) scene.place = &draw_place(draws, activity, nullptr);
  if (happens(draws, 0.45)) scene.time = &draw_time(draws, scene.place);
  if (happens(draws, 0.25)) {
    scene.bystander = draw_bystander(draws, scene);
  } else if (happens(draws, 0.15)) {
    const lexicon::Words& circumstances = lexicon::circumstances(actor);
    scene.tail = circumstances[pick(draws, circumstances.size())];
  }
  if (happens(draws, 0.5)) use_general_words(draws, scene);
  return scene;
}

}  // namespace gausscse
