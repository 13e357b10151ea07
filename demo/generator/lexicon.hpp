#pragma once

#include <map>
#include <string_view>
#include <vector>

/// The words of the generator, which lexicon.txt lists; the program holds that file. Assumptions of the rules in
/// demo/generator/rules.hpp on a table are listed at its type.
namespace gausscse::lexicon {

using Words = std::vector<std::string_view>;

/// A countable noun or noun phrase.
struct Noun {
  std::string_view singular;
  std::string_view plural;
};
using Nouns = std::vector<Noun>;

/// Adjectives that exclude each other, such as colours.
struct AdjectiveGroup {
  Words values;
  /// True if an adjective keeps its truth when the noun becomes more general: a brown dog is a brown animal, but a
  /// small elephant is no small animal.
  bool survives_generalising = false;
};
using AdjectiveGroups = std::vector<const AdjectiveGroup*>;

/// Person or animal that does something. Each of `generals` holds of everything that `name` holds of, and not the other
/// way round.
struct Actor {
  Noun name;
  Nouns generals;
  AdjectiveGroups adjectives;
  bool person = false;  ///< a person, else an animal
  bool adult = false;
};

/// Object that something is done to. `generals` as of Actor; an activity takes the things that have its use.
struct Thing {
  Noun name;
  Nouns generals;
  AdjectiveGroups adjectives;
  Words uses;
  bool animal = false;
};

/// A verb, in the form behind "is" or "are".
struct Activity {
  std::string_view progressive;  ///< "riding"
  std::string_view passive;      ///< "ridden"; empty for an activity without object
  Words generals;                ///< true whenever `progressive` is, in its place before the object
  std::string_view use;          ///< use of the object; empty for none
  Words contraries;              ///< activities that the actor cannot be doing at the same time, without object
  Words settings;                ///< settings of its places
  bool by_persons = false;
  bool by_animals = false;
  bool only_by_adults = false;
};

/// A place, as a phrase; `generals` are true wherever it is.
struct Place {
  std::string_view phrase;
  Words generals;
  std::string_view setting;  ///< indoors, outdoors or in_water
};

/// A time or weather. Phrases of one `group` exclude each other.
struct Time {
  std::string_view phrase;
  std::string_view general;  ///< true whenever `phrase` is
  std::string_view group;
  bool only_outdoors = false;
};

/// Activity of a bystander. `third_person` follows "while a man", `progressive` follows "a man is"; `nearby` is true
/// where the actor is not alone.
struct Bystanding {
  std::string_view third_person;
  std::string_view progressive;
  bool nearby = false;
};

/// All of lexicon.txt, in its order.
struct Tables {
  std::map<std::string_view, Words> words;  ///< lists by their names
  std::map<std::string_view, Nouns> nouns;
  std::map<std::string_view, AdjectiveGroup> adjectives;
  std::vector<Actor> actors;
  std::vector<Thing> things;
  std::vector<Activity> activities;
  std::vector<Place> places;
  std::vector<Time> times;
  std::vector<Bystanding> bystandings;
};

/// Returns the text of lexicon.txt, which the build compiles in.
std::string_view text();

/// Returns the tables. The first call reads them; throws std::logic_error for an entry of an unknown table or name.
const Tables& tables();

const Nouns& garments();
const Words& colours();

/// Returns circumstances that no scene mentions: after a scene they make a sentence that may be true or not.
const Words& circumstances(const Actor& actor);

}  // namespace gausscse::lexicon
