#include "data/corpus/training_corpus.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/philox.hpp"
#include "data/corpus/corpus_readers.hpp"
#include "data/corpus/string_table.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

using Group = HypothesesOfPremises::Group;

std::string listed(const std::vector<fs::path>& files) {
  return joined(files, ", ", [](const fs::path& file) { return file.string(); });
}

constexpr std::size_t most_roles = roles_of(ExampleKind::triples);

/// Collects examples and numbers the sentences they name.
class CorpusWriter {
 public:
  CorpusWriter(ExampleKind kind, SentenceSink* sink)
      : roles_(roles_of(kind)), labelled_(kind == ExampleKind::labelled_pairs), sink_(sink) {}

  /// Adds an example by its sentences, one a role.
  template <typename... Texts>
  void add(const Texts&... texts) {
    GAUSSCSE_CHECK(sizeof...(texts) == roles_, "an example of ", sizeof...(texts), " sentences, not ", roles_);
    const auto known = static_cast<std::uint32_t>(sentences_.size());
    std::array<std::uint32_t, sizeof...(texts)> numbers;
    sentences_.intern(std::array<std::string_view, sizeof...(texts)>{texts...}, numbers);
    example_sentences_.insert(example_sentences_.end(), numbers.begin(), numbers.end());
    if (sink_ == nullptr) return;
    for (std::uint32_t number = known; number < sentences_.size(); ++number) sink_->add(sentences_[number]);
  }

  /// Adds a pair that has a gold label.
  void add_labelled(const NliPair& pair) {
    add(pair.premise, pair.hypothesis);
    labels_.push_back(static_cast<std::uint32_t>(pair.label));
  }

  /// Counts premises, and examples that were there already, with the same label where they have one.
  void count_repeats(CorpusCounts& counts) const {
    std::array<std::vector<bool>, most_roles> repeated;  // by role: sentences that several examples have there
    for (std::size_t role = 0; role < roles_; ++role) {
      std::vector<bool> used(sentences_.size());
      repeated[role].resize(sentences_.size());
      for (std::size_t i = role; i < example_sentences_.size(); i += roles_) {
        const std::uint32_t sentence = example_sentences_[i];
        if (used[sentence]) repeated[role][sentence] = true;
        used[sentence] = true;
      }
      if (role == 0) counts.premises += static_cast<std::size_t>(std::count(used.begin(), used.end(), true));
    }
    // No other example can be the same as one with a sentence that is repeated nowhere.
    std::vector<std::array<std::uint32_t, most_roles + 1>> sorted;
    for (std::size_t i = 0; i < example_sentences_.size(); i += roles_) {
      std::array<std::uint32_t, most_roles + 1> example{};
      std::copy_n(example_sentences_.begin() + static_cast<std::ptrdiff_t>(i), roles_, example.begin());
      if (labelled_) example.back() = labels_[i / roles_];
      bool may_be_repeated = true;
      for (std::size_t role = 0; role < roles_; ++role)
        may_be_repeated = may_be_repeated && repeated[role][example[role]];
      if (may_be_repeated) sorted.push_back(example);
    }
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 1; i < sorted.size(); ++i) counts.duplicates += sorted[i] == sorted[i - 1];
  }

  /// Takes the examples so far, after those of the last file, for the examples of a file.
  void end_file() {
    sentences_of_files_.push_back(sentences_.size());
    if (sink_) sink_->end_file();
  }

  TrainingCorpus finish(CorpusCounts counts, const ReadReport& report) {
    TrainingCorpus corpus;
    corpus.sentences_of_files = std::move(sentences_of_files_);
    corpus.sentences = std::move(sentences_);
    corpus.roles = roles_;
    corpus.example_sentences = std::move(example_sentences_);
    corpus.labels = std::move(labels_);
    counts.pairs = report.pairs;
    counts.without_gold_label = report.pairs_with(NliLabel::none);
    counts.bad_lines = report.bad_lines;
    counts.examples = corpus.example_sentences.size() / roles_;
    counts.sentences = corpus.sentences.size();
    GAUSSCSE_CHECK(corpus.labels.size() == (labelled_ ? counts.examples : 0), corpus.labels.size(), " labels of ",
                   counts.examples, " examples");
    corpus.counts = counts;
    corpus.bad_line_messages = report.bad_line_messages("the training data");
    return corpus;
  }

  bool empty() const { return example_sentences_.empty(); }

 private:
  std::size_t roles_;
  bool labelled_;
  SentenceSink* sink_;  ///< or none
  StringTable sentences_;
  std::vector<std::size_t> sentences_of_files_;
  std::vector<std::uint32_t> example_sentences_;
  std::vector<std::uint32_t> labels_;  ///< an example each where they are labelled, else empty
};

TrainingCorpus from_triples_files(const std::vector<fs::path>& files, const CorpusOptions& options,
                                  SentenceSink* sink) {
  if (options.examples == ExampleKind::labelled_pairs) {
    throw InputError(concat(files.front().string(),
                            ": a file of triples gives no labelled pairs, as it has no neutral hypotheses ",
                            "and no labels: give the NLI corpora it was made from, or take triples or ",
                            "entailment_pairs as data.examples"));
  }
  ReadReport report;
  CorpusWriter writer(options.examples, sink);
  const bool pairs = options.examples == ExampleKind::entailment_pairs;
  const TripleOptions read_options{
      .bad_lines = options.bad_lines,
      .trim = options.trim,
      .contradictions = pairs ? Contradictions::left_out : Contradictions::needed,
      .layout = options.layout,
      .premises = premises_to_train_on(options.dev_fraction),
  };
  const auto add = [&](const TripleTexts& texts) {
    if (pairs) {
      writer.add(texts.premise, texts.entailment);
    } else {
      writer.add(texts.premise, texts.entailment, texts.contradiction);
    }
  };
  for (const fs::path& file : files) {
    for_each_triple(file, read_options, report, add);
    writer.end_file();
  }
  CorpusCounts counts;
  writer.count_repeats(counts);
  return writer.finish(counts, report);
}

/// Adds a premise's triples under TriplesPerPremise::every_entailment. `drawn` are the hypotheses to draw from; those
/// that the premise entails are drawn again, and the pair is left out where `most_draws` give none.
void add_every_entailment(const Group& group, const StringTable& texts, const std::vector<std::uint32_t>& drawn,
                          PhiloxStream draws, CorpusWriter& writer) {
  constexpr int most_draws = 32;
  const std::string_view premise = texts[group.premise];
  const auto choose = [&](const std::vector<std::uint32_t>& from) {
    return from[draws.below(static_cast<std::uint32_t>(from.size()))];
  };
  for (const std::uint32_t entailed : group.entailed) {
    for (const auto* others : {&group.contradicted, &group.neutral})
      if (!others->empty()) writer.add(premise, texts[entailed], texts[choose(*others)]);
    if (!group.contradicted.empty() || !group.neutral.empty()) continue;
    for (int draw = 0; draw < most_draws; ++draw) {
      const std::uint32_t other = choose(drawn);
      if (std::find(group.entailed.begin(), group.entailed.end(), other) != group.entailed.end()) continue;
      writer.add(premise, texts[entailed], texts[other]);
      break;
    }
  }
}

/// Adds the triples of one premise.
void add_triples(const Group& group, const StringTable& texts, const CorpusOptions& options,
                 const std::vector<std::uint32_t>& drawn, CorpusWriter& writer) {
  const std::string_view premise = texts[group.premise];
  PhiloxStream draws(options.seed, XXH3_64bits(premise.data(), premise.size()));
  if (options.triples_per_premise == TriplesPerPremise::every_entailment) {
    add_every_entailment(group, texts, drawn, draws, writer);
    return;
  }
  if (group.entailed.empty() || group.contradicted.empty()) return;
  if (options.triples_per_premise == TriplesPerPremise::all) {
    for (const std::uint32_t entailed : group.entailed) {
      for (const std::uint32_t contradicted : group.contradicted) {
        writer.add(premise, texts[entailed], texts[contradicted]);
      }
    }
    return;
  }
  const auto choose = [&](const std::vector<std::uint32_t>& from) {
    return texts[from[draws.below(static_cast<std::uint32_t>(from.size()))]];
  };
  const std::string_view entailed = choose(group.entailed);
  const std::string_view contradicted = choose(group.contradicted);
  writer.add(premise, entailed, contradicted);
}

ReadReport read_nli_corpora(const std::vector<fs::path>& files, const CorpusOptions& options, const NliPairSink& sink,
                            const std::function<void()>& end_file) {
  ReadReport report;
  const ReadOptions read_options{.bad_lines = options.bad_lines,
                                 .sick_set = set_to_train_on,
                                 .trim = options.trim,
                                 .layout = options.layout,
                                 .premises = premises_to_train_on(options.dev_fraction)};
  for (const fs::path& file : files) {
    for_each_nli_pair(file, read_options, report, sink);
    end_file();
  }
  return report;
}

/// Returns a summary of the pairs read, their labels and bad lines, for messages.
std::string pairs_text(const ReadReport& report) {
  return concat(report.pairs, " pairs: ", report.labels_text(), "; ", report.bad_lines, " bad lines skipped",
                report.bad_lines == 0 ? "" : concat(", the first: ", report.causes.front().examples.front()));
}

TrainingCorpus pairs_of_nli_corpora(const std::vector<fs::path>& files, const CorpusOptions& options,
                                    SentenceSink* sink) {
  const bool labelled = options.examples == ExampleKind::labelled_pairs;
  CorpusWriter writer(options.examples, sink);
  const auto add = [&](NliPair&& pair) {
    if (labelled) {
      if (pair.label != NliLabel::none) writer.add_labelled(pair);
      return;
    }
    if (pair.label == NliLabel::entailment) writer.add(pair.premise, pair.hypothesis);
  };
  const ReadReport report = read_nli_corpora(files, options, add, [&] { writer.end_file(); });
  if (writer.empty()) {
    throw InputError(concat(labelled ? "no pair with a gold label is in " : "no entailment pair is in ", listed(files),
                            " (", pairs_text(report), "): give a corpus with pairs that are labelled",
                            labelled ? "" : " entailment"));
  }
  CorpusCounts counts;
  writer.count_repeats(counts);
  return writer.finish(counts, report);
}

TrainingCorpus triples_of_nli_corpora(const std::vector<fs::path>& files, const CorpusOptions& options,
                                      SentenceSink* sink) {
  HypothesesOfPremises hypotheses;
  std::vector<std::size_t> premises_of_files;  // up to the end of each
  const ReadReport report = read_nli_corpora(
      files, options, [&](NliPair&& pair) { hypotheses.add(pair); },
      [&] { premises_of_files.push_back(hypotheses.premises()); });
  const bool every_entailment = options.triples_per_premise == TriplesPerPremise::every_entailment;
  const std::vector<std::uint32_t> drawn = every_entailment ? hypotheses.hypotheses() : std::vector<std::uint32_t>();
  CorpusCounts counts;
  std::size_t with_entailment = 0;
  std::size_t with_contradiction = 0;
  CorpusWriter writer(ExampleKind::triples, sink);
  std::size_t file = 0;
  hypotheses.for_each_group([&](const Group& group) {
    for (; counts.premises == premises_of_files[file]; ++file) writer.end_file();
    ++counts.premises;
    with_entailment += !group.entailed.empty();
    with_contradiction += !group.contradicted.empty();
    add_triples(group, hypotheses.texts(), options, drawn, writer);
  });
  for (; file < files.size(); ++file) writer.end_file();
  counts.duplicates = hypotheses.duplicates();
  counts.conflicting = hypotheses.conflicting();
  if (writer.empty()) {
    throw InputError(concat("no triple can be built from ", listed(files),
                            every_entailment
                                ? ": a premise is needed with an entailed hypothesis, and one that it does not "
                                  "entail, but of "
                                : ": a premise is needed with both an entailed and a contradicted hypothesis, but of ",
                            counts.premises, " premises (", pairs_text(report), ") ", with_entailment,
                            " have an entailed one and ", with_contradiction, " a contradicted one",
                            every_entailment ? "" : ", none has both", ": give the whole corpus"));
  }
  return writer.finish(counts, report);
}

}  // namespace

bool are_triples(const std::vector<fs::path>& files, const CorpusLayout& layout) {
  if (files.empty()) throw InputError("no training file is given: name NLI corpora or files of triples in data.train");
  std::size_t of_triples = 0;
  for (const fs::path& file : files) of_triples += detect_format(file, layout) == CorpusFormat::triples;
  if (of_triples == 0) return false;
  if (files.size() == of_triples) return true;
  throw InputError(concat("the training files mix ", of_triples, " files of triples with ", files.size() - of_triples,
                          " NLI corpora (", listed(files), "): give only files of triples, or only NLI corpora"));
}

CorpusOptions effective_options(const std::vector<fs::path>& files, const CorpusOptions& options) {
  CorpusOptions effective = options;
  const bool triples = are_triples(files, options.layout);
  const bool chosen = !triples && options.examples == ExampleKind::triples;
  if (!chosen) effective.triples_per_premise = TriplesPerPremise::one;
  if (!chosen || options.triples_per_premise == TriplesPerPremise::all) effective.seed = 0;
  return effective;
}

TrainingCorpus build_training_corpus(const std::vector<fs::path>& files, const CorpusOptions& options,
                                     SentenceSink* sink) {
  if (are_triples(files, options.layout)) return from_triples_files(files, options, sink);
  return options.examples == ExampleKind::triples ? triples_of_nli_corpora(files, options, sink)
                                                  : pairs_of_nli_corpora(files, options, sink);
}

}  // namespace gausscse
