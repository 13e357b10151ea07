#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "base/error.hpp"
#include "demo/generator/rules.hpp"
#include "demo/generator/wording.hpp"

namespace gausscse {

namespace {

using lexicon::Actor;
using lexicon::AdjectiveGroup;

void add_adjective(PhiloxStream& draws, const lexicon::AdjectiveGroups& groups, const std::vector<std::size_t>& free,
                   Adjectives& adjectives) {
  const std::size_t group = free[pick(draws, free.size())];
  adjectives[group] = pick(draws, groups[group]->values.size());
}

/// Actors that the scene's actor may be: those whose generals have the word for it.
std::vector<const Actor*> kinds_of(const Scene& scene) {
  const ActorPhrase& actor = scene.actor;
  const std::string_view word = (actor.general ? actor.actor->generals[*actor.general] : actor.actor->name).singular;
  std::vector<const Actor*> kinds;
  for (const Actor& candidate : lexicon::tables().actors) {
    const bool is_kind = std::any_of(candidate.generals.begin(), candidate.generals.end(),
                                     [&](const lexicon::Noun& general) { return general.singular == word; });
    // A child could neither be the old person of the scene nor do things that only adults do.
    if (is_kind && (candidate.adult || !scene.actor.actor->adult)) kinds.push_back(&candidate);
  }
  return kinds;
}

std::string exact_number(PhiloxStream& draws, const Scene& scene) {
  static constexpr std::array<std::string_view, 4> numbers{"six", "seven", "eight", "nine"};
  const std::string actors = words_of(scene.actor, true);
  const std::string rest = concat(" are ", doing(scene, true), surroundings(scene));
  if (scene.quantity == Quantity::most || (scene.quantity == Quantity::some && happens(draws, 0.5))) {
    return finished(concat("all of the ", actors, rest));
  }
  return finished(concat("exactly ", numbers[pick(draws, numbers.size())], " ", actors, rest));
}

/// Returns a sentence about the scene, said in one of the forms.
std::string said(PhiloxStream& draws, const Scene& original, const Scene& hypothesis) {
  static constexpr std::array forms{Form::plain, Form::plain, Form::plain, Form::passive, Form::seen, Form::there};
  const Form form = forms[pick(draws, forms.size())];
  if (!is_of_known_group(original) && happens(draws, 0.12)) {
    return with_less_exact_number(draws, hypothesis, original.quantity);
  }
  const bool clear = !is_of_known_group(original) && !(original.bystander && hypothesis.actor.general);
  return sentence(hypothesis, form, clear && happens(draws, 0.45));
}

std::string unrelated(PhiloxStream& draws) {
  Scene other = draw_scene(draws);
  other.place = nullptr;
  other.bystander.reset();
  if (is_of_known_group(other)) other.quantity = Quantity::some;
  const auto& elsewhere = lexicon::tables().words.at("elsewhere");
  other.tail = elsewhere[pick(draws, elsewhere.size())];
  return sentence(other, Form::plain, false);
}

/// Changes of `hypothesis`, a scene that follows from `scene`, that say more than `scene` does.
std::vector<std::function<void()>> additions(PhiloxStream& draws, const Scene& scene, Scene& hypothesis) {
  std::vector<std::function<void()>> changes;
  const auto add = [&](const auto& change) { changes.emplace_back(change); };
  const ActorPhrase& actor = scene.actor;
  if (!is_of_known_group(scene)) {
    if (const auto free = groups_where(false, actor.actor->adjectives, actor.adjectives); !free.empty()) {
      add([&draws, &scene, &hypothesis, free] {
        // Another kind of actor has other adjectives.
        if (hypothesis.actor.actor != scene.actor.actor) return;
        add_adjective(draws, scene.actor.actor->adjectives, free, hypothesis.actor.adjectives);
      });
    }
    if (actor.actor->person && !actor.clothing) {
      add([&draws, &hypothesis] {
        hypothesis.actor.clothing =
            Clothing{pick(draws, lexicon::garments().size()), pick(draws, lexicon::colours().size())};
      });
    }
    if (const std::vector<const Actor*> kinds = kinds_of(scene); !kinds.empty()) {
      add([&draws, &hypothesis, kinds] {
        hypothesis.actor = {kinds[pick(draws, kinds.size())], std::nullopt, {}, hypothesis.actor.clothing};
      });
    }
  }
  if (scene.thing) {
    const lexicon::AdjectiveGroups& groups = scene.thing->thing->adjectives;
    if (const auto free = groups_where(false, groups, scene.thing->adjectives); !free.empty()) {
      add([&draws, &hypothesis, &groups, free] { add_adjective(draws, groups, free, hypothesis.thing->adjectives); });
    }
  }
  if (scene.general_place) {
    add([&scene, &hypothesis] {
      hypothesis.place = scene.place;
      hypothesis.general_place.reset();
    });
  }
  if (!scene.place) {
    add([&draws, &scene, &hypothesis] { hypothesis.place = &draw_place(draws, *scene.activity, hypothesis.time); });
  }
  if (!scene.time) {
    add([&draws, &scene, &hypothesis] {
      hypothesis.time = &draw_time(draws, scene.place ? scene.place : hypothesis.place);
    });
  }
  if (!scene.bystander) {
    add([&draws, &hypothesis] {
      hypothesis.tail = {};
      hypothesis.bystander = draw_bystander(draws, hypothesis);
    });
  }
  if (scene.tail.empty()) {
    add([&draws, &scene, &hypothesis] {
      const lexicon::Words& circumstances = lexicon::circumstances(*scene.actor.actor);
      hypothesis.bystander.reset();
      hypothesis.tail = circumstances[pick(draws, circumstances.size())];
    });
  }
  return changes;
}

/// Returns a fact that the premise leaves open, as its own sentence; nothing where there is none. "The man who is
/// riding a bicycle is sad.", "The bicycle that the man is riding is red.", "Exactly six men ...".
std::string open_question(PhiloxStream& draws, const Scene& scene) {
  std::vector<std::function<std::string()>> rules;
  const auto free_of_actor = groups_where(false, scene.actor.actor->adjectives, scene.actor.adjectives);
  if (!free_of_actor.empty() && !is_of_known_group(scene)) {
    rules.emplace_back([&] {
      Scene weaker = scene;
      generalise(draws, weaker, 0.8, false);
      const auto& values = scene.actor.actor->adjectives[free_of_actor[pick(draws, free_of_actor.size())]]->values;
      // Drawn before the call: the order of arguments is the compiler's.
      const std::string_view value = values[pick(draws, values.size())];
      return actor_is(weaker, happens(draws, 0.4), value);
    });
  }
  std::vector<std::size_t> free_of_thing;
  if (scene.thing) free_of_thing = groups_where(false, scene.thing->thing->adjectives, scene.thing->adjectives);
  if (!free_of_thing.empty()) {
    rules.emplace_back([&] {
      Scene weaker = scene;
      generalise(draws, weaker, 0.8, !scene.bystander);
      weaker.actor.clothing.reset();
      weaker.thing = ThingPhrase{scene.thing->thing, scene.thing->general, {}};
      const auto& values = scene.thing->thing->adjectives[free_of_thing[pick(draws, free_of_thing.size())]]->values;
      const std::string_view value = values[pick(draws, values.size())];
      return thing_is(weaker, happens(draws, 0.4), value);
    });
  }
  if (scene.quantity >= Quantity::several && scene.quantity != Quantity::all) {
    rules.emplace_back([&] {
      Scene counted = scene;
      counted.bystander.reset();
      return exact_number(draws, counted);
    });
  }
  return rules.empty() ? std::string() : rules[pick(draws, rules.size())]();
}

}  // namespace

std::string neutral_hypothesis(PhiloxStream& draws, const Scene& scene) {
  // Contrastive losses see no neutral pairs: those that add to the premise score like entailed ones, and are few.
  if (happens(draws, 0.8)) return unrelated(draws);
  if (happens(draws, 0.15)) {
    if (std::string text = open_question(draws, scene); !text.empty()) return text;
  }
  Scene hypothesis = scene;
  generalise(draws, hypothesis, 0.9);
  auto changes = additions(draws, scene, hypothesis);
  if (changes.empty()) return unrelated(draws);
  const std::size_t first = pick(draws, changes.size());
  changes[first]();
  if (changes.size() > 1) changes[pick_other(draws, first, changes.size())]();
  return said(draws, scene, hypothesis);
}

}  // namespace gausscse
