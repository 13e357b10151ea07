#include "data/transfer/transfer_examples.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/error.hpp"
#include "data/corpus/sentence.hpp"
#include "data/transfer/text_lines.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

using Examples = std::vector<TransferExample>;
using ParseLine = TransferExample (*)(std::string_view line, const std::vector<std::string>& classes);

std::size_t words_in(const std::string& sentence) {
  if (sentence.empty()) return 0;
  return 1 + static_cast<std::size_t>(std::count(sentence.begin(), sentence.end(), ' '));
}

/// A file all of whose sentences have one label.
void append_sentences(const fs::path& file, std::uint32_t label, Examples& examples) {
  for (const std::string& line : read_text_lines(file, TextEncoding::latin1, LineEnds::of_text))
    examples.push_back({with_single_blanks(line), {}, label});
}

/// Calls `parse(line)` for each line from `first` on.
template <typename Parse>
Examples examples_of(const fs::path& file, const std::vector<std::string>& lines, std::size_t first,
                     const Parse& parse) {
  Examples examples;
  for (std::size_t i = first; i < lines.size(); ++i) {
    try {
      examples.push_back(parse(lines[i]));
    } catch (const InputError& error) {
      throw InputError(concat(at_line(file.string(), i + 1), ": ", error.what()));
    }
  }
  if (examples.empty()) throw InputError(concat(file.string(), ": has no example, so there is nothing to classify"));
  return examples;
}

Examples read_lines(const fs::path& file, TextEncoding encoding, const std::vector<std::string>& classes,
                    ParseLine parse) {
  return examples_of(file, read_text_lines(file, encoding, LineEnds::of_files), 0,
                     [&](const std::string& line) { return parse(line, classes); });
}

Examples read_pairs(const fs::path& file, const std::vector<std::string>& classes, const PairColumns& columns) {
  const std::vector<std::string> lines = read_text_lines(file, TextEncoding::utf8, LineEnds::of_files);
  if (is_labelled_pair(lines.front(), classes, columns))
    throw InputError(
        concat(at_line(file.string(), 1),
               ": is an example where the header should be, which is not read: ", "put a header before it"));
  return examples_of(file, lines, 1, [&](const std::string& line) { return labelled_pair(line, classes, columns); });
}

Examples read_set(TransferDataset dataset, const fs::path& file) {
  const std::vector<std::string>& classes = layout_of(dataset).classes;
  switch (dataset) {
    case TransferDataset::sst2:
      return read_lines(file, TextEncoding::utf8, classes, sentence_and_label);
    case TransferDataset::sst5:
      return read_lines(file, TextEncoding::utf8, classes, label_and_sentence);
    case TransferDataset::trec:
      return read_lines(file, TextEncoding::latin1, classes, question);
    case TransferDataset::mrpc:
      return read_pairs(file, classes, mrpc_columns);
    case TransferDataset::sick_entailment:
      return read_pairs(file, classes, sick_columns);
    case TransferDataset::mr:
    case TransferDataset::cr:
    case TransferDataset::subj:
    case TransferDataset::mpqa:
      break;
  }
  throw std::logic_error("a task whose files have a class each");
}

void check_classes(const Examples& train, const std::vector<std::string>& classes, const fs::path& file) {
  for (std::uint32_t label = 0; label < classes.size(); ++label)
    if (std::none_of(train.begin(), train.end(), [&](const TransferExample& each) { return each.label == label; }))
      throw InputError(concat(file.string(), ": no example is of the class ", quoted(classes[label]),
                              ", so no classifier can learn it: give the whole file"));
}

}  // namespace

void sort_examples(std::vector<TransferExample>& examples) {
  std::vector<std::tuple<std::size_t, std::size_t, std::uint32_t>> keys;
  for (const TransferExample& each : examples)
    keys.emplace_back(words_in(each.first), words_in(each.second), each.label);
  std::vector<std::size_t> order(examples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  std::vector<TransferExample> sorted;
  for (const std::size_t i : order) sorted.push_back(std::move(examples[i]));
  examples = std::move(sorted);
}

TransferExamples read_transfer_dataset(TransferDataset dataset, const fs::path& folder) {
  const TransferLayout& layout = layout_of(dataset);
  const std::vector<fs::path> files = transfer_files(dataset, folder);
  TransferExamples data{.dataset = dataset, .train = {}, .development = {}, .test = {}};
  if (layout.protocol == TransferProtocol::nested_cross_validation) {
    append_sentences(files[0], 1, data.train);
    append_sentences(files[1], 0, data.train);
  } else {
    data.train = read_set(dataset, files.front());
    check_classes(data.train, layout.classes, files.front());
    data.test = read_set(dataset, files.back());
    if (layout.protocol == TransferProtocol::development_set) data.development = read_set(dataset, files[1]);
  }
  for (std::vector<TransferExample>* set : {&data.train, &data.development, &data.test}) sort_examples(*set);
  return data;
}

}  // namespace gausscse
