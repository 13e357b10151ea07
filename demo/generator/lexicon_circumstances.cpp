#include "demo/generator/lexicon.hpp"

namespace gausscse::lexicon {

namespace {

using Words = const std::string_view;

constexpr Words outside[] = {"outdoors", "outside", "in the open air", "somewhere that is not inside a building"};
constexpr Words inside[] = {"indoors", "inside", "inside a building", "somewhere with a roof overhead"};
constexpr Words water[] = {"outdoors", "in the water", "in a natural body of water"};

constexpr Place place_table[] = {
    {"in a park", outside, outdoors},
    {"on a beach", outside, outdoors},
    {"in a field", outside, outdoors},
    {"on a busy street", outside, outdoors},
    {"in a flower garden", outside, outdoors},
    {"on a mountain trail", outside, outdoors},
    {"at the edge of a forest", outside, outdoors},
    {"on a river bank", outside, outdoors},
    {"in a market square", outside, outdoors},
    {"near an old harbor", outside, outdoors},
    {"on a country road", outside, outdoors},
    {"on a lawn", outside, outdoors},
    {"in a vineyard", outside, outdoors},
    {"by the sea", outside, outdoors},
    {"in the desert", outside, outdoors},
    {"in front of a church", outside, outdoors},
    {"on a sidewalk", outside, outdoors},
    {"in a parking lot", outside, outdoors},
    {"on a playground", outside, outdoors},
    {"behind a farmhouse", outside, outdoors},
    {"in a kitchen", inside, indoors},
    {"in a library", inside, indoors},
    {"in a classroom", inside, indoors},
    {"in a living room", inside, indoors},
    {"in a museum", inside, indoors},
    {"in an office", inside, indoors},
    {"in a workshop", inside, indoors},
    {"in a gym", inside, indoors},
    {"in a hotel lobby", inside, indoors},
    {"in a bedroom", inside, indoors},
    {"in a hospital corridor", inside, indoors},
    {"in a shopping mall", inside, indoors},
    {"in the basement of a house", inside, indoors},
    {"in a restaurant", inside, indoors},
    {"in a lake", water, in_water},
    {"in a river", water, in_water},
    {"in the ocean", water, in_water},
    {"in a mountain stream", water, in_water},
};

constexpr Time time_table[] = {
    {"on a sunny day", "in good weather", 0, true},
    {"in heavy rain", "in bad weather", 0, true},
    {"at midnight", "after dark", 1, false},
    {"early in the morning", "before noon", 1, false},
    {"in the middle of the afternoon", "after noon", 1, false},
    {"in winter", "in a cold time of the year", 2, false},
    {"in summer", "in a warm time of the year", 2, false},
};

constexpr Noun garment_table[] = {
    {"jacket", "jackets"}, {"shirt", "shirts"}, {"coat", "coats"},       {"hat", "hats"},
    {"scarf", "scarves"},  {"cap", "caps"},     {"sweater", "sweaters"}, {"vest", "vests"},
};

constexpr Bystanding bystanding_table[] = {
    {"watches", "watching"},
    {"waits nearby", "waiting nearby", true},
    {"stands nearby", "standing nearby", true},
    {"looks the other way", "looking the other way"},
};

constexpr Words person_circumstances[] = {
    "to win a bet",
    "for the first time",
    "for the third time today",
    "as part of a competition",
    "because of a promise",
    "before going home",
    "to impress a friend",
    "after a long day",
    "for a television show",
    "to raise money for charity",
    "to celebrate a birthday",
    "in the hope of meeting somebody",
    "on the advice of a neighbor",
};
constexpr Words animal_circumstances[] = {
    "for the first time", "before going home", "after a long journey", "for the second time today", "after a good meal",
};
constexpr Words elsewhere_table[] = {
    "in another town",        "on the other side of the city",
    "in a different country", "a long way from there",
    "at another address",     "many miles away",
};

}  // namespace

std::span<const Place> places() {
  return place_table;
}

std::span<const Time> times() {
  return time_table;
}

std::span<const Noun> garments() {
  return garment_table;
}

std::span<const Bystanding> bystandings() {
  return bystanding_table;
}

std::span<const std::string_view> circumstances_of_persons() {
  return person_circumstances;
}

std::span<const std::string_view> circumstances_of_animals() {
  return animal_circumstances;
}

std::span<const std::string_view> elsewhere() {
  return elsewhere_table;
}

}  // namespace gausscse::lexicon
