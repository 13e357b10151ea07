#pragma once

#include <cstdint>
#include <span>
#include <string_view>

/// The words of the generator: tables alone. What the rules of demo/generator/rules.hpp take for granted about a table
/// is said at its type.
namespace gausscse::lexicon {

/// A countable noun or noun phrase.
struct Noun {
  std::string_view singular;
  std::string_view plural;
};

/// Adjectives that exclude each other, such as colours.
struct AdjectiveGroup {
  std::span<const std::string_view> values;
  /// True if an adjective keeps its truth when the noun becomes more general: a brown dog is a brown animal, but a
  /// small elephant is no small animal.
  bool survives_generalising = false;
};

/// Who does something. Each of `generals` holds of everything that `name` holds of, and not the other way round.
struct Actor {
  Noun name;
  std::span<const Noun> generals;
  std::span<const AdjectiveGroup* const> adjectives;
  bool person = false;  ///< a person, else an animal
  bool adult = false;
};

/// What a thing can be used for; an activity takes the things that have its use.
enum Use : std::uint32_t {
  rideable = 1u << 0,
  playable = 1u << 1,
  edible = 1u << 2,
  readable = 1u << 3,
  portable = 1u << 4,
  washable = 1u << 5,
  paintable = 1u << 6,
  repairable = 1u << 7,
  pushable = 1u << 8,
  throwable = 1u << 9,
  kickable = 1u << 10,
  photogenic = 1u << 11,
  feedable = 1u << 12,
  for_sale = 1u << 13,
  cookable = 1u << 14,
  drivable = 1u << 15,
  climbable = 1u << 16,
  buildable = 1u << 17,
  writable = 1u << 18,
  holdable = 1u << 19,
  watchable = 1u << 20,
  chaseable = 1u << 21,
  walkable = 1u << 22,
  gnawable = 1u << 23,
};

/// What something is done to. `generals` as of Actor.
struct Thing {
  Noun name;
  std::span<const Noun> generals;
  std::span<const AdjectiveGroup* const> adjectives;
  std::uint32_t uses = 0;
  bool animal = false;
};

/// Where things are, as a set.
enum Setting : std::uint32_t { indoors = 1, outdoors = 2, in_water = 4 };

/// A verb, as what follows "is" or "are".
struct Activity {
  std::string_view progressive;                  ///< "riding"
  std::string_view passive;                      ///< "ridden"; empty for an activity without object
  std::span<const std::string_view> generals;    ///< true whenever `progressive` is, in its place before the object
  std::uint32_t use = 0;                         ///< of the object; 0 for none
  std::span<const std::string_view> contraries;  ///< what the actor cannot be doing at the same time, without object
  std::uint32_t settings = indoors | outdoors;
  bool by_persons = true;
  bool by_animals = false;
  bool only_by_adults = false;
};

/// A place, as a phrase; `generals` are true wherever it is.
struct Place {
  std::string_view phrase;
  std::span<const std::string_view> generals;
  std::uint32_t setting = outdoors;  ///< one of Setting
};

/// A time or weather. Phrases of one `group` exclude each other.
struct Time {
  std::string_view phrase;
  std::string_view general;  ///< true whenever `phrase` is; empty where there is none
  int group = 0;
  bool only_outdoors = false;
};

/// What a bystander does. `third_person` follows "while a man", `progressive` follows "a man is"; `nearby` tells that
/// the actor is not alone.
struct Bystanding {
  std::string_view third_person;
  std::string_view progressive;
  bool nearby = false;
};

std::span<const Actor> actors();
std::span<const Thing> things();
std::span<const Activity> activities();
std::span<const Place> places();
std::span<const Time> times();
std::span<const Noun> garments();
std::span<const std::string_view> colours();
std::span<const Bystanding> bystandings();

/// Reasons and circumstances that no scene tells: after a scene they make a sentence that may be true or not.
std::span<const std::string_view> circumstances_of_persons();
std::span<const std::string_view> circumstances_of_animals();
/// Phrases that move a scene elsewhere.
std::span<const std::string_view> elsewhere();

extern const AdjectiveGroup ages_of_persons;
extern const AdjectiveGroup heights;
extern const AdjectiveGroup moods;
extern const AdjectiveGroup hair;
extern const AdjectiveGroup fur_colours;
extern const AdjectiveGroup sizes;
extern const AdjectiveGroup wetness;
extern const AdjectiveGroup thing_colours;
extern const AdjectiveGroup ages_of_things;

}  // namespace gausscse::lexicon
