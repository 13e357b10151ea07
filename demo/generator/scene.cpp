#include "demo/generator/scene.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/lists.hpp"

namespace gausscse {

namespace {

bool share_one(const lexicon::Words& some, const lexicon::Words& others) {
  return std::any_of(some.begin(), some.end(), [&](std::string_view word) { return is_among(others, word); });
}

/// Draws an entry until it suits, which some must, and one of its names.
template <typename Suits>
ScenePart draw_part(PhiloxStream& draws, std::string_view of, const Suits& suits) {
  while (true) {
    const lexicon::Entry& entry = pick(draws, lexicon::table(of));
    if (suits(entry)) return {&entry, pick(draws, entry[lexicon::names])};
  }
}

}  // namespace

ScenePart draw_place(PhiloxStream& draws, const Scene& scene) {
  return draw_part(draws, "places", [&](const lexicon::Entry& place) {
    return share_one(place[lexicon::tags], (*scene.activity.entry)[lexicon::tags]) &&
           (!scene.time.entry || share_one(place[lexicon::tags], (*scene.time.entry)[lexicon::tags]));
  });
}

ScenePart draw_time(PhiloxStream& draws, const Scene& scene) {
  const lexicon::Words& settings = (*(scene.place.entry ? scene.place : scene.activity).entry)[lexicon::tags];
  return draw_part(draws, "times", [&](const lexicon::Entry& time) {
    return std::all_of(settings.begin(), settings.end(),
                       [&](std::string_view of) { return is_among(time[lexicon::tags], of); });
  });
}

std::string_view draw_adjective(PhiloxStream& draws, const ScenePart& part, std::string_view said) {
  lexicon::Words values;
  for (const lexicon::Entry& entry : lexicon::table("adjectives"))
    if (part.entry && share_one(entry[1], (*part.entry)[lexicon::tags]) &&
        (said.empty() || is_among(entry[lexicon::names], said)))
      std::copy_if(entry[lexicon::names].begin(), entry[lexicon::names].end(), std::back_inserter(values),
                   [&](std::string_view value) { return value != said; });
  return values.empty() ? std::string_view() : pick(draws, values);
}

std::string_view draw_circumstance(PhiloxStream& draws, std::string_view of) {
  return pick(draws, lexicon::table(of)[0][lexicon::names]);
}

Scene draw_scene(PhiloxStream& draws) {
  static constexpr std::array<std::string_view, 6> counts{"two ", "three ", "four ", "five ", "several ", "many "};
  Scene scene;
  scene.actor = draw_part(draws, "actors", [](const lexicon::Entry&) { return true; });
  scene.activity = draw_part(draws, "activities", [&](const lexicon::Entry& activity) {
    return share_one(activity[lexicon::by_whom], (*scene.actor.entry)[lexicon::tags]);
  });
  if (const lexicon::Words& use = (*scene.activity.entry)[lexicon::use_of_object]; !use.empty())
    scene.thing = draw_part(draws, "things", [&](const lexicon::Entry& thing) {
      return share_one(thing[lexicon::tags], use) && !is_among(thing[lexicon::names], scene.actor.words);
    });
  scene.is_plural = happens(draws, 0.45);
  if (scene.is_plural) scene.count = pick(draws, counts);
  if (happens(draws, 0.55)) scene.adjective = draw_adjective(draws, scene.actor, "");
  if (happens(draws, 0.6)) scene.colour = draw_adjective(draws, scene.thing, "");
  if (happens(draws, 0.8)) scene.place = draw_place(draws, scene);
  if (happens(draws, 0.45)) scene.time = draw_time(draws, scene);
  if (happens(draws, 0.25)) scene.circumstance = draw_circumstance(draws, "circumstances");
  // General words are no mark of a hypothesis.
  if (happens(draws, 0.5)) weaken(draws, scene, 0.5);
  return scene;
}

bool weaken(PhiloxStream& draws, Scene& scene, double strength) {
  bool changed = false;
  const auto chance = [&](bool is_there, double probability) {
    const bool happened = is_there && happens(draws, probability * strength);
    changed = changed || happened;
    return happened;
  };
  for (const auto& [part, probability, drop] : {std::tuple{&scene.actor, 0.75, 0.0},
                                                {&scene.activity, 0.4, 0.0},
                                                {&scene.thing, 0.7, 0.0},
                                                {&scene.place, 0.8, 0.5},
                                                {&scene.time, 0.8, 0.5}}) {
    if (!chance(part->entry && part->is_exact, probability)) continue;
    // The first general is a word rather than a phrase.
    const lexicon::Words& words = (*part->entry)[lexicon::generals];
    *part = happens(draws, drop) ? ScenePart()
                                 : ScenePart{part->entry, happens(draws, 0.4) ? words[0] : pick(draws, words), false};
  }
  for (std::string_view* words : {&scene.adjective, &scene.colour, &scene.circumstance})
    if (chance(!words->empty(), 0.6)) *words = {};
  return changed;
}

}  // namespace gausscse
