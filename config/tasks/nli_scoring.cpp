#include "config/tasks/nli_scoring.hpp"

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

}  // namespace

std::map<std::string, std::string> to_words(const NliScoring& scoring) {
  std::map<std::string, std::string> words;
  for_each_member(scoring, [&](const char* name, auto choice) { words.emplace(name, std::string(name_of(choice))); });
  return words;
}

NliScoring parse_scoring(const std::map<std::string, std::string>& words) {
  NliScoring scoring;
  for_each_member(scoring, [&]<typename Choice>(const char* name, Choice& choice) {
    if (const auto found = words.find(name); found != words.end()) choice = parse_choice<Choice>(name, found->second);
  });
  return scoring;
}

}  // namespace gausscse
