#include "data/corpus/held_out_pairs.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "data/corpus/held_out_premises.hpp"
#include "data/corpus/string_table.hpp"

namespace gausscse {

namespace {

/// Filter of the held-out premises, which counts the pairs that pass and those that do not.
class HeldOutPremises {
 public:
  explicit HeldOutPremises(double dev_fraction) : dev_fraction_(dev_fraction) {}

  /// Counts a row; returns whether it is held out.
  bool take(std::string_view premise) {
    const bool held_out = is_held_out(premise, dev_fraction_);
    ++counts_.all_rows;
    counts_.rows += held_out;
    std::vector<std::uint64_t>& hashes = held_out ? held_out_ : others_;
    const std::uint64_t hash = XXH3_64bits(premise.data(), premise.size());
    // Rows of one premise are often neighbours.
    if (hashes.empty() || hashes.back() != hash) hashes.push_back(hash);
    return held_out;
  }

  /// Returns the counts, after the last row.
  HeldOutCounts finish() {
    counts_.premises = distinct(held_out_);
    counts_.all_premises = counts_.premises + distinct(others_);
    return counts_;
  }

 private:
  static std::size_t distinct(std::vector<std::uint64_t>& hashes) {
    std::sort(hashes.begin(), hashes.end());
    return static_cast<std::size_t>(std::unique(hashes.begin(), hashes.end()) - hashes.begin());
  }

  double dev_fraction_;
  HeldOutCounts counts_;
  std::vector<std::uint64_t> held_out_, others_;  ///< hashes of premises
};

void read_nli_corpora(const HeldOutFiles& held_out, const std::string& group_key, const PremiseFilter& premises,
                      ReadReport& report, const NliPairSink& sink) {
  const CorpusOptions& corpus = held_out.corpus;
  const ReadOptions options{.bad_lines = corpus.bad_lines,
                            .sick_set = set_to_train_on,
                            .trim = corpus.trim,
                            .group_key = group_key,
                            .layout = corpus.layout,
                            .premises = premises};
  for (const std::filesystem::path& file : held_out.files) for_each_nli_pair(file, options, report, sink);
}

void read_triples(const HeldOutFiles& held_out, const PremiseFilter& premises, ReadReport& report,
                  const NliPairSink& sink) {
  const CorpusOptions& corpus = held_out.corpus;
  const bool as_triples = corpus.examples == ExampleKind::triples;
  const TripleOptions options{.bad_lines = corpus.bad_lines,
                              .trim = corpus.trim,
                              .contradictions = as_triples ? Contradictions::needed : Contradictions::if_any,
                              .layout = corpus.layout,
                              .premises = premises};
  StringTable texts;
  std::set<std::tuple<std::uint32_t, std::uint32_t, NliLabel>> known;
  const auto add = [&](const std::string& file, std::string_view premise, std::string_view hypothesis, NliLabel label) {
    if (!known.emplace(texts.intern(premise), texts.intern(hypothesis), label).second) return;
    ++report.pairs;
    LabelCount& of_label = report.labels[label];
    if (++of_label.pairs == 1) of_label.first = file;
    sink({.premise = std::string(premise), .hypothesis = std::string(hypothesis), .label = label});
  };
  for (const std::filesystem::path& file : held_out.files) {
    ReadReport of_triples;
    for_each_triple(file, options, of_triples, [&](const TripleTexts& triple) {
      add(file.string(), triple.premise, triple.entailment, NliLabel::entailment);
      if (!triple.contradiction.empty())
        add(file.string(), triple.premise, triple.contradiction, NliLabel::contradiction);
    });
  }
}

void check_counts(const HeldOutCounts& counts, const HeldOutFiles& held_out) {
  const bool none = counts.premises == 0;
  if (!none && counts.premises < counts.all_premises) return;
  throw InputError(concat("data.dev_fraction ", held_out.corpus.dev_fraction, " holds out ", none ? "none" : "all",
                          " of the ", counts.all_premises, " premises of ",
                          joined(held_out.files, ", ", [](const auto& file) { return file.string(); }),
                          none ? ": nothing could be measured: give a larger fraction, or a file to measure on"
                               : ": nothing is left to train on: give a smaller fraction"));
}

}  // namespace

HeldOutCounts for_each_held_out_pair(const HeldOutFiles& held_out, const std::string& group_key, ReadReport& report,
                                     const NliPairSink& sink) {
  HeldOutPremises premises(held_out.corpus.dev_fraction);
  const PremiseFilter take = [&](std::string_view premise) { return premises.take(premise); };
  if (are_triples(held_out.files, held_out.corpus.layout)) {
    if (!group_key.empty())
      throw InputError(concat("by ", quoted(group_key), ": the held-out examples come from triples, which have no ",
                              "column of a pair: remove it, or give files of pairs with labels"));
    read_triples(held_out, take, report, sink);
  } else {
    read_nli_corpora(held_out, group_key, take, report, sink);
  }
  report.bad_lines = 0;
  report.causes.clear();
  const HeldOutCounts counts = premises.finish();
  check_counts(counts, held_out);
  return counts;
}

}  // namespace gausscse
