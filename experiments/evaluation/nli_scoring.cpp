#include "experiments/evaluation/nli_scoring.hpp"

#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Calls `take` with the name of each member and the member.
template <typename Scoring, typename Take>
void for_each_member(Scoring& scoring, Take&& take) {
  take("two_way_pairs", scoring.two_way_pairs);
  take("no_gold_label", scoring.no_gold_label);
  take("auprc", scoring.auprc);
}

template <typename Choice>
void parse_choice(const std::string& name, const std::string& word, Choice& choice) {
  std::vector<std::string> known;
  for (const auto& [value, known_word] : setting::names<Choice>) {
    if (known_word == word) {
      choice = value;
      return;
    }
    known.emplace_back(known_word);
  }
  throw InputError(concat(name, " is ", quoted(word), nearest_name(word, known)));
}

}  // namespace

std::map<std::string, std::string> to_words(const NliScoring& scoring) {
  std::map<std::string, std::string> words;
  for_each_member(scoring,
                  [&](const char* name, auto choice) { words.emplace(name, std::string(setting::name_of(choice))); });
  return words;
}

NliScoring parse_scoring(const std::map<std::string, std::string>& words) {
  NliScoring scoring;
  for_each_member(scoring, [&](const char* name, auto& choice) {
    const auto found = words.find(name);
    if (found == words.end())
      throw InputError(concat("the model does not tell how it was evaluated (", name, "): it is not one that this ",
                              "version of gausscse saved"));
    parse_choice(name, found->second, choice);
  });
  return scoring;
}

}  // namespace gausscse
