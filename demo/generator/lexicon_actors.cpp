#include "demo/generator/lexicon.hpp"

namespace gausscse::lexicon {

namespace {

using Groups = const AdjectiveGroup* const;

constexpr Groups of_adults[] = {&moods, &heights, &ages_of_persons, &hair};
constexpr Groups of_children[] = {&moods, &heights};
constexpr Groups of_animals[] = {&sizes, &wetness, &fur_colours};
constexpr Groups of_birds[] = {&sizes, &wetness};

constexpr Noun adult[] = {{"adult", "adults"}, {"person", "people"}, {"grown-up person", "grown-up people"}};
constexpr Noun child[] = {{"child", "children"}, {"person", "people"}, {"young person", "young people"}};
constexpr Noun kid[] = {{"person", "people"}, {"human being", "human beings"}};
constexpr Noun person[] = {{"human being", "human beings"}, {"living being", "living beings"}};
constexpr Noun musician[] = {
    {"musician", "musicians"}, {"person", "people"}, {"person who makes music", "people who make music"}};
constexpr Noun artist[] = {{"artist", "artists"}, {"person", "people"}, {"creative person", "creative people"}};
constexpr Noun athlete[] = {
    {"athlete", "athletes"}, {"person", "people"}, {"person who does sports", "people who do sports"}};
constexpr Noun medic[] = {{"medical worker", "medical workers"},
                          {"person", "people"},
                          {"person who works in health care", "people who work in health care"}};
constexpr Noun rescuer[] = {{"emergency worker", "emergency workers"},
                            {"person", "people"},
                            {"person who helps others in emergencies", "people who help others in emergencies"}};
constexpr Noun kitchen[] = {{"kitchen worker", "kitchen workers"},
                            {"person", "people"},
                            {"person who prepares food for others", "people who prepare food for others"}};
constexpr Noun craft[] = {{"craft worker", "craft workers"},
                          {"person", "people"},
                          {"person who works with their hands", "people who work with their hands"}};
constexpr Noun teaching[] = {
    {"educator", "educators"}, {"person", "people"}, {"person who works in education", "people who work in education"}};
constexpr Noun legal[] = {{"legal professional", "legal professionals"},
                          {"person", "people"},
                          {"person who works with the law", "people who work with the law"}};
constexpr Noun worker[] = {
    {"worker", "workers"}, {"person", "people"}, {"person who has a job", "people who have a job"}};
constexpr Noun human[] = {{"person", "people"}, {"human being", "human beings"}};
constexpr Noun animal[] = {
    {"animal", "animals"}, {"four-legged animal", "four-legged animals"}, {"living creature", "living creatures"}};
constexpr Noun dog[] = {{"dog", "dogs"}, {"animal", "animals"}, {"four-legged animal", "four-legged animals"}};
constexpr Noun farm[] = {
    {"animal", "animals"}, {"hoofed animal", "hoofed animals"}, {"four-legged animal", "four-legged animals"}};
constexpr Noun bird[] = {{"bird", "birds"}, {"animal", "animals"}, {"animal with feathers", "animals with feathers"}};
constexpr Noun creature[] = {{"living creature", "living creatures"}, {"living being", "living beings"}};

constexpr Actor adult_actor(Noun name, std::span<const Noun> generals) {
  return {name, generals, of_adults, true, true};
}
constexpr Actor child_actor(Noun name, std::span<const Noun> generals) {
  return {name, generals, of_children, true, false};
}
constexpr Actor animal_actor(Noun name, std::span<const Noun> generals) {
  return {name, generals, of_animals, false, false};
}
constexpr Actor bird_actor(Noun name) {
  return {name, bird, of_birds, false, false};
}

constexpr Actor all_actors[] = {
    adult_actor({"man", "men"}, adult),
    adult_actor({"woman", "women"}, adult),
    adult_actor({"gentleman", "gentlemen"}, adult),
    adult_actor({"lady", "ladies"}, adult),
    adult_actor({"adult", "adults"}, human),
    adult_actor({"person", "people"}, person),
    child_actor({"boy", "boys"}, child),
    child_actor({"girl", "girls"}, child),
    child_actor({"toddler", "toddlers"}, child),
    child_actor({"child", "children"}, kid),
    adult_actor({"guitarist", "guitarists"}, musician),
    adult_actor({"violinist", "violinists"}, musician),
    adult_actor({"drummer", "drummers"}, musician),
    adult_actor({"pianist", "pianists"}, musician),
    adult_actor({"opera singer", "opera singers"}, musician),
    adult_actor({"musician", "musicians"}, human),
    adult_actor({"portrait painter", "portrait painters"}, artist),
    adult_actor({"sculptor", "sculptors"}, artist),
    adult_actor({"artist", "artists"}, human),
    adult_actor({"football player", "football players"}, athlete),
    adult_actor({"sprinter", "sprinters"}, athlete),
    adult_actor({"gymnast", "gymnasts"}, athlete),
    adult_actor({"boxer", "boxers"}, athlete),
    adult_actor({"athlete", "athletes"}, human),
    adult_actor({"nurse", "nurses"}, medic),
    adult_actor({"doctor", "doctors"}, medic),
    adult_actor({"surgeon", "surgeons"}, medic),
    adult_actor({"firefighter", "firefighters"}, rescuer),
    adult_actor({"paramedic", "paramedics"}, rescuer),
    adult_actor({"chef", "chefs"}, kitchen),
    adult_actor({"baker", "bakers"}, kitchen),
    adult_actor({"carpenter", "carpenters"}, craft),
    adult_actor({"potter", "potters"}, craft),
    adult_actor({"tailor", "tailors"}, craft),
    adult_actor({"shoemaker", "shoemakers"}, craft),
    adult_actor({"teacher", "teachers"}, teaching),
    adult_actor({"professor", "professors"}, teaching),
    adult_actor({"lawyer", "lawyers"}, legal),
    adult_actor({"judge", "judges"}, legal),
    adult_actor({"mechanic", "mechanics"}, worker),
    adult_actor({"farmer", "farmers"}, worker),
    adult_actor({"waiter", "waiters"}, worker),
    adult_actor({"gardener", "gardeners"}, worker),
    adult_actor({"bus driver", "bus drivers"}, worker),
    adult_actor({"journalist", "journalists"}, worker),
    adult_actor({"engineer", "engineers"}, worker),
    adult_actor({"worker", "workers"}, human),
    adult_actor({"tourist", "tourists"}, human),
    adult_actor({"student", "students"}, human),
    animal_actor({"dog", "dogs"}, animal),
    animal_actor({"poodle", "poodles"}, dog),
    animal_actor({"terrier", "terriers"}, dog),
    animal_actor({"sheepdog", "sheepdogs"}, dog),
    animal_actor({"cat", "cats"}, animal),
    animal_actor({"rabbit", "rabbits"}, animal),
    animal_actor({"fox", "foxes"}, animal),
    animal_actor({"goat", "goats"}, farm),
    animal_actor({"horse", "horses"}, farm),
    animal_actor({"pony", "ponies"}, farm),
    animal_actor({"cow", "cows"}, farm),
    animal_actor({"animal", "animals"}, creature),
    bird_actor({"duck", "ducks"}),
    bird_actor({"goose", "geese"}),
};

}  // namespace

std::span<const Actor> actors() {
  return all_actors;
}

}  // namespace gausscse::lexicon
