#include <array>

#include "base/error.hpp"
#include "data/generator/rules.hpp"
#include "data/generator/wording.hpp"

namespace gausscse {

namespace {

/// Whether "the person" can only be the scene's actor.
bool can_be_known(const Scene& original, const Scene& hypothesis) {
  const bool of_known_group = original.quantity == Quantity::all || original.quantity == Quantity::most;
  if (of_known_group) return original.quantity == hypothesis.quantity;
  return !(original.bystander && hypothesis.actor.general);
}

/// Less exact numbers: "at least one man", "more than one man", "most of the men".
std::string with_less_exact_number(PhiloxStream& draws, Scene scene, Quantity quantity) {
  const std::string around = surroundings(scene);
  const auto write = [&](std::string_view determiner, bool plural) {
    return finished(concat(determiner, words_of(scene.actor, plural), is_or_are(plural), doing(scene, plural), around));
  };
  const bool several = quantity != Quantity::one && quantity != Quantity::some;
  if (several && happens(draws, 0.4)) return write("more than one ", false);
  if (several && happens(draws, 0.3)) return write("at least two ", true);
  if (is_plural(quantity) && happens(draws, 0.5)) return write("some ", true);
  return write("at least one ", false);
}

/// "The man is not asleep."
std::string without_contrary(PhiloxStream& draws, Scene scene) {
  const Subject subject = known_actors(scene);
  const auto contraries = scene.activity->contraries;
  return finished(concat(subject.text, is_or_are(subject.plural), "not ", contraries[pick(draws, contraries.size())]));
}

std::string about_bystander(const Bystander& bystander) {
  return finished(concat(with_article(bystander.actor->name.singular), " is ", bystander.doing->progressive));
}

}  // namespace

std::string entailed_hypothesis(PhiloxStream& draws, const Scene& scene) {
  if (scene.bystander && happens(draws, 0.1)) return about_bystander(*scene.bystander);
  Scene hypothesis = scene;
  if (happens(draws, 0.06)) {
    hypothesis.bystander.reset();
    return without_contrary(draws, hypothesis);
  }
  while (!generalise(draws, hypothesis, 0.9)) {
  }
  // "Most of the men" may be one man where there is only one; the others are at least two.
  if (scene.quantity != Quantity::all && scene.quantity != Quantity::most && happens(draws, 0.2)) {
    return with_less_exact_number(draws, hypothesis, scene.quantity);
  }
  static constexpr std::array forms{Form::plain,   Form::plain, Form::plain, Form::passive,
                                    Form::passive, Form::seen,  Form::there};
  const Form form = forms[pick(draws, forms.size())];
  const bool known = can_be_known(scene, hypothesis) && happens(draws, 0.45);
  return sentence(hypothesis, form, known);
}

}  // namespace gausscse
