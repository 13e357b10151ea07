#include "demo/generator/scene.hpp"

#include "base/lists.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using lexicon::Words;

const Words& field(const ScenePart& part, lexicon::Field of) {
  return (*part.entry)[of];
}

bool share_a_word(const Words& some, const Words& others) {
  for (const std::string_view word : some)
    if (is_among(others, word)) return true;
  return false;
}

/// Returns whether a part says nothing that the exact one does not say: written from the meaning, not the rules.
bool follows(const ScenePart& exact, const ScenePart& loose) {
  if (!loose.entry) return true;
  if (loose.entry != exact.entry) return false;
  if (loose.words == exact.words) return true;
  // A general word is not exchanged for another, which might say something else.
  return is_among(field(exact, lexicon::names), exact.words) && is_among(field(exact, lexicon::generals), loose.words);
}

TEST(Weaken, OnlyTakesAway) {
  std::size_t changes = 0;
  for (std::uint64_t stream = 0; stream < 20000; ++stream) {
    PhiloxStream draws(11, stream);
    const Scene scene = draw_scene(draws);
    Scene weaker = scene;
    const bool changed = weaken(draws, weaker, 0.7);
    bool differs = false;
    for (ScenePart Scene::*part : {&Scene::actor, &Scene::activity, &Scene::thing, &Scene::place, &Scene::time}) {
      ASSERT_TRUE(follows(scene.*part, weaker.*part)) << (scene.*part).words << " / " << (weaker.*part).words;
      differs = differs || (scene.*part).words != (weaker.*part).words;
    }
    for (std::string_view Scene::*words : {&Scene::adjective, &Scene::colour, &Scene::circumstance}) {
      ASSERT_TRUE((weaker.*words).empty() || weaker.*words == scene.*words);
      differs = differs || weaker.*words != scene.*words;
    }
    ASSERT_TRUE(weaker.actor.entry && weaker.activity.entry && !scene.thing.entry == !weaker.thing.entry);
    ASSERT_EQ(weaker.count, scene.count);
    ASSERT_EQ(changed, differs);
    changes += changed;
  }
  EXPECT_GT(changes, 16000u);
  PhiloxStream draws(11, 0);
  Scene scene = draw_scene(draws);
  EXPECT_FALSE(weaken(draws, scene, 0));
}

TEST(Scene, IsPossible) {
  std::set<std::string_view> with_time;
  for (std::uint64_t stream = 0; stream < 20000; ++stream) {
    PhiloxStream draws(12, stream);
    const Scene scene = draw_scene(draws);
    EXPECT_TRUE(share_a_word(field(scene.activity, lexicon::by_whom), field(scene.actor, lexicon::tags)));
    EXPECT_EQ(scene.thing.entry != nullptr, !field(scene.activity, lexicon::use_of_object).empty());
    if (scene.thing.entry) {
      EXPECT_TRUE(share_a_word(field(scene.thing, lexicon::tags), field(scene.activity, lexicon::use_of_object)));
      EXPECT_TRUE(!scene.thing.is_exact || scene.thing.words != scene.actor.words);
    }
    EXPECT_EQ(scene.is_plural, !scene.count.empty());
    EXPECT_TRUE(scene.colour.empty() || scene.thing.entry);
    if (!scene.place.entry) continue;
    EXPECT_TRUE(share_a_word(field(scene.place, lexicon::tags), field(scene.activity, lexicon::tags)));
    if (!scene.time.entry) continue;
    EXPECT_TRUE(share_a_word(field(scene.place, lexicon::tags), field(scene.time, lexicon::tags)));
    with_time.insert(field(scene.place, lexicon::tags)[0]);
  }
  EXPECT_EQ(with_time, (std::set<std::string_view>{"indoors", "outdoors", "water"}));
}

TEST(Scene, TakesAnotherAdjectiveOfTheSameKind) {
  ScenePart man{&lexicon::table("actors")[0], "man/men"};
  std::set<std::string_view> others, all;
  for (std::uint64_t stream = 0; stream < 200; ++stream) {
    PhiloxStream draws(13, stream);
    others.insert(draw_adjective(draws, man, "old"));
    all.insert(draw_adjective(draws, man, ""));
  }
  EXPECT_EQ(others, (std::set<std::string_view>{"young", "middle-aged"}));
  EXPECT_EQ(all.size(), 9u);
  PhiloxStream draws(13, 0);
  EXPECT_EQ(draw_adjective(draws, {}, ""), "");
}

/// The rules take these for granted.
TEST(Lexicon, HasWhatTheRulesNeed) {
  std::set<std::string_view> names;
  for (const char* of : {"actors", "things", "activities", "places", "times"}) {
    names.clear();
    for (const lexicon::Entry& entry : lexicon::table(of)) {
      ASSERT_GE(entry.size(), 3u) << of;
      EXPECT_FALSE(entry[lexicon::generals].empty());
      for (const std::string_view name : entry[lexicon::names]) {
        EXPECT_TRUE(names.insert(name).second) << name;
        EXPECT_FALSE(is_among(entry[lexicon::generals], name)) << name;
        const bool is_noun = of == std::string_view("actors") || of == std::string_view("things");
        for (const Words& nouns : {entry[lexicon::names], entry[lexicon::generals]})
          for (const std::string_view noun : nouns)
            EXPECT_EQ(std::count(noun.begin(), noun.end(), '/'), is_noun ? 1 : 0) << noun;
      }
    }
  }
  for (const lexicon::Entry& activity : lexicon::table("activities")) {
    ASSERT_EQ(activity.size(), 6u) << activity[lexicon::names][0];
    EXPECT_GE(lexicon::table(activity[lexicon::contraries][0])[0][lexicon::names].size(), 3u);
    for (const std::string_view setting : activity[lexicon::tags])
      EXPECT_TRUE(setting == "outdoors" || setting == "indoors" || setting == "water") << setting;
  }
  for (const lexicon::Entry& place : lexicon::table("places")) EXPECT_EQ(place.at(lexicon::opposites).size(), 3u);
  EXPECT_THROW(lexicon::table("none"), std::out_of_range);
}

}  // namespace
}  // namespace gausscse
