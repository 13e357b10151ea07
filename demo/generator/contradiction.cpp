#include <array>
#include <functional>
#include <vector>

#include "base/error.hpp"
#include "demo/generator/rules.hpp"
#include "demo/generator/wording.hpp"

namespace gausscse {

namespace {

using lexicon::AdjectiveGroup;

std::string other_value(PhiloxStream& draws, const AdjectiveGroup& group, std::size_t value) {
  return std::string(group.values[pick_other(draws, value, group.values.size())]);
}

/// Returns a less exact form of the premise's scene, so that its negation is false.
Scene weakened(PhiloxStream& draws, const Scene& scene, bool names) {
  Scene weaker = scene;
  // "The person" would be unclear next to a bystander.
  generalise(draws, weaker, 0.8, names && !scene.bystander);
  return weaker;
}

std::string nobody(PhiloxStream& draws, const Scene& scene) {
  Scene weaker = scene;
  generalise(draws, weaker, 0.8);
  // Some of these are negations, and would be doubled.
  if (scene.thing == std::nullopt) weaker.general_activity.reset();
  const std::string rest = concat(doing(weaker, false), surroundings(weaker));
  const std::string actor = words_of(weaker.actor, false);
  switch (pick(draws, weaker.actor.actor->person ? 4 : 3)) {
    case 0:
      return finished(concat("no ", actor, " is ", rest));
    case 1:
      return finished(concat("not a single ", actor, " is ", rest));
    case 2:
      return finished(concat("there is no ", actor, " ", relative_pronoun(weaker.actor), " is ", rest));
    default:
      return finished(concat("nobody is ", rest));
  }
}

std::string negated(PhiloxStream& draws, const Scene& scene) {
  Scene weaker = weakened(draws, scene, true);
  weaker.general_activity.reset();
  weaker.bystander.reset();
  weaker.place = nullptr;
  weaker.time = nullptr;
  const Subject subject = known_actors(weaker);
  return finished(concat(subject.text, is_or_are(subject.plural), "not ", doing(weaker, subject.plural)));
}

std::string contrary(PhiloxStream& draws, const Scene& scene) {
  Scene weaker = weakened(draws, scene, true);
  weaker.bystander.reset();
  weaker.tail = {};
  const Subject subject = known_actors(weaker);
  const auto& contraries = scene.activity->contraries;
  return finished(concat(subject.text, is_or_are(subject.plural), contraries[pick(draws, contraries.size())],
                         surroundings(weaker)));
}

/// Returns "The man who is riding a bicycle is young." where the premise has an old man.
std::string other_actor_adjective(PhiloxStream& draws, const Scene& scene, const std::vector<std::size_t>& said) {
  const std::size_t group = said[pick(draws, said.size())];
  Scene weaker = weakened(draws, scene, false);
  weaker.actor.adjectives[group].reset();
  const AdjectiveGroup& values = *scene.actor.actor->adjectives[group];
  const std::size_t value = *scene.actor.adjectives[group];
  if (happens(draws, 0.3)) return actor_is(weaker, true, values.values[value]);
  return actor_is(weaker, false, other_value(draws, values, value));
}

/// Returns "The bicycle that the man is riding is blue." where the premise has a red one.
std::string other_thing_adjective(PhiloxStream& draws, const Scene& scene, const std::vector<std::size_t>& said) {
  const std::size_t group = said[pick(draws, said.size())];
  Scene weaker = weakened(draws, scene, true);
  weaker.actor.clothing.reset();
  weaker.thing = ThingPhrase{scene.thing->thing, scene.thing->general, {}};
  const AdjectiveGroup& values = *scene.thing->thing->adjectives[group];
  const std::size_t value = *scene.thing->adjectives[group];
  if (happens(draws, 0.3)) return thing_is(weaker, true, values.values[value]);
  return thing_is(weaker, false, other_value(draws, values, value));
}

std::string other_clothing(PhiloxStream& draws, const Scene& scene) {
  Scene weaker = weakened(draws, scene, false);
  weaker.actor.clothing.reset();
  const auto& colours = lexicon::colours();
  const std::size_t colour = pick_other(draws, *scene.actor.clothing->colour, colours.size());
  return garment_is(weaker, scene.actor.clothing->garment, colours[colour]);
}

std::string other_place(PhiloxStream& draws, const Scene& scene) {
  static constexpr std::array<std::string_view, 3> inside{"indoors", "inside a building",
                                                          "in a room with closed doors"};
  static constexpr std::array<std::string_view, 3> outside{"outdoors", "in the open air", "outside in the street"};
  Scene weaker = weakened(draws, scene, true);
  weaker.place = nullptr;
  weaker.time = nullptr;
  weaker.bystander.reset();
  const auto& phrases = scene.place->setting == "indoors" ? outside : inside;
  weaker.tail = phrases[pick(draws, phrases.size())];
  return sentence(weaker, Form::plain, true);
}

std::string other_time(PhiloxStream& draws, const Scene& scene) {
  std::vector<const lexicon::Time*> others;
  for (const lexicon::Time& time : lexicon::tables().times) {
    if (time.group == scene.time->group && &time != scene.time) others.push_back(&time);
  }
  Scene weaker = weakened(draws, scene, true);
  weaker.time = others[pick(draws, others.size())];
  weaker.general_time = false;
  weaker.bystander.reset();
  return sentence(weaker, happens(draws, 0.3) ? Form::seen : Form::plain, true);
}

std::string only_one(PhiloxStream& draws, const Scene& scene) {
  Scene weaker = scene;
  generalise(draws, weaker, 0.8);
  const std::string_view number = happens(draws, 0.5) ? "only one " : "exactly one ";
  return finished(concat(number, words_of(weaker.actor, false), " is ", doing(weaker, false), surroundings(weaker)));
}

std::string not_all(PhiloxStream& draws, const Scene& scene) {
  const std::string actors = words_of(scene.actor, true);
  const std::string around = surroundings(scene);
  if (scene.quantity == Quantity::most || happens(draws, 0.3)) {
    return finished(concat("none of the ", actors, " are ", doing(scene, true), around));
  }
  if (happens(draws, 0.5)) {
    return finished(concat("one of the ", actors, " is not ", doing(scene, false), around));
  }
  return finished(concat("not all of the ", actors, " are ", doing(scene, true), around));
}

std::string swapped_roles(const Scene& scene) {
  const bool plural = is_plural(scene.quantity);
  const Subject subject = known_actors(scene);
  return finished(concat("the ", words_of(*scene.thing, plural), is_or_are(plural), scene.activity->progressive, " ",
                         subject.text));
}

std::string alone(PhiloxStream& draws, const Scene& scene) {
  const Subject subject = known_actors(scene);
  if (happens(draws, 0.5)) return finished(concat(subject.text, is_or_are(subject.plural), "completely alone"));
  return finished(concat("there is nobody else near ", subject.text));
}

}  // namespace

std::string contradicted_hypothesis(PhiloxStream& draws, const Scene& scene) {
  std::vector<std::function<std::string()>> rules;
  const auto add = [&](std::size_t weight, const auto& rule) { rules.insert(rules.end(), weight, rule); };
  // As in SNLI, most describe something else that is done; fewer differ in a single word.
  add(2, [&] { return nobody(draws, scene); });
  add(1, [&] { return negated(draws, scene); });
  add(4, [&] { return contrary(draws, scene); });
  if (scene.place) add(2, [&] { return other_place(draws, scene); });
  const auto said_of_actor = groups_where(true, scene.actor.actor->adjectives, scene.actor.adjectives);
  if (!said_of_actor.empty()) add(1, [&] { return other_actor_adjective(draws, scene, said_of_actor); });
  std::vector<std::size_t> said_of_thing;
  if (scene.thing) said_of_thing = groups_where(true, scene.thing->thing->adjectives, scene.thing->adjectives);
  if (!said_of_thing.empty()) add(1, [&] { return other_thing_adjective(draws, scene, said_of_thing); });
  const bool coloured = scene.actor.clothing && scene.actor.clothing->colour;
  if (coloured) add(1, [&] { return other_clothing(draws, scene); });
  if (scene.time) add(1, [&] { return other_time(draws, scene); });
  if (scene.quantity >= Quantity::two && scene.quantity <= Quantity::group) {
    add(1, [&] { return only_one(draws, scene); });
  }
  if (scene.quantity >= Quantity::all) add(1, [&] { return not_all(draws, scene); });
  // Two can watch each other; of the other activities none is mutual.
  const bool swappable = scene.thing && scene.thing->thing->animal && scene.activity->use != "watchable";
  if (swappable) add(1, [&] { return swapped_roles(scene); });
  const bool in_company = scene.bystander && scene.bystander->actor->person && scene.bystander->doing->nearby;
  if (in_company) add(1, [&] { return alone(draws, scene); });
  return rules[pick(draws, rules.size())]();
}

}  // namespace gausscse
