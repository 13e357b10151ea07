#pragma once

#include <string>
#include <string_view>

#include "demo/generator/scene.hpp"

namespace gausscse {

/// A noun phrase that can be a subject, and the number of the verb that goes with it.
struct Subject {
  std::string text;
  bool plural = false;
};

/// Returns true where the noun after the quantity is in the plural.
bool is_plural(Quantity quantity);

/// Returns "an", "a" before `words`, and `words`.
std::string with_article(std::string_view words);

/// Adjectives, noun and clothing, without determiner: "old men in red jackets".
std::string words_of(const ActorPhrase& actor, bool plural);
std::string words_of(const ThingPhrase& thing, bool plural);

/// Returns the scene's actors as one says them first: "two old men", "all of the dogs".
Subject first_mention(const Scene& scene);

/// Returns the scene's actors as known: "the two old men", "the dogs"; "all of" and "most of" are left out.
Subject known_actors(const Scene& scene);

/// Returns "riding a bicycle": the activity with its object, if any.
std::string doing(const Scene& scene, bool plural);

/// Returns " in a park at midnight while a woman watches", with a space in front; may be empty.
std::string surroundings(const Scene& scene);

/// Returns " is " or " are ".
std::string_view is_or_are(bool plural);

/// Returns "who" or "that".
std::string_view relative_pronoun(const ActorPhrase& actor);

/// Form in which a sentence says its content.
enum class Form {
  plain,    ///< "A man is riding a bicycle."
  passive,  ///< "A bicycle is being ridden by a man."; plain where there is no such form
  seen,     ///< "A man can be seen riding a bicycle."; plain where a negation stands in the way
  there,    ///< "There is a man who is riding a bicycle."; plain for known actors, and for all and most
};

/// Returns the scene in words: of known actors, or of actors mentioned first.
std::string sentence(const Scene& scene, Form form, bool known);

/// Returns "The man who is riding a bicycle is old", or with "is not".
std::string actor_is(const Scene& scene, bool negated, std::string_view adjective);

/// Returns "The bicycle that the man is riding is red", or with "is not". The scene has a thing.
std::string thing_is(const Scene& scene, bool negated, std::string_view adjective);

/// Returns "The jacket of the man is red". The scene's actors are described without clothing.
std::string garment_is(const Scene& scene, std::size_t garment, std::string_view colour);

/// Returns "more than one", "at least two", "some", "at least one": the scene with a less exact number than `quantity`.
std::string with_less_exact_number(PhiloxStream& draws, const Scene& scene, Quantity quantity);

/// Returns `text` with a capital first letter and a full stop.
std::string finished(std::string text);

}  // namespace gausscse
