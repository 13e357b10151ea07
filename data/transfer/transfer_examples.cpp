#include "data/transfer/transfer_examples.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_kind.hpp"
#include "base/lists.hpp"
#include "data/corpus/row_source.hpp"
#include "data/corpus/sentence.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// Returns the parts before and after the first `separator`.
std::pair<std::string_view, std::string_view> cut_at(std::string_view text, char separator, const char* form) {
  const std::size_t place = text.find(separator);
  if (place == std::string_view::npos)
    throw InputError(concat(quoted(text), " has no ", quoted(std::string(1, separator)), " in it: a line is ", form,
                            ", mend or remove it"));
  return {text.substr(0, place), text.substr(place + 1)};
}

std::string_view ends_of(LineEnds ends) {
  return ends == LineEnds::of_files ? "\n\r" : "\n\r\v\f\x1C\x1D\x1E\x85";
}

std::string from_latin1(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    const auto code = static_cast<unsigned char>(byte);
    if (code < 0x80) {
      text += byte;
    } else {
      text += static_cast<char>(0xC0 | (code >> 6));
      text += static_cast<char>(0x80 | (code & 0x3F));
    }
  }
  return text;
}

using Examples = std::vector<TransferExample>;

std::size_t words_in(const std::string& sentence) {
  if (sentence.empty()) return 0;
  return 1 + static_cast<std::size_t>(std::count(sentence.begin(), sentence.end(), ' '));
}

/// A file of more is none of these small sets.
constexpr std::size_t largest_file = std::size_t{1} << 30;

bool has_a_file_for_each_class(TransferDataset dataset) {
  return layout_of(dataset).protocol == TransferProtocol::nested_cross_validation;
}

TextEncoding encoding_of(TransferDataset dataset) {
  return has_a_file_for_each_class(dataset) || dataset == TransferDataset::trec ? TextEncoding::latin1
                                                                                : TextEncoding::utf8;
}

LineEnds line_ends_of(TransferDataset dataset) {
  return has_a_file_for_each_class(dataset) ? LineEnds::of_text : LineEnds::of_files;
}

/// Columns of the label and of the two sentences; none where examples are no pairs.
std::vector<RowColumn> pair_columns(TransferDataset dataset) {
  if (dataset == TransferDataset::mrpc) return {{{"Quality"}}, {{"#1 String"}}, {{"#2 String"}}};
  if (dataset != TransferDataset::sick_entailment) return {};
  return {{{"entailment_judgment"}}, {{"sentence_A"}}, {{"sentence_B"}}};
}

TransferExample parse_line(TransferDataset dataset, std::string_view line, std::uint32_t label_of_file) {
  const std::vector<std::string>& classes = layout_of(dataset).classes;
  switch (dataset) {
    case TransferDataset::sst2:
      return sentence_and_label(line, classes);
    case TransferDataset::sst5:
      return label_and_sentence(line, classes);
    case TransferDataset::trec:
      return question(line, classes);
    case TransferDataset::mr:
    case TransferDataset::cr:
    case TransferDataset::subj:
    case TransferDataset::mpqa:
      return {with_single_blanks(line), {}, label_of_file};
    case TransferDataset::mrpc:
    case TransferDataset::sick_entailment:
      break;
  }
  throw std::logic_error("no task of lines");
}

Examples read_pairs(std::vector<RowColumn> columns, const std::vector<std::string>& classes, std::string_view bytes,
                    const std::string& name, LineTally& tally) {
  MemorySource source(bytes);
  RowSource rows(source, name);
  rows.select("pairs", std::move(columns));
  Examples examples;
  const auto read_row = [&] {
    examples.push_back(
        {with_single_blanks(rows.text(1)), with_single_blanks(rows.text(2)), class_of(trimmed(rows.text(0)), classes)});
  };
  while (rows.next(tally, read_row)) {
  }
  return examples;
}

Examples read_lines_of(TransferDataset dataset, std::string_view bytes, const std::string& name,
                       std::uint32_t label_of_file, LineTally& tally) {
  Examples examples;
  std::size_t number = 0;
  for (const std::string& line : text_lines(bytes, name, encoding_of(dataset), line_ends_of(dataset))) {
    tally.read(++number, [&] {
      check_utf8(line);
      examples.push_back(parse_line(dataset, line, label_of_file));
    });
  }
  return examples;
}

void check_classes(const Examples& train, const std::vector<std::string>& classes, const fs::path& file) {
  for (std::uint32_t label = 0; label < classes.size(); ++label)
    if (std::none_of(train.begin(), train.end(), [&](const TransferExample& each) { return each.label == label; }))
      throw InputError(concat(file.string(), ": no example is of the class ", quoted(classes[label]),
                              ", so no classifier can learn it: give the whole file"));
}

}  // namespace

std::uint32_t class_of(std::string_view word, const std::vector<std::string>& classes) {
  const auto found = std::find(classes.begin(), classes.end(), word);
  if (found != classes.end()) return static_cast<std::uint32_t>(found - classes.begin());
  throw InputError(concat("the label ", quoted(word), " is not known: it must be one of ", joined(classes)));
}

TransferExample sentence_and_label(std::string_view line, const std::vector<std::string>& classes) {
  const std::vector<std::string_view> fields = split_at_tabs(trimmed(line), 3);
  if (fields.size() != 2)
    throw InputError(concat(quoted(line), " has ", fields.size() - 1,
                            " tabs in it: a line is a sentence, one tab and a label, mend or remove it"));
  return {with_single_blanks(fields[0]), {}, class_of(fields[1], classes)};
}

TransferExample label_and_sentence(std::string_view line, const std::vector<std::string>& classes) {
  const auto [label, sentence] = cut_at(trimmed(line), ' ', "a label, a blank and a sentence");
  return {with_single_blanks(sentence), {}, class_of(label, classes)};
}

TransferExample question(std::string_view line, const std::vector<std::string>& classes) {
  constexpr const char* form = "LABEL:finer and a question";
  const auto [label, rest] = cut_at(trimmed(line), ':', form);
  return {with_single_blanks(cut_at(rest, ' ', form).second), {}, class_of(label, classes)};
}

std::vector<std::string> text_lines(std::string_view bytes, const std::string& name, TextEncoding encoding,
                                    LineEnds ends) {
  refuse_binary_file(bytes, name);
  std::vector<std::string> lines;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find_first_of(ends_of(ends));
    const std::string_view line = bytes.substr(0, end);
    lines.push_back(encoding == TextEncoding::latin1 ? from_latin1(line) : std::string(line));
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + (bytes.substr(end).starts_with("\r\n") ? 2 : 1));
  }
  if (lines.empty()) throw InputError(concat(name, ": the file is empty, so there is nothing to classify"));
  return lines;
}

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

std::vector<TransferExample> transfer_examples_of(TransferDataset dataset, std::string_view bytes,
                                                  const std::string& name, std::uint32_t label_of_file,
                                                  BadLines bad_lines, ReadReport& report) {
  LineTally tally(name, bad_lines, report);
  std::vector<RowColumn> columns = pair_columns(dataset);
  Examples examples = columns.empty() ? read_lines_of(dataset, bytes, name, label_of_file, tally)
                                      : read_pairs(std::move(columns), layout_of(dataset).classes, bytes, name, tally);
  tally.finish("example");
  report.pairs += examples.size();
  return examples;
}

TransferExamples read_transfer_dataset(TransferDataset dataset, const fs::path& folder, BadLines bad_lines,
                                       ReadReport& report) {
  const auto read_file = [&](const fs::path& file, std::uint32_t label_of_file) {
    return transfer_examples_of(dataset, read_whole_file(file, largest_file), file.string(), label_of_file, bad_lines,
                                report);
  };
  const TransferLayout& layout = layout_of(dataset);
  const std::vector<fs::path> files = transfer_files(dataset, folder);
  TransferExamples data{.dataset = dataset, .train = {}, .development = {}, .test = {}};
  if (has_a_file_for_each_class(dataset)) {
    data.train = read_file(files[0], 1);
    for (TransferExample& example : read_file(files[1], 0)) data.train.push_back(std::move(example));
  } else {
    data.train = read_file(files.front(), 0);
    check_classes(data.train, layout.classes, files.front());
    data.test = read_file(files.back(), 0);
    if (layout.protocol == TransferProtocol::development_set) data.development = read_file(files[1], 0);
  }
  for (std::vector<TransferExample>* set : {&data.train, &data.development, &data.test}) sort_examples(*set);
  return data;
}

}  // namespace gausscse
