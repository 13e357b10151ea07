#include "evaluation/nli/pair_lengths.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "data/corpus/corpus_readers.hpp"
#include "evaluation/metrics/metrics.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

std::size_t bin_of(double log_ratio) {
  const double place = std::floor((log_ratio - PairLengths::lowest) / PairLengths::bin_width) + 1;
  return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(PairLengths::bins - 1)));
}

double share_of(std::int64_t count, std::int64_t of) {
  return of == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(count) / static_cast<double>(of);
}

double larger_class(const PairLengths& set) {
  return share_of(std::max(set.entailments, set.pairs - set.entailments), set.pairs);
}

/// A rule of lengths guesses where both are as long.
double length_baseline(const PairLengths& set) {
  const double right = static_cast<double>(set.longer) + static_cast<double>(set.equal) / 2;
  return set.directed() == 0 ? std::numeric_limits<double>::quiet_NaN() : right / static_cast<double>(set.directed());
}

/// Returns "-0.25 to 0"; "below -3".
std::string bin_text(std::size_t bin) {
  const double low = PairLengths::lowest + PairLengths::bin_width * (static_cast<double>(bin) - 1);
  if (bin == 0) return concat("below ", PairLengths::lowest);
  if (bin == PairLengths::bins - 1) return concat(low, " or more");
  return concat(low, " to ", low + PairLengths::bin_width);
}

std::string histogram_table(std::span<const PairLengths> sets) {
  std::size_t first = PairLengths::bins, last = 0;
  std::vector<std::vector<std::string>> rows{{"ln(premise / hypothesis)"}};
  for (const PairLengths& set : sets) {
    rows[0].insert(rows[0].end(), {set.name + " %", "entailments %"});
    for (std::size_t bin = 0; bin < PairLengths::bins; ++bin) {
      if (set.of_all[bin] == 0) continue;
      first = std::min(first, bin);
      last = std::max(last, bin);
    }
  }
  for (std::size_t bin = first; bin <= last; ++bin) {
    std::vector<std::string>& row = rows.emplace_back(std::vector{bin_text(bin)});
    for (const PairLengths& set : sets)
      row.insert(row.end(), {percent_text(share_of(set.of_all[bin], set.pairs)),
                             percent_text(share_of(set.of_entailments[bin], set.entailments))});
  }
  return text_table(rows);
}

}  // namespace

PairLengths read_pair_lengths(const std::filesystem::path& file, const ReadOptions& options, bool one_way) {
  if (one_way && detect_format(file, options.layout) == CorpusFormat::sick_semeval)
    throw InputError(concat(file.string(),
                            ": this file of SICK has no columns entailment_AB and entailment_BA, so that ",
                            "pairs that entail both ways cannot be left out: give the full release, SICK.txt"));
  PairLengths set;
  set.name = file.filename().string();
  for_each_nli_pair(file, options, set.report, [&](NliPair&& pair) {
    if (pair.label == NliLabel::none) {
      ++set.without_gold_label;
      return;
    }
    const std::size_t premise = character_length(pair.premise), hypothesis = character_length(pair.hypothesis);
    const std::size_t bin = bin_of(std::log(static_cast<double>(premise) / static_cast<double>(hypothesis)));
    ++set.pairs;
    ++set.of_all[bin];
    if (pair.label != NliLabel::entailment) return;
    ++set.entailments;
    ++set.of_entailments[bin];
    if (one_way && pair.entails_both_ways) return;
    ++(premise > hypothesis ? set.longer : premise == hypothesis ? set.equal : set.shorter);
  });
  if (set.pairs == 0)
    throw InputError(concat(set.report.labels.at(NliLabel::none).first, ": the first of ", set.report.pairs,
                            " pairs, none of which has a gold label: give a labelled set"));
  return set;
}

std::string pair_lengths_table(std::span<const PairLengths> sets) {
  std::vector<std::vector<std::string>> rows{{"set", "pairs", "no gold label", "larger class %", "entailments %",
                                              "directions", "by length %", "premise longer", "equal", "shorter"}};
  for (const PairLengths& set : sets)
    rows.push_back({set.name, std::to_string(set.pairs), std::to_string(set.without_gold_label),
                    percent_text(larger_class(set)), percent_text(share_of(set.entailments, set.pairs)),
                    std::to_string(set.directed()), percent_text(length_baseline(set)), std::to_string(set.longer),
                    std::to_string(set.equal), std::to_string(set.shorter)});
  return text_table(rows) + histogram_table(sets);
}

std::string pair_lengths_json(std::span<const PairLengths> sets) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const PairLengths& set : sets)
    all.push_back({{"name", set.name},
                   {"pairs", set.pairs},
                   {"without_gold_label", set.without_gold_label},
                   {"majority", larger_class(set)},
                   {"positives", share_of(set.entailments, set.pairs)},
                   {"directed_pairs", set.directed()},
                   {"direction_length", length_baseline(set)},
                   {"longer", set.longer},
                   {"equal", set.equal},
                   {"shorter", set.shorter},
                   {"log_ratio",
                    {{"low", PairLengths::lowest},
                     {"width", PairLengths::bin_width},
                     {"pairs", set.of_all},
                     {"entailments", set.of_entailments}}}});
  const nlohmann::ordered_json json{{"format", "gausscse-lengths/1"}, {"sets", std::move(all)}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace gausscse
