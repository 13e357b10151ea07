#include "experiments/report/sections/metric_words.hpp"

#include <algorithm>
#include <string_view>

namespace gausscse {

std::string metric_word(const std::string& metric) {
  if (metric == "auprc") return "AUPRC";
  if (metric == "auprc_length") return "AUPRC of cosine and lengths";
  if (metric == "accuracy_own") return "accuracy at the set's own threshold";
  if (metric == "direction_sim") return "direction by similarity";
  if (metric == "direction_var") return "direction by variance";
  if (metric == "direction_length") return "direction by length";
  if (metric == "direction_words") return "direction by words";
  if (metric == "spearman") return "Spearman";
  std::string words = metric;
  for (const std::string_view joined : {"self_similarity", "intra_sentence"})
    if (const std::size_t at = words.find(joined); at != std::string::npos) words[at + joined.find('_')] = '-';
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string metric_title(const std::string& metric, const std::string& task) {
  return metric_word(metric) + " of " + task;
}

std::string metric_title(const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos || name.find_first_of(".(", dot + 1) != std::string::npos ||
      name.find('(') != std::string::npos)
    return name;
  return metric_title(name.substr(dot + 1), name.substr(0, dot));
}

std::string axis_label(const std::string& metric, Unit unit) {
  return metric_word(metric) + (unit == Unit::fraction ? ", %" : "");
}

std::string metric_meaning(const std::string& metric) {
  constexpr struct {
    std::string_view metric, meaning;
  } meanings[] = {
      {"accuracy", "share of the pairs or sentences that are labelled right"},
      {"accuracy_own", "accuracy if the threshold is chosen on the same set"},
      {"auprc",
       "area under the curve of precision and recall of entailments: 100 % if every entailed pair is more similar than "
       "every other pair"},
      {"auprc_length",
       "the same area if pairs are ordered by a logistic regression over the cosine and the ratio of lengths, fitted "
       "on "
       "the other half of the set"},
      {"direction_sim",
       "share of the entailed pairs whose premise is recognised as the premise by the similarities in both directions"},
      {"direction_var", "share of the entailed pairs whose premise has the larger variance"},
      {"direction_length", "share of the entailed pairs whose premise is the longer sentence, without any model"},
      {"direction_words", "share of the entailed pairs whose premise has the rarer words, without any model"},
      {"spearman", "rank correlation of similarities with the scores that people gave, times 100"},
  };
  const auto* const known =
      std::find_if(std::begin(meanings), std::end(meanings), [&](const auto& each) { return each.metric == metric; });
  return known == std::end(meanings) ? "" : std::string(known->meaning);
}

}  // namespace gausscse
