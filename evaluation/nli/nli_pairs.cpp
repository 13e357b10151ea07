#include "evaluation/nli/nli_pairs.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "data/corpus/corpus_readers.hpp"
#include "data/corpus/string_table.hpp"
#include "evaluation/calibration/fit_calibration.hpp"
#include "evaluation/metrics/metrics.hpp"
#include "evaluation/nli/pair_clusters.hpp"
#include "evaluation/nli/word_weights.hpp"

namespace gausscse {

namespace {

bool is_kept(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte >= 0x80 ||
         c == '_' || c == '-' || c == ':';
}

/// Names of the values of one key, each made once.
class GroupNames {
 public:
  GroupNames(std::string file, std::string key) : file_(std::move(file)), key_(std::move(key)) {}

  /// Throws InputError for one value too many, and for another value of the same name.
  const std::string& name_of(const std::string& value) {
    const auto known = names_.find(value);
    if (known != names_.end()) return known->second;
    if (names_.size() == most_groups)
      throw InputError(concat(file_, ": the key ", quoted(key_), " has over ", most_groups,
                              " values, and each would get metrics: give `by` a key that groups the pairs"));
    std::string name = value.empty() ? "-" : value;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !is_kept(c); }, '_');
    const auto [first, is_new] = values_.emplace(name, value);
    if (!is_new)
      throw InputError(concat(file_, ": the values ", quoted(first->second), " and ", quoted(value), " of the key ",
                              quoted(key_), " would both be called ", quoted(name), ": rename one of them"));
    return names_.emplace(value, name).first->second;
  }

 private:
  std::string file_, key_;
  std::map<std::string, std::string> names_;   ///< by value
  std::map<std::string, std::string> values_;  ///< by name
};

}  // namespace

NliPairs read_nli_pairs(const std::filesystem::path& file, setting::SickRows rows, UnlabelledPairs unlabelled,
                        const SentenceModel& model, const ReadingSettings& reading, const std::string& group_key) {
  NliPairs pairs;
  pairs.group_key = group_key;
  GroupNames groups(source_of_pairs(file), group_key);
  StringTable table;
  ContentHasher hasher;
  const auto add = [&](NliPair&& pair) {
    if (pair.label == NliLabel::none && unlabelled == UnlabelledPairs::leave_out) return;
    for (const std::string_view text : {std::string_view(pair.premise), std::string_view(pair.hypothesis)}) {
      hasher.add(text);
      hasher.add({"\0", 1});
    }
    hasher.add(nli_label_name(pair.label));
    hasher.add("\n");
    pairs.premise.push_back(table.intern(pair.premise));
    pairs.hypothesis.push_back(table.intern(pair.hypothesis));
    pairs.label.push_back(static_cast<std::uint8_t>(pair.label));
    pairs.both_ways.push_back(pair.entails_both_ways ? 1 : 0);
    pairs.premise_characters.push_back(static_cast<std::int64_t>(character_length(pair.premise)));
    pairs.hypothesis_characters.push_back(static_cast<std::int64_t>(character_length(pair.hypothesis)));
    if (!group_key.empty()) pairs.group.push_back(groups.name_of(pair.group));
  };
  const ReadOptions options{.bad_lines = reading.bad_lines,
                            .sick_set = rows == setting::SickRows::dev ? "TRIAL" : "TEST",
                            .trim = model.properties.trim,
                            .labels = unlabelled == UnlabelledPairs::keep ? NliLabels::three_or_two : NliLabels::three,
                            .group_key = group_key,
                            .layout = reading.layout};
  if (file.empty()) {
    pairs.held_out = for_each_held_out_pair(reading.held_out, group_key, pairs.report, add);
  } else {
    for_each_nli_pair(file, options, pairs.report, add);
    const CorpusFormat format = detect_format(file, reading.layout);
    pairs.of_sick = format == CorpusFormat::sick_full || format == CorpusFormat::sick_semeval;
  }
  if (pairs.label.empty())
    throw InputError(concat(pairs.report.labels.at(NliLabel::none).first, ": the first of ", pairs.report.pairs,
                            " pairs, none of which has a gold label: nothing can be compared with; give another set"));
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < table.size(); ++i) sentences.emplace_back(table[static_cast<std::uint32_t>(i)]);
  const std::vector<double> weights = word_weights(sentences);
  for (const std::uint32_t each : pairs.premise) pairs.premise_words.push_back(weights[each]);
  for (const std::uint32_t each : pairs.hypothesis) pairs.hypothesis_words.push_back(weights[each]);
  pairs.cluster = pair_clusters(pairs.premise, pairs.hypothesis, pairs.of_sick);
  pairs.fitted = fitted_pairs(sentences, pairs.premise);
  pairs.content_hash = hasher.digits();
  pairs.sentences.emplace(TokenStore::from_sentences(sentences, *model.tokenizer, model.max_tokens, reading.threads));
  return pairs;
}

std::string source_of_pairs(const std::filesystem::path& file) {
  return file.empty() ? "the held-out examples" : file.string();
}

void describe_nli_pairs(const NliPairs& pairs, const SentenceModel& model, ListedTask& task) {
  const ReadReport& report = pairs.report;
  std::string note = concat(task.task->name(), ": ", report.pairs, " pairs, ", report.pairs_with(NliLabel::none),
                            " without gold label");
  if (const std::size_t not_entailed = report.pairs_with(NliLabel::not_entailment); not_entailed > 0)
    note += concat("; labels of two ways: ", not_entailed, " pairs count as no entailment");
  task.notes.push_back(std::move(note));
  if (const auto& held_out = pairs.held_out)
    task.notes.push_back(concat(task.task->name(), ": held out of training: ", held_out->rows, " of ",
                                held_out->all_rows, " rows, ", held_out->premises, " of ", held_out->all_premises,
                                " premises"));
  describe_tokens(pairs.sentences->token_counts().front(), model.max_tokens, model, task);
  warn_of_bad_lines(report, task);
  task.of_sick = pairs.of_sick;
}

std::vector<RowPair> NliPairs::rows() const {
  std::vector<RowPair> rows;
  for (std::size_t i = 0; i < premise.size(); ++i) rows.push_back({premise[i], hypothesis[i]});
  return rows;
}

}  // namespace gausscse
