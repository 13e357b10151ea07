#include "demo/generator/lexicon.hpp"

namespace gausscse::lexicon {

namespace {

constexpr std::string_view age_values[] = {"young", "middle-aged", "old"};
constexpr std::string_view height_values[] = {"tall", "short"};
constexpr std::string_view mood_values[] = {"cheerful", "sad"};
constexpr std::string_view hair_values[] = {"blond", "dark-haired", "red-haired", "gray-haired"};
constexpr std::string_view fur_values[] = {"black", "white", "brown", "gray"};
constexpr std::string_view size_values[] = {"small", "big"};
constexpr std::string_view wetness_values[] = {"wet", "dry"};
constexpr std::string_view colour_values[] = {"red", "blue", "green", "yellow", "black", "white", "orange", "purple"};
constexpr std::string_view thing_age_values[] = {"new", "old"};

}  // namespace

constinit const AdjectiveGroup ages_of_persons{age_values, true};
constinit const AdjectiveGroup heights{height_values, false};
constinit const AdjectiveGroup moods{mood_values, true};
constinit const AdjectiveGroup hair{hair_values, true};
constinit const AdjectiveGroup fur_colours{fur_values, true};
constinit const AdjectiveGroup sizes{size_values, false};
constinit const AdjectiveGroup wetness{wetness_values, true};
constinit const AdjectiveGroup thing_colours{colour_values, true};
constinit const AdjectiveGroup ages_of_things{thing_age_values, false};

std::span<const std::string_view> colours() {
  return colour_values;
}

}  // namespace gausscse::lexicon
