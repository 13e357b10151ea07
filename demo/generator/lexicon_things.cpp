#include "demo/generator/lexicon.hpp"

namespace gausscse::lexicon {

namespace {

using Groups = const AdjectiveGroup* const;

constexpr Groups coloured[] = {&sizes, &thing_colours};
constexpr Groups coloured_by_age[] = {&ages_of_things, &thing_colours};
constexpr Groups sized[] = {&sizes};
constexpr Groups aged[] = {&ages_of_things};
constexpr Groups furry[] = {&sizes, &fur_colours};

constexpr Noun vehicle[] = {{"vehicle", "vehicles"},
                            {"means of transport", "means of transport"},
                            {"vehicle with wheels", "vehicles with wheels"}};
constexpr Noun motor[] = {{"vehicle", "vehicles"},
                          {"motor vehicle", "motor vehicles"},
                          {"vehicle with an engine", "vehicles with an engine"}};
constexpr Noun wheels[] = {{"object on wheels", "objects on wheels"},
                           {"piece of equipment with wheels", "pieces of equipment with wheels"}};
constexpr Noun beast[] = {
    {"animal", "animals"}, {"four-legged animal", "four-legged animals"}, {"living creature", "living creatures"}};
constexpr Noun canine[] = {{"dog", "dogs"}, {"animal", "animals"}, {"four-legged animal", "four-legged animals"}};
constexpr Noun feathered[] = {
    {"bird", "birds"}, {"animal", "animals"}, {"animal with feathers", "animals with feathers"}};
constexpr Noun strings[] = {{"musical instrument", "musical instruments"},
                            {"stringed instrument", "stringed instruments"},
                            {"instrument", "instruments"}};
constexpr Noun wind[] = {{"musical instrument", "musical instruments"},
                         {"wind instrument", "wind instruments"},
                         {"instrument", "instruments"}};
constexpr Noun percussion[] = {{"musical instrument", "musical instruments"},
                               {"percussion instrument", "percussion instruments"},
                               {"instrument", "instruments"}};
constexpr Noun keyboard[] = {{"musical instrument", "musical instruments"},
                             {"keyboard instrument", "keyboard instruments"},
                             {"instrument", "instruments"}};
constexpr Noun fruit[] = {{"fruit", "fruits"}, {"piece of fruit", "pieces of fruit"}, {"food item", "food items"}};
constexpr Noun food[] = {{"food item", "food items"}, {"piece of food", "pieces of food"}};
constexpr Noun publication[] = {{"publication", "publications"},
                                {"piece of reading material", "pieces of reading material"}};
constexpr Noun book[] = {
    {"book", "books"}, {"piece of reading material", "pieces of reading material"}, {"publication", "publications"}};
constexpr Noun message[] = {
    {"text", "texts"}, {"piece of writing", "pieces of writing"}, {"written text", "written texts"}};
constexpr Noun luggage[] = {
    {"piece of luggage", "pieces of luggage"}, {"container", "containers"}, {"object", "objects"}};
constexpr Noun container[] = {{"container", "containers"},
                              {"object", "objects"},
                              {"object that holds other objects", "objects that hold other objects"}};
constexpr Noun furniture[] = {{"piece of furniture", "pieces of furniture"},
                              {"object", "objects"},
                              {"object found in many homes", "objects found in many homes"}};
constexpr Noun equipment[] = {
    {"piece of equipment", "pieces of equipment"}, {"object", "objects"}, {"useful object", "useful objects"}};
constexpr Noun part[] = {{"part of a building", "parts of a building"},
                         {"part of a structure", "parts of a structure"}};
constexpr Noun structure[] = {{"structure", "structures"}, {"structure made by people", "structures made by people"}};
constexpr Noun device[] = {{"device", "devices"}, {"technical device", "technical devices"}, {"object", "objects"}};
constexpr Noun vessel[] = {{"vessel", "vessels"}, {"means of transport", "means of transport"}};
constexpr Noun balls[] = {
    {"ball", "balls"}, {"round object", "round objects"}, {"piece of sports equipment", "pieces of sports equipment"}};
constexpr Noun object[] = {{"object", "objects"}, {"lifeless object", "lifeless objects"}};
constexpr Noun toy[] = {{"toy", "toys"}, {"object", "objects"}, {"object made for play", "objects made for play"}};
constexpr Noun art[] = {{"work of art", "works of art"}, {"object", "objects"}};
constexpr Noun plant[] = {
    {"plant", "plants"}, {"living thing", "living things"}, {"part of the vegetation", "parts of the vegetation"}};
constexpr Noun clothing[] = {{"piece of clothing", "pieces of clothing"},
                             {"item that people wear", "items that people wear"}};
constexpr Noun dish[] = {{"dish", "dishes"}, {"cooked dish", "cooked dishes"}, {"thing to eat", "things to eat"}};
constexpr Noun event[] = {{"event", "events"}, {"public event", "public events"}};
constexpr Noun rock[] = {{"natural object", "natural objects"}, {"object", "objects"}};

constexpr Thing all_things[] = {
    {{"bicycle", "bicycles"}, vehicle, coloured_by_age, rideable | repairable | pushable},
    {{"motorcycle", "motorcycles"}, motor, coloured_by_age, rideable | repairable | washable},
    {{"scooter", "scooters"}, vehicle, coloured_by_age, rideable | repairable},
    {{"horse", "horses"}, beast, furry, rideable | feedable | photogenic, true},
    {{"camel", "camels"}, beast, sized, rideable | feedable | photogenic, true},
    {{"donkey", "donkeys"}, beast, furry, rideable | feedable, true},
    {{"car", "cars"}, motor, coloured_by_age, drivable | washable | repairable | pushable},
    {{"truck", "trucks"}, motor, coloured_by_age, drivable | washable | repairable},
    {{"bus", "buses"}, motor, coloured_by_age, drivable | washable | photogenic},
    {{"tractor", "tractors"}, motor, coloured_by_age, drivable | repairable | washable},
    {{"taxi", "taxis"}, motor, aged, drivable | washable},
    {{"cart", "carts"}, wheels, coloured_by_age, pushable},
    {{"stroller", "strollers"}, wheels, coloured_by_age, pushable},
    {{"wheelbarrow", "wheelbarrows"}, wheels, coloured_by_age, pushable},
    {{"guitar", "guitars"}, strings, coloured_by_age, playable | holdable | portable | for_sale},
    {{"violin", "violins"}, strings, aged, playable | holdable | for_sale},
    {{"cello", "cellos"}, strings, aged, playable | portable},
    {{"banjo", "banjos"}, strings, aged, playable | holdable},
    {{"piano", "pianos"}, keyboard, coloured_by_age, playable},
    {{"accordion", "accordions"}, keyboard, coloured_by_age, playable},
    {{"trumpet", "trumpets"}, wind, aged, playable | holdable | for_sale},
    {{"flute", "flutes"}, wind, aged, playable | holdable},
    {{"saxophone", "saxophones"}, wind, aged, playable | holdable},
    {{"drum", "drums"}, percussion, coloured, playable | portable},
    {{"apple", "apples"}, fruit, sized, edible | for_sale | holdable | throwable},
    {{"banana", "bananas"}, fruit, sized, edible | for_sale},
    {{"peach", "peaches"}, fruit, sized, edible | for_sale},
    {{"pear", "pears"}, fruit, sized, edible | for_sale},
    {{"sandwich", "sandwiches"}, food, sized, edible | for_sale},
    {{"cookie", "cookies"}, food, sized, edible | for_sale},
    {{"burger", "burgers"}, food, sized, edible | for_sale | cookable},
    {{"slice of pizza", "slices of pizza"}, food, sized, edible | for_sale},
    {{"newspaper", "newspapers"}, publication, aged, readable | for_sale | holdable},
    {{"magazine", "magazines"}, publication, aged, readable | for_sale | holdable},
    {{"novel", "novels"}, book, aged, readable | for_sale | writable},
    {{"cookbook", "cookbooks"}, book, aged, readable | for_sale | writable},
    {{"letter", "letters"}, message, {}, readable | writable | holdable},
    {{"poem", "poems"}, message, {}, readable | writable},
    {{"postcard", "postcards"}, message, {}, readable | writable | for_sale},
    {{"report", "reports"}, message, {}, readable | writable},
    {{"box", "boxes"}, container, coloured, portable},
    {{"bucket", "buckets"}, container, coloured, portable | holdable},
    {{"basket", "baskets"}, container, coloured, portable | holdable},
    {{"suitcase", "suitcases"}, luggage, coloured, portable},
    {{"backpack", "backpacks"}, luggage, coloured, portable | holdable},
    {{"ladder", "ladders"}, equipment, aged, portable | climbable},
    {{"chair", "chairs"}, furniture, coloured_by_age, portable | repairable | buildable},
    {{"table", "tables"}, furniture, coloured_by_age, portable | repairable | buildable},
    {{"window", "windows"}, part, sized, washable | repairable},
    {{"wall", "walls"}, structure, {}, paintable | climbable | buildable},
    {{"door", "doors"}, part, coloured, paintable | repairable},
    {{"fence", "fences"}, structure, aged, paintable | climbable | buildable | repairable},
    {{"shed", "sheds"}, structure, sized, paintable | buildable},
    {{"bridge", "bridges"}, structure, aged, photogenic | buildable | repairable},
    {{"tower", "towers"}, structure, aged, photogenic},
    {{"fountain", "fountains"}, structure, aged, photogenic},
    {{"radio", "radios"}, device, aged, repairable | holdable | for_sale},
    {{"clock", "clocks"}, device, aged, repairable | for_sale},
    {{"camera", "cameras"}, device, aged, repairable | holdable | for_sale},
    {{"boat", "boats"}, vessel, coloured_by_age, paintable | repairable | photogenic | buildable},
    {{"football", "footballs"}, balls, {}, throwable | kickable | holdable | chaseable},
    {{"basketball", "basketballs"}, balls, {}, throwable | holdable},
    {{"tennis ball", "tennis balls"}, balls, {}, throwable | chaseable},
    {{"frisbee", "frisbees"}, toy, coloured, throwable | chaseable | holdable},
    {{"balloon", "balloons"}, object, coloured, holdable | for_sale | kickable},
    {{"umbrella", "umbrellas"}, object, coloured, holdable | for_sale},
    {{"stick", "sticks"}, object, sized, throwable | gnawable | holdable},
    {{"stone", "stones"}, rock, sized, throwable | kickable},
    {{"can", "cans"}, container, sized, kickable},
    {{"bone", "bones"}, object, sized, gnawable},
    {{"slipper", "slippers"}, clothing, coloured, gnawable},
    {{"statue", "statues"}, art, sized, photogenic},
    {{"flower", "flowers"}, plant, coloured, photogenic | for_sale | holdable},
    {{"tree", "trees"}, plant, sized, photogenic | climbable},
    {{"swan", "swans"}, feathered, sized, photogenic | feedable | chaseable | watchable, true},
    {{"duck", "ducks"}, feathered, sized, feedable | photogenic | chaseable | watchable, true},
    {{"pigeon", "pigeons"}, feathered, sized, feedable | chaseable | watchable, true},
    {{"dog", "dogs"}, beast, furry, feedable | walkable | photogenic | watchable, true},
    {{"poodle", "poodles"}, canine, furry, feedable | walkable | photogenic, true},
    {{"terrier", "terriers"}, canine, furry, feedable | walkable, true},
    {{"cat", "cats"}, beast, furry, feedable | photogenic | chaseable | watchable, true},
    {{"goat", "goats"}, beast, furry, feedable | photogenic, true},
    {{"squirrel", "squirrels"}, beast, furry, photogenic | chaseable | watchable, true},
    {{"hat", "hats"}, clothing, coloured, for_sale | holdable},
    {{"scarf", "scarves"}, clothing, coloured, for_sale},
    {{"dress", "dresses"}, clothing, coloured, for_sale},
    {{"steak", "steaks"}, dish, sized, cookable},
    {{"omelette", "omelettes"}, dish, sized, cookable},
    {{"pancake", "pancakes"}, dish, sized, cookable | edible},
    {{"stew", "stews"}, dish, {}, cookable},
    {{"parade", "parades"}, event, {}, watchable | photogenic},
    {{"football match", "football matches"}, event, {}, watchable},
    {{"concert", "concerts"}, event, {}, watchable},
};

}  // namespace

std::span<const Thing> things() {
  return all_things;
}

}  // namespace gausscse::lexicon
