#include "data/corpus/read_report.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace gausscse {

namespace {

/// A file with more causes has no main one.
constexpr std::size_t most_causes_of_file = 64;

/// Returns the cause in `message`: the part in front of its first comma or the like, without values in quotes and
/// numbers that differ from line to line.
std::string cause_of(std::string_view message) {
  std::string cause;
  bool in_quotes = false;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const char c = message[i];
    if (in_quotes && c == '\\') ++i;
    if (c == '"') in_quotes = !in_quotes;
    if (in_quotes || c == '"' || (c >= '0' && c <= '9')) continue;
    if (std::string_view(",;:(").find(c) != std::string_view::npos) break;
    cause += c;
  }
  while (cause.ends_with(' ')) cause.pop_back();
  return cause;
}

/// Counts a line, of at most `most` causes.
void add_line(std::vector<BadLinesOfCause>& causes, std::size_t most, const std::string& cause,
              const std::string& place, const std::string& why) {
  auto known =
      std::find_if(causes.begin(), causes.end(), [&](const BadLinesOfCause& each) { return each.cause == cause; });
  if (known == causes.end()) {
    if (causes.size() == most) return;
    known = causes.insert(known, {.cause = cause, .examples = {}});
  }
  ++known->lines;
  const std::string message = concat(place, ": ", why), without_line = ": " + why;
  std::vector<std::string>& examples = known->examples;
  const bool is_known = std::any_of(examples.begin(), examples.end(),
                                    [&](const std::string& example) { return example.ends_with(without_line); });
  if (!is_known && examples.size() < BadLinesOfCause::max_examples) examples.push_back(message);
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

void ReadReport::bad_line(BadLines mode, const std::string& place, const std::string& why, const std::string& cause) {
  if (mode == BadLines::error) throw BadLine(concat(place, ": ", why));
  ++bad_lines;
  add_line(causes, max_causes, cause, place, why);
}

std::vector<std::string> ReadReport::bad_line_messages(std::string_view name) const {
  if (bad_lines == 0) return {};
  std::vector<std::string> messages{concat(name, ": ", bad_lines, " of ",
                                           counted(static_cast<std::int64_t>(good_lines + bad_lines), "line"),
                                           bad_lines == 1 ? " is" : " are", " left out")};
  std::size_t others = bad_lines;
  for (const BadLinesOfCause& cause : causes) {
    messages.push_back(concat(cause.lines == 1 ? "" : concat(cause.lines, " lines such as "), cause.examples.front()));
    messages.insert(messages.end(), cause.examples.begin() + 1, cause.examples.end());
    others -= cause.lines;
  }
  if (others > 0) messages.push_back(concat(others, " lines for other causes"));
  return messages;
}

void LineTally::add_bad_line(std::size_t line, const std::string& why) {
  const std::string place = at_line(name_, line), cause = cause_of(why);
  report_.bad_line(mode_, place, why, cause);
  if (++bad_ == 1) first_bad_ = concat(place, ": ", why);
  add_line(causes_, most_causes_of_file, cause, place, why);
}

void LineTally::finish(std::size_t kept, std::string_view item, std::string_view why_none) const {
  if (kept == 0) {
    throw InputError(concat(name_, ": no usable ", item, bad_ + why_none.size() == 0 ? "" : ": ", why_none,
                            bad_ > 0 && !why_none.empty() ? ", and " : "",
                            bad_ == 0 ? "" : concat(bad_, " bad lines were skipped, the first: ", first_bad_),
                            ": check that it is the right file"));
  }
  for (const BadLinesOfCause& cause : causes_) {
    if (2 * cause.lines <= good_ + bad_) continue;
    throw InputError(concat(name_, ": ", cause.lines, " of ", good_ + bad_,
                            " lines are bad for one reason, the first: ", cause.examples.front(),
                            ": check that it is the right file, as only single bad lines are skipped"));
  }
}

}  // namespace gausscse
