#include "data/corpus/read_report.hpp"

#include <utility>

namespace gausscse {

namespace {

/// A file with more reasons has no main one.
constexpr std::size_t most_reasons = 64;

/// Returns what `message` says in front of its first comma or the like, without the values in quotes and the numbers of
/// one line.
std::string reason_of(std::string_view message) {
  std::string reason;
  bool in_quotes = false;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const char c = message[i];
    if (in_quotes && c == '\\') ++i;
    if (c == '"') in_quotes = !in_quotes;
    if (in_quotes || c == '"' || (c >= '0' && c <= '9')) continue;
    if (std::string_view(",;:(").find(c) != std::string_view::npos) break;
    reason += c;
  }
  while (reason.ends_with(' ')) reason.pop_back();
  return reason;
}

}  // namespace

std::size_t ReadReport::pairs_with(NliLabel label) const {
  const auto found = labels.find(label);
  return found == labels.end() ? 0 : found->second.pairs;
}

std::string ReadReport::labels_text() const {
  std::string text;
  for (const auto& [label, count] : labels)
    text +=
        concat(text.empty() ? "" : ", ", count.pairs, " ",
               label == NliLabel::none ? "without gold label" : nli_label_name(label), ", the first in ", count.first);
  return text;
}

void ReadReport::bad_line(BadLines mode, std::string message) {
  if (mode == BadLines::error) throw BadLine(message);
  ++bad_lines;
  if (bad_line_messages.size() < max_messages) bad_line_messages.push_back(std::move(message));
}

void LineTally::add_bad_line(std::size_t line, const std::string& why) {
  const std::string message = concat(at_line(name_, line), ": ", why);
  report_.bad_line(mode_, message);
  if (++bad_ == 1) first_bad_ = message;
  std::string reason = reason_of(why);
  if (reasons_.size() == most_reasons && !reasons_.contains(reason)) return;
  BadLinesOfReason& of_reason = reasons_[std::move(reason)];
  if (++of_reason.count == 1) of_reason.first = message;
}

void LineTally::finish(std::size_t kept, std::string_view item, std::string_view why_none) const {
  if (kept == 0) {
    throw InputError(concat(name_, ": no usable ", item, bad_ + why_none.size() == 0 ? "" : ": ", why_none,
                            bad_ > 0 && !why_none.empty() ? ", and " : "",
                            bad_ == 0 ? "" : concat(bad_, " bad lines were skipped, the first: ", first_bad_),
                            ": check that it is the right file"));
  }
  for (const auto& [reason, lines] : reasons_) {
    if (2 * lines.count <= good_ + bad_) continue;
    throw InputError(concat(name_, ": ", lines.count, " of ", good_ + bad_,
                            " lines are bad for one reason, the first: ", lines.first,
                            ": check that it is the right file, as only single bad lines are skipped"));
  }
}

}  // namespace gausscse
