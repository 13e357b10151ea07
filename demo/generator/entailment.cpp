#include <array>
#include <vector>

#include "base/error.hpp"
#include "demo/generator/rules.hpp"
#include "demo/generator/wording.hpp"

namespace gausscse {

namespace {

using Groups = const lexicon::AdjectiveGroups&;

/// Returns whether "the person" can only be the scene's actor.
bool can_be_known(const Scene& original, const Scene& hypothesis) {
  if (is_of_known_group(original)) return original.quantity == hypothesis.quantity;
  return !(original.bystander && hypothesis.actor.general);
}

/// Returns "The man is not asleep."
std::string without_contrary(PhiloxStream& draws, const Scene& scene) {
  const Subject subject = known_actors(scene);
  const auto& contraries = scene.activity->contraries;
  return finished(concat(subject.text, is_or_are(subject.plural), "not ", contraries[pick(draws, contraries.size())]));
}

/// Returns a sentence from a fact that the premise mentions of the actor, the thing or the clothing, or one that denies
/// the opposite. Nothing if the premise has no such fact.
std::string description(PhiloxStream& draws, const Scene& scene) {
  Scene weaker = scene;
  generalise(draws, weaker, 0.5, false);
  std::vector<std::string> texts;
  const auto add = [&](Groups groups, const Adjectives& adjectives, const auto& say) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (!adjectives[i]) continue;
      const auto& values = groups[i]->values;
      const bool negated = happens(draws, 0.4);
      const std::size_t value = negated ? pick_other(draws, *adjectives[i], values.size()) : *adjectives[i];
      texts.push_back(say(i, negated, values[value]));
    }
  };
  add(scene.actor.actor->adjectives, scene.actor.adjectives,
      [&](std::size_t group, bool negated, std::string_view adjective) {
        Scene without = weaker;
        without.actor.adjectives[group].reset();
        return actor_is(without, negated, adjective);
      });
  weaker.actor.clothing.reset();
  if (scene.thing) {
    add(scene.thing->thing->adjectives, scene.thing->adjectives,
        [&](std::size_t, bool negated, std::string_view adjective) {
          Scene without = weaker;
          without.thing = ThingPhrase{scene.thing->thing, scene.thing->general, {}};
          return thing_is(without, negated, adjective);
        });
  }
  if (scene.actor.clothing && scene.actor.clothing->colour) {
    texts.push_back(
        garment_is(weaker, scene.actor.clothing->garment, lexicon::colours()[*scene.actor.clothing->colour]));
  }
  return texts.empty() ? std::string() : texts[pick(draws, texts.size())];
}

std::string about_bystander(const Bystander& bystander) {
  return finished(concat(with_article(bystander.actor->name.singular), " is ", bystander.doing->progressive));
}

}  // namespace

std::string entailed_hypothesis(PhiloxStream& draws, const Scene& scene) {
  if (scene.bystander && happens(draws, 0.1)) return about_bystander(*scene.bystander);
  if (happens(draws, 0.1)) return without_contrary(draws, scene);
  // "The old men" would be more than "all of the short old men".
  if (!is_of_known_group(scene) && happens(draws, 0.2)) {
    if (std::string text = description(draws, scene); !text.empty()) return text;
  }
  Scene hypothesis = scene;
  bool changed = false;
  for (int tries = 0; tries < 16 && !changed; ++tries) changed = generalise(draws, hypothesis, 0.9);
  if (!changed) return without_contrary(draws, scene);
  // "Most of the men" may be one man where there is only one; the others are at least two.
  if (!is_of_known_group(scene) && happens(draws, 0.15))
    return with_less_exact_number(draws, hypothesis, scene.quantity);
  static constexpr std::array forms{Form::plain,   Form::plain, Form::plain, Form::passive,
                                    Form::passive, Form::seen,  Form::there};
  const Form form = forms[pick(draws, forms.size())];
  const bool known = can_be_known(scene, hypothesis) && happens(draws, 0.45);
  return sentence(hypothesis, form, known);
}

}  // namespace gausscse
