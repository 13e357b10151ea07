#include "demo/generator/wording.hpp"

#include <array>

#include "base/error.hpp"

namespace gausscse {

namespace {

using lexicon::AdjectiveGroup;
using lexicon::Noun;

std::string_view in_number(const Noun& noun, bool plural) {
  return plural ? noun.plural : noun.singular;
}

std::string adjective_words(const lexicon::AdjectiveGroups& groups, const Adjectives& adjectives) {
  std::string words;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (adjectives[i]) words += concat(groups[i]->values[*adjectives[i]], " ");
  }
  return words;
}

std::string clothing_words(const Clothing& clothing, bool plural) {
  std::string words;
  if (clothing.colour) words = concat(lexicon::colours()[*clothing.colour], " ");
  words += in_number(lexicon::garments()[clothing.garment], plural);
  return plural ? words : with_article(words);
}

std::string_view quantifier(Quantity quantity) {
  static constexpr std::array<std::string_view, 11> words{"",      "two ",        "three ",      "four ",
                                                          "five ", "several ",    "many ",       "a group of ",
                                                          "some ", "all of the ", "most of the "};
  return words[static_cast<std::size_t>(quantity)];
}

std::string_view activity_words(const Scene& scene) {
  return scene.general_activity ? scene.activity->generals[*scene.general_activity] : scene.activity->progressive;
}

std::string object_words(const Scene& scene, bool plural) {
  const std::string words = words_of(*scene.thing, plural);
  return plural ? words : with_article(words);
}

bool has_relative_clause(const ActorPhrase& actor) {
  return actor.general && actor.actor->generals[*actor.general].singular.find(" who ") != std::string_view::npos;
}

}  // namespace

bool is_plural(Quantity quantity) {
  return quantity != Quantity::one;
}

std::string with_article(std::string_view words) {
  const bool vowel = std::string_view("aeiou").find(words.front()) != std::string_view::npos;
  return concat(vowel && !words.starts_with("use") ? "an " : "a ", words);
}

std::string words_of(const ActorPhrase& actor, bool plural) {
  const Noun& noun = actor.general ? actor.actor->generals[*actor.general] : actor.actor->name;
  std::string words = adjective_words(actor.actor->adjectives, actor.adjectives);
  words += in_number(noun, plural);
  if (actor.clothing) words += concat(" in ", clothing_words(*actor.clothing, plural));
  return words;
}

std::string words_of(const ThingPhrase& thing, bool plural) {
  const Noun& noun = thing.general ? thing.thing->generals[*thing.general] : thing.thing->name;
  return concat(adjective_words(thing.thing->adjectives, thing.adjectives), in_number(noun, plural));
}

Subject first_mention(const Scene& scene) {
  const bool plural = is_plural(scene.quantity);
  const std::string words = words_of(scene.actor, plural);
  if (!plural) return {with_article(words), false};
  return {concat(quantifier(scene.quantity), words), true};
}

Subject known_actors(const Scene& scene) {
  const bool plural = is_plural(scene.quantity);
  const bool counted = scene.quantity >= Quantity::two && scene.quantity <= Quantity::five;
  return {concat("the ", counted ? quantifier(scene.quantity) : "", words_of(scene.actor, plural)), plural};
}

std::string doing(const Scene& scene, bool plural) {
  if (!scene.thing) return std::string(activity_words(scene));
  return concat(activity_words(scene), " ", object_words(scene, plural));
}

std::string surroundings(const Scene& scene) {
  std::string words;
  if (scene.place) {
    words += concat(" ", scene.general_place ? scene.place->generals[*scene.general_place] : scene.place->phrase);
  }
  if (scene.time) words += concat(" ", scene.general_time ? scene.time->general : scene.time->phrase);
  if (scene.bystander) {
    words += concat(" while ", with_article(scene.bystander->actor->name.singular), " ",
                    scene.bystander->doing->third_person);
  }
  if (!scene.tail.empty()) words += concat(" ", scene.tail);
  return words;
}

std::string_view is_or_are(bool plural) {
  return plural ? " are " : " is ";
}

std::string_view relative_pronoun(const ActorPhrase& actor) {
  return actor.actor->person ? "who" : "that";
}

std::string finished(std::string text) {
  GAUSSCSE_CHECK(!text.empty(), "a sentence without words");
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text + ".";
}

std::string actor_is(const Scene& scene, bool negated, std::string_view adjective) {
  const Subject subject = known_actors(scene);
  const std::string_view verb = is_or_are(subject.plural);
  return finished(concat(subject.text, " ", relative_pronoun(scene.actor), verb, doing(scene, subject.plural), verb,
                         negated ? "not " : "", adjective));
}

std::string thing_is(const Scene& scene, bool negated, std::string_view adjective) {
  const Subject subject = known_actors(scene);
  const std::string_view verb = is_or_are(subject.plural);
  return finished(concat("the ", words_of(*scene.thing, subject.plural), " that ", subject.text, verb,
                         scene.activity->progressive, verb, negated ? "not " : "", adjective));
}

std::string garment_is(const Scene& scene, std::size_t garment, std::string_view colour) {
  const Subject subject = known_actors(scene);
  return finished(concat("the ", in_number(lexicon::garments()[garment], subject.plural), " of ", subject.text,
                         is_or_are(subject.plural), colour));
}

std::string with_less_exact_number(PhiloxStream& draws, const Scene& scene, Quantity quantity) {
  const auto write = [&](std::string_view determiner, bool plural) {
    return finished(concat(determiner, words_of(scene.actor, plural), is_or_are(plural), doing(scene, plural),
                           surroundings(scene)));
  };
  const bool several = quantity != Quantity::one && quantity != Quantity::some;
  if (several && happens(draws, 0.4)) return write("more than one ", false);
  if (several && happens(draws, 0.3)) return write("at least two ", true);
  if (is_plural(quantity) && happens(draws, 0.5)) return write("some ", true);
  return write("at least one ", false);
}

std::string sentence(const Scene& scene, Form form, bool known) {
  const Subject subject = known ? known_actors(scene) : first_mention(scene);
  const std::string_view verb = is_or_are(subject.plural);
  const std::string around = surroundings(scene);
  const bool of_known_group = known || is_of_known_group(scene);
  if (form == Form::passive && scene.thing && !scene.general_activity) {
    const std::string object = object_words(scene, subject.plural);
    return finished(concat(object, verb, "being ", scene.activity->passive, " by ", subject.text, around));
  }
  if (form == Form::seen && !activity_words(scene).starts_with("not ")) {
    return finished(concat(subject.text, " can be seen ", doing(scene, subject.plural), around));
  }
  if (form == Form::there && !of_known_group && !has_relative_clause(scene.actor)) {
    const std::string_view there = is_or_are(subject.plural && scene.quantity != Quantity::group);
    return finished(concat("there", there, subject.text, " ", relative_pronoun(scene.actor), verb,
                           doing(scene, subject.plural), around));
  }
  return finished(concat(subject.text, verb, doing(scene, subject.plural), around));
}

}  // namespace gausscse
