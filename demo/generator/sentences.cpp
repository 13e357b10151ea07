#include "demo/generator/sentences.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"

namespace gausscse {

namespace {

std::string with_article(std::string_view words) {
  const bool vowel = std::string_view("aeiou").find(words.front()) != std::string_view::npos;
  return concat(vowel && !words.starts_with("use") ? "an " : "a ", words);
}

std::string finished(std::string text) {
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text + ".";
}

/// Returns "old men" of "old" and "man/men".
std::string noun(std::string_view adjective, const ScenePart& part, bool plural) {
  const std::size_t slash = part.words.find('/');
  return concat(adjective, adjective.empty() ? "" : " ",
                plural ? part.words.substr(slash + 1) : part.words.substr(0, slash));
}

std::string actors_of(const Scene& scene, bool known) {
  const std::string actors = noun(scene.adjective, scene.actor, scene.is_plural);
  if (known) return concat("the ", actors);
  return scene.is_plural ? concat(scene.count, actors) : with_article(actors);
}

/// Returns "riding a bicycle".
std::string doing(const Scene& scene, bool plural) {
  if (!scene.thing.entry) return std::string(scene.activity.words);
  const std::string thing = noun(scene.colour, scene.thing, plural);
  return concat(scene.activity.words, " ", plural ? thing : with_article(thing));
}

/// Returns " in a park at midnight", with a blank in front; may be empty.
std::string surroundings(const Scene& scene) {
  std::string words;
  for (const std::string_view part : {scene.place.words, scene.time.words, scene.circumstance})
    if (!part.empty()) words += concat(" ", part);
  return words;
}

std::string_view verb(const Scene& scene) {
  return scene.is_plural ? " are " : " is ";
}

std::string_view pronoun(const Scene& scene) {
  return is_among((*scene.actor.entry)[lexicon::tags], "animal") ? " that" : " who";
}

/// Returns "The man who is riding a bicycle is old." or, of the thing, "The bicycle that the man is riding is red."
std::string description(Scene scene, bool of_thing, std::string_view negation, std::string_view adjective) {
  (of_thing ? scene.colour : scene.adjective) = {};
  const std::string actors = actors_of(scene, true);
  if (of_thing)
    return finished(concat("the ", noun("", scene.thing, scene.is_plural), " that ", actors, verb(scene),
                           scene.activity.words, verb(scene), negation, adjective));
  return finished(
      concat(actors, pronoun(scene), verb(scene), doing(scene, scene.is_plural), verb(scene), negation, adjective));
}

/// Returns "the man is", `negation` and something that excludes the activity.
std::string contrary(PhiloxStream& draws, const Scene& scene, std::string_view negation) {
  const std::string_view list = (*scene.activity.entry)[lexicon::contraries][0];
  return concat(actors_of(scene, true), verb(scene), negation, draw_circumstance(draws, list));
}

std::string entailed(PhiloxStream& draws, const Scene& scene) {
  Scene weaker = scene;
  bool changed = false;
  for (int tries = 0; tries < 16 && !changed; ++tries) changed = weaken(draws, weaker, 0.9);
  if (!changed || happens(draws, 0.1)) return finished(contrary(draws, weaker, "not "));
  if (happens(draws, 0.2) && !(scene.adjective.empty() && scene.colour.empty())) {
    const bool of_thing = scene.adjective.empty() || (!scene.colour.empty() && happens(draws, 0.5));
    const std::string_view said = of_thing ? scene.colour : scene.adjective;
    if (happens(draws, 0.6)) return description(weaker, of_thing, "", said);
    return description(weaker, of_thing, "not ", draw_adjective(draws, of_thing ? scene.thing : scene.actor, said));
  }
  if (scene.is_plural && happens(draws, 0.2)) weaker.count = happens(draws, 0.5) ? "some " : "at least two ";
  return sentence(draws, weaker, weaker.count == scene.count && happens(draws, 0.45));
}

std::string neutral(PhiloxStream& draws, const Scene& scene) {
  // Contrastive losses see no neutral pairs: those that add to the premise score like entailed ones, and are few.
  const bool is_elsewhere = happens(draws, 0.8);
  Scene other = is_elsewhere ? draw_scene(draws) : scene;
  if (is_elsewhere) {
    other.place = {};
    other.circumstance = draw_circumstance(draws, "elsewhere");
    return sentence(draws, other, false);
  }
  weaken(draws, other, 0.9);
  const std::size_t added = draws.below(4);
  const std::string_view colour = draw_adjective(draws, scene.thing, "");
  if (added == 0 && scene.adjective.empty())
    other.adjective = draw_adjective(draws, scene.actor, "");
  else if (added == 1 && scene.colour.empty() && !colour.empty())
    other.colour = colour;
  else if (added == 2 && !scene.time.entry)
    other.time = draw_time(draws, scene);
  else if (!scene.place.entry)
    other.place = draw_place(draws, scene);
  else
    other.circumstance = draw_circumstance(draws, scene.circumstance.empty() ? "circumstances" : "elsewhere");
  return sentence(draws, other, happens(draws, 0.45));
}

std::string contradicted(PhiloxStream& draws, const Scene& scene) {
  Scene weaker = scene;
  weaken(draws, weaker, 0.8);
  const std::size_t kind = draws.below(9);
  if (kind < 2)
    return finished(concat(kind == 0 ? "no " : "not a single ", noun(weaker.adjective, weaker.actor, false), " is ",
                           doing(weaker, false), surroundings(weaker)));
  if (kind < 4 && scene.place.entry) {
    weaker.place = weaker.time = {};
    weaker.circumstance = pick(draws, (*scene.place.entry)[lexicon::opposites]);
    return sentence(draws, weaker, true);
  }
  if (kind == 4 && !scene.adjective.empty())
    return description(weaker, false, "", draw_adjective(draws, scene.actor, scene.adjective));
  if (kind == 5 && !scene.colour.empty())
    return description(weaker, true, "", draw_adjective(draws, scene.thing, scene.colour));
  if (kind == 6) return finished(concat(actors_of(weaker, true), verb(scene), "not ", doing(weaker, scene.is_plural)));
  weaker.circumstance = {};
  return finished(concat(contrary(draws, weaker, ""), surroundings(weaker)));
}

}  // namespace

std::string sentence(PhiloxStream& draws, const Scene& scene, bool known) {
  const std::string actors = actors_of(scene, known);
  const std::string rest = concat(doing(scene, scene.is_plural), surroundings(scene));
  const std::size_t form = draws.below(6);
  if (form == 0) return finished(concat(actors, " can be seen ", rest));
  if (form == 1 && !known && actors.find(" who ") == std::string::npos)
    return finished(concat("there", verb(scene), actors, pronoun(scene), verb(scene), rest));
  return finished(concat(actors, verb(scene), rest));
}

std::string hypothesis(PhiloxStream& draws, const Scene& scene, NliLabel label) {
  if (label == NliLabel::entailment) return entailed(draws, scene);
  return label == NliLabel::neutral ? neutral(draws, scene) : contradicted(draws, scene);
}

}  // namespace gausscse
