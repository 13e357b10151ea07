#include "data/corpus/nli_label.hpp"

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

using NamedLabel = std::pair<std::string_view, NliLabel>;

constexpr std::array<NamedLabel, 4> nli_labels{{{"entailment", NliLabel::entailment},
                                                {"neutral", NliLabel::neutral},
                                                {"contradiction", NliLabel::contradiction},
                                                {"-", NliLabel::none}}};
constexpr std::array<NamedLabel, 3> sick_labels{
    {{"ENTAILMENT", NliLabel::entailment}, {"NEUTRAL", NliLabel::neutral}, {"CONTRADICTION", NliLabel::contradiction}}};

NliLabel parse_label(std::string_view text, std::span<const NamedLabel> labels) {
  std::vector<std::string> names;
  for (const auto& [name, label] : labels) {
    if (text == name) return label;
    names.emplace_back(name);
  }
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  // An edit distance over a long text would cost its square.
  const std::string hint = text.size() <= 40 ? nearest_name(text, names) : std::string();
  throw InputError(concat("the label ", quoted(text), " is unknown", hint, "; labels here are: ", known));
}

}  // namespace

NliLabel parse_nli_label(std::string_view text) {
  return parse_label(text, nli_labels);
}

NliLabel parse_sick_label(std::string_view text) {
  return parse_label(text, sick_labels);
}

std::string_view nli_label_name(NliLabel label) {
  for (const auto& [name, named] : nli_labels) {
    if (named == label) return name;
  }
  GAUSSCSE_CHECK(false, "not a label: ", static_cast<int>(label));
}

}  // namespace gausscse
