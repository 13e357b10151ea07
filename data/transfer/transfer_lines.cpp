#include "data/transfer/transfer_lines.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "data/corpus/row_source.hpp"
#include "data/corpus/sentence.hpp"

namespace gausscse {

namespace {

/// Returns the parts before and after the first `separator`.
std::pair<std::string_view, std::string_view> cut_at(std::string_view text, char separator, const char* form) {
  const std::size_t place = text.find(separator);
  if (place == std::string_view::npos)
    throw InputError(concat(quoted(text), " has no ", quoted(std::string(1, separator)), " in it: a line is ", form,
                            ", mend or remove it"));
  return {text.substr(0, place), text.substr(place + 1)};
}

}  // namespace

std::uint32_t class_of(std::string_view word, const std::vector<std::string>& classes) {
  const auto found = std::find(classes.begin(), classes.end(), word);
  if (found != classes.end()) return static_cast<std::uint32_t>(found - classes.begin());
  std::string known;
  for (const std::string& each : classes) known += (known.empty() ? "" : ", ") + each;
  throw InputError(concat("the label ", quoted(word), " is not known: it must be one of ", known));
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

}  // namespace gausscse
