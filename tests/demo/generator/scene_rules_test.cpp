#include "base/lists.hpp"
#include "demo/generator/lexicon.hpp"
#include "demo/generator/rules.hpp"
#include "demo/generator/scene.hpp"
#include "demo/generator/wording.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using lexicon::AdjectiveGroup;
using Groups = const lexicon::AdjectiveGroups&;

/// Returns whether each adjective of `to` is one of `from`; with `general` the noun became more general.
bool adjectives_follow(Groups groups, const Adjectives& from, const Adjectives& to, bool general) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!to[i]) continue;
    if (to[i] != from[i] || (general && !groups[i]->survives_generalising)) return false;
  }
  return true;
}

bool same_actor(const ActorPhrase& one, const ActorPhrase& other) {
  return one.general == other.general && one.adjectives == other.adjectives &&
         one.clothing.has_value() == other.clothing.has_value() &&
         (!one.clothing || one.clothing->colour == other.clothing->colour);
}

/// Returns whether a scene says nothing that another, more exact one does not say: written from the meaning, not the
/// rules.
bool follows(const Scene& exact, const Scene& loose) {
  const bool of_known_group = exact.quantity == Quantity::all || exact.quantity == Quantity::most;
  if (loose.actor.actor != exact.actor.actor || loose.activity != exact.activity) return false;
  if (!loose.tail.empty() && loose.tail != exact.tail) return false;
  if (loose.quantity != exact.quantity && !(of_known_group && loose.quantity == Quantity::some)) return false;
  if (of_known_group && loose.quantity != Quantity::some && !same_actor(exact.actor, loose.actor)) return false;
  if (!adjectives_follow(exact.actor.actor->adjectives, exact.actor.adjectives, loose.actor.adjectives,
                         loose.actor.general.has_value())) {
    return false;
  }
  if (loose.actor.clothing) {
    if (!exact.actor.clothing || exact.actor.clothing->garment != loose.actor.clothing->garment) return false;
    if (loose.actor.clothing->colour && loose.actor.clothing->colour != exact.actor.clothing->colour) return false;
  }
  if (loose.thing.has_value() != exact.thing.has_value()) return false;
  if (loose.thing && (loose.thing->thing != exact.thing->thing ||
                      !adjectives_follow(exact.thing->thing->adjectives, exact.thing->adjectives,
                                         loose.thing->adjectives, loose.thing->general.has_value()))) {
    return false;
  }
  // A general word is not exchanged for another, which might say something else.
  if (exact.actor.general && loose.actor.general != exact.actor.general) return false;
  if (exact.thing && exact.thing->general && loose.thing->general != exact.thing->general) return false;
  if (loose.place && exact.general_place && loose.general_place != exact.general_place) return false;
  if (loose.place && loose.place != exact.place) return false;
  if (loose.time && loose.time != exact.time) return false;
  return !loose.bystander || (exact.bystander && loose.bystander->actor == exact.bystander->actor);
}

TEST(Generalise, OnlyTakesAway) {
  std::size_t changes = 0;
  for (std::uint64_t stream = 0; stream < 20000; ++stream) {
    PhiloxStream draws(11, stream);
    const Scene scene = draw_scene(draws);
    Scene looser = scene;
    const bool changed = generalise(draws, looser, 0.7, stream % 4 != 0);
    ASSERT_TRUE(follows(scene, looser)) << sentence(scene, Form::plain, false) << " / "
                                        << sentence(looser, Form::plain, false);
    ASSERT_EQ(changed, sentence(scene, Form::plain, false) != sentence(looser, Form::plain, false));
    ASSERT_TRUE(stream % 4 != 0 || looser.actor.general == scene.actor.general);
    changes += changed;
  }
  EXPECT_GT(changes, 15000u);
}

TEST(Scene, IsPossible) {
  std::size_t with_time_indoors = 0;
  for (std::uint64_t stream = 0; stream < 20000; ++stream) {
    PhiloxStream draws(12, stream);
    const Scene scene = draw_scene(draws);
    const lexicon::Actor& actor = *scene.actor.actor;
    EXPECT_TRUE(actor.person ? scene.activity->by_persons : scene.activity->by_animals);
    EXPECT_TRUE(actor.adult || !scene.activity->only_by_adults);
    EXPECT_EQ(scene.thing.has_value(), !scene.activity->use.empty());
    if (scene.thing) {
      EXPECT_TRUE(is_among(scene.thing->thing->uses, scene.activity->use));
      EXPECT_NE(scene.thing->thing->name.singular, actor.name.singular);
    }
    EXPECT_TRUE(!scene.place || is_among(scene.activity->settings, scene.place->setting));
    if (scene.place && scene.time && scene.place->setting == "indoors") {
      EXPECT_FALSE(scene.time->only_outdoors);
      ++with_time_indoors;
    }
    EXPECT_TRUE(!scene.bystander || scene.bystander->actor->name.singular != actor.name.singular);
    EXPECT_TRUE(!scene.actor.clothing || actor.person);
    EXPECT_FALSE(scene.general_activity || scene.general_time);
    EXPECT_FALSE(scene.bystander && scene.actor.general);
  }
  EXPECT_GT(with_time_indoors, 100u);
}

TEST(Lexicon, GivesTheRulesWhatTheyTakeForGranted) {
  for (const lexicon::Actor& actor : lexicon::tables().actors) {
    EXPECT_FALSE(actor.generals.empty()) << actor.name.singular;
    EXPECT_LE(actor.adjectives.size(), Adjectives{}.size());
    for (const lexicon::Noun& general : actor.generals) {
      EXPECT_NE(general.singular, actor.name.singular);
      EXPECT_NE(general.singular, general.plural);
    }
  }
  std::set<std::string_view> actor_names;
  for (const lexicon::Actor& actor : lexicon::tables().actors)
    EXPECT_TRUE(actor_names.insert(actor.name.singular).second);
  for (const lexicon::Thing& thing : lexicon::tables().things) {
    EXPECT_FALSE(thing.generals.empty()) << thing.name.singular;
    EXPECT_FALSE(thing.uses.empty()) << thing.name.singular;
    for (const lexicon::Noun& general : thing.generals) EXPECT_NE(general.singular, thing.name.singular);
  }
  for (const lexicon::Activity& activity : lexicon::tables().activities) {
    EXPECT_FALSE(activity.generals.empty()) << activity.progressive;
    EXPECT_GE(activity.contraries.size(), 2u) << activity.progressive;
    EXPECT_EQ(activity.passive.empty(), activity.use.empty()) << activity.progressive;
    EXPECT_TRUE(activity.by_persons || activity.by_animals) << activity.progressive;
    const auto& contraries = activity.contraries;
    EXPECT_EQ(std::count(contraries.begin(), contraries.end(), activity.progressive), 0) << activity.progressive;
    const auto& things = lexicon::tables().things;
    const auto usable = std::count_if(things.begin(), things.end(),
                                      [&](const auto& thing) { return is_among(thing.uses, activity.use); });
    EXPECT_TRUE(activity.use.empty() || usable >= 3) << activity.progressive;
    const auto& places = lexicon::tables().places;
    EXPECT_TRUE(std::any_of(places.begin(), places.end(),
                            [&](const auto& place) { return is_among(activity.settings, place.setting); }));
  }
  for (const lexicon::Time& time : lexicon::tables().times) {
    EXPECT_FALSE(time.general.empty());
    const auto& times = lexicon::tables().times;
    EXPECT_GE(std::count_if(times.begin(), times.end(), [&](const auto& other) { return other.group == time.group; }),
              2);
  }
}

TEST(Wording, SaysScenes) {
  const auto find_actor = [](std::string_view name) {
    for (const lexicon::Actor& actor : lexicon::tables().actors) {
      if (actor.name.singular == name) return &actor;
    }
    return static_cast<const lexicon::Actor*>(nullptr);
  };
  Scene scene;
  scene.actor.actor = find_actor("opera singer");
  for (const lexicon::Activity& activity : lexicon::tables().activities) {
    if (activity.progressive == "riding") scene.activity = &activity;
  }
  for (const lexicon::Thing& thing : lexicon::tables().things) {
    if (thing.name.singular == "bicycle") scene.thing = ThingPhrase{&thing, std::nullopt, {}};
  }
  scene.bystander = Bystander{find_actor("engineer"), &lexicon::tables().bystandings[0]};
  scene.place = &lexicon::tables().places[0];
  EXPECT_EQ(sentence(scene, Form::plain, false),
            "An opera singer is riding a bicycle in a park while an engineer watches.");
  EXPECT_EQ(sentence(scene, Form::passive, true),
            "A bicycle is being ridden by the opera singer in a park while an engineer watches.");
  scene.bystander.reset();
  scene.place = nullptr;
  scene.actor.clothing = Clothing{0, 6};
  scene.quantity = Quantity::two;
  EXPECT_EQ(sentence(scene, Form::there, false),
            "There are two opera singers in orange jackets who are riding bicycles.");
  EXPECT_EQ(sentence(scene, Form::seen, true), "The two opera singers in orange jackets can be seen riding bicycles.");
  scene.quantity = Quantity::group;
  EXPECT_EQ(sentence(scene, Form::there, false),
            "There is a group of opera singers in orange jackets who are riding bicycles.");
  scene.quantity = Quantity::all;
  EXPECT_EQ(sentence(scene, Form::there, false), "All of the opera singers in orange jackets are riding bicycles.");
  EXPECT_EQ(sentence(scene, Form::plain, true), "The opera singers in orange jackets are riding bicycles.");
  EXPECT_EQ(with_article("useful object"), "a useful object");
  EXPECT_EQ(with_article("umbrella"), "an umbrella");
}

}  // namespace
}  // namespace gausscse
