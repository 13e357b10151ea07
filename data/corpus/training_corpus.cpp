#include "data/corpus/training_corpus.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "base/philox.hpp"
#include "data/corpus/corpus_format.hpp"
#include "data/corpus/hypotheses_of_premises.hpp"
#include "data/corpus/nli_reader.hpp"
#include "data/corpus/string_table.hpp"
#include "data/corpus/triples_csv.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

using Group = HypothesesOfPremises::Group;

std::string names(const std::vector<fs::path>& files) {
  std::string text;
  for (const fs::path& file : files) text += (text.empty() ? "" : ", ") + file.string();
  return text;
}

/// True for one triples CSV, false for NLI corpora.
bool is_triples_csv(const std::vector<fs::path>& files) {
  if (files.empty()) throw InputError("no training file is given: name NLI corpora or one triples CSV in data.train");
  std::size_t csv_files = 0;
  for (const fs::path& file : files) csv_files += detect_format(file) == CorpusFormat::triples_csv;
  if (csv_files == 0) return false;
  if (files.size() == 1) return true;
  throw InputError(concat("the training files mix ", csv_files, " triples CSV with ", files.size() - csv_files,
                          " NLI corpora (", names(files), "): give one triples CSV alone, or NLI corpora alone"));
}

/// Collects triples and numbers the sentences they name.
class CorpusWriter {
 public:
  void add(std::string_view premise, std::string_view entailment, std::string_view contradiction) {
    Triple triple;
    triple.premise = sentences_.intern(premise);
    triple.entailment = sentences_.intern(entailment);
    triple.contradiction = sentences_.intern(contradiction);
    triples_.push_back(triple);
  }

  TrainingCorpus finish(CorpusCounts counts, ReadReport report) {
    TrainingCorpus corpus;
    corpus.sentences.reserve(sentences_.size());
    for (std::uint32_t i = 0; i < sentences_.size(); ++i) corpus.sentences.emplace_back(sentences_[i]);
    corpus.triples = std::move(triples_);
    counts.pairs = report.pairs;
    counts.without_gold_label = report.without_gold_label;
    counts.bad_lines = report.bad_lines;
    counts.triples = corpus.triples.size();
    counts.sentences = corpus.sentences.size();
    corpus.counts = counts;
    corpus.bad_line_messages = std::move(report.bad_line_messages);
    return corpus;
  }

  const std::vector<Triple>& triples() const { return triples_; }

 private:
  StringTable sentences_;
  std::vector<Triple> triples_;
};

TrainingCorpus from_triples_csv(const fs::path& file, const CorpusOptions& options) {
  ReadReport report;
  CorpusWriter writer;
  for_each_triple(file, options.bad_lines, options.trim, report,
                  [&](TripleTexts&& texts) { writer.add(texts.premise, texts.entailment, texts.contradiction); });
  CorpusCounts counts;
  std::vector<Triple> sorted = writer.triples();
  const auto members = [](const Triple& triple) {
    return std::array<std::uint32_t, 3>{triple.premise, triple.entailment, triple.contradiction};
  };
  std::sort(sorted.begin(), sorted.end(), [&](const Triple& a, const Triple& b) { return members(a) < members(b); });
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    counts.premises += i == 0 || sorted[i].premise != sorted[i - 1].premise;
    counts.duplicates += i > 0 && sorted[i] == sorted[i - 1];
  }
  return writer.finish(counts, std::move(report));
}

/// Adds the triples of one premise.
void add_triples(const Group& group, const StringTable& texts, const CorpusOptions& options, CorpusWriter& writer) {
  if (group.entailed.empty() || group.contradicted.empty()) return;
  const std::string_view premise = texts[group.premise];
  if (options.triples_per_premise == TriplesPerPremise::all) {
    for (const std::uint32_t entailed : group.entailed) {
      for (const std::uint32_t contradicted : group.contradicted) {
        writer.add(premise, texts[entailed], texts[contradicted]);
      }
    }
    return;
  }
  PhiloxStream draws(options.seed, XXH3_64bits(premise.data(), premise.size()));
  const auto choose = [&](const std::vector<std::uint32_t>& from) {
    return texts[from[draws.below(static_cast<std::uint32_t>(from.size()))]];
  };
  const std::string_view entailed = choose(group.entailed);
  const std::string_view contradicted = choose(group.contradicted);
  writer.add(premise, entailed, contradicted);
}

TrainingCorpus from_nli_corpora(const std::vector<fs::path>& files, const CorpusOptions& options) {
  ReadReport report;
  HypothesesOfPremises hypotheses;
  const ReadOptions read_options{.bad_lines = options.bad_lines, .sick_set = "TRAIN", .trim = options.trim};
  for (const fs::path& file : files) {
    for_each_nli_pair(file, read_options, report, [&](NliPair&& pair) { hypotheses.add(pair); });
  }
  CorpusCounts counts;
  std::size_t with_entailment = 0;
  std::size_t with_contradiction = 0;
  CorpusWriter writer;
  hypotheses.for_each_group([&](const Group& group) {
    ++counts.premises;
    with_entailment += !group.entailed.empty();
    with_contradiction += !group.contradicted.empty();
    add_triples(group, hypotheses.texts(), options, writer);
  });
  counts.duplicates = hypotheses.duplicates();
  counts.conflicting = hypotheses.conflicting();
  if (writer.triples().empty()) {
    throw InputError(concat("no triple can be built from ", names(files),
                            ": a premise is needed with both an entailed and a contradicted hypothesis, but of ",
                            counts.premises, " premises (", report.pairs, " pairs, ", report.without_gold_label,
                            " of them without gold label, ", report.bad_lines, " bad lines skipped) ", with_entailment,
                            " have an entailed one and ", with_contradiction,
                            " a contradicted one, none both: give the corpus of which this is a part"));
  }
  return writer.finish(counts, std::move(report));
}

}  // namespace

CorpusOptions effective_options(const std::vector<fs::path>& files, const CorpusOptions& options) {
  CorpusOptions effective = options;
  const bool csv = is_triples_csv(files);
  if (csv) effective.triples_per_premise = TriplesPerPremise::one;
  if (csv || options.triples_per_premise == TriplesPerPremise::all) effective.seed = 0;
  return effective;
}

TrainingCorpus build_training_corpus(const std::vector<fs::path>& files, const CorpusOptions& options) {
  if (is_triples_csv(files)) return from_triples_csv(files.front(), options);
  return from_nli_corpora(files, options);
}

}  // namespace gausscse
