#include "launcher/layout_option.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/choice.hpp"
#include "base/error.hpp"
#include "base/lists.hpp"

namespace gausscse {

namespace {

/// A name of the option, and the member that takes its value.
struct Member {
  std::function<void(const std::string&)> set;
  bool may_be_empty = false;
};

using Members = std::map<std::string, Member>;

template <typename Text>
Member member_of(Text& text) {
  return {[&text](const std::string& value) { text = value; }, std::is_same_v<Text, std::optional<std::string>>};
}

void add_members(CLI::App& command, const std::string& name, const std::string& what, const Members& members) {
  std::vector<std::string> names;
  for (const auto& [name_of_member, member] : members) names.push_back(name_of_member);
  const auto set = [=](const std::vector<std::string>& parts) {
    for (const std::string& part : parts) {
      const std::size_t equals = part.find('=');
      const auto member = members.find(part.substr(0, equals));
      const bool is_empty = equals + 1 == part.size();
      if (equals == std::string::npos || (is_empty && (member == members.end() || !member->second.may_be_empty)))
        throw CLI::ValidationError(name, concat(quoted(part), " is no NAME=VALUE"));
      if (member == members.end())
        throw CLI::ValidationError(name,
                                   concat(quoted(part), " does not begin with one of ", CLI::detail::join(names, ", "),
                                          nearest_name(part.substr(0, equals), names)));
      member->second.set(part.substr(equals + 1));
    }
  };
  command.add_option_function<std::vector<std::string>>(name, set, what)->delimiter(',')->type_name("NAME=VALUE,...");
}

}  // namespace

void add_layout_options(CLI::App& command, CorpusLayout& layout, NamedColumns columns) {
  const bool with_triples = columns == NamedColumns::nli_and_triples;
  Members members{{"premise", member_of(layout.premise)},
                  {"hypothesis", member_of(layout.hypothesis)},
                  {"label", member_of(layout.label)},
                  {"score", member_of(layout.score)}};
  if (with_triples)
    members.insert({{"entailed", member_of(layout.entailed)}, {"contradicted", member_of(layout.contradicted)}});
  add_members(
      command, "--columns",
      concat("columns of NLI files: premise, hypothesis and label; of STS files: premise, hypothesis and score",
             with_triples ? "; of triples: premise, entailed and contradicted" : "", " (default: the known names)"),
      members);
  add_members(
      command, "--labels",
      "values of the label: entailment, neutral and contradiction (default: these words, or 0, 1 and 2); none=VALUE, "
      "or none= for an empty one: pairs without gold label",
      {{"entailment", member_of(layout.entailment)},
       {"neutral", member_of(layout.neutral)},
       {"contradiction", member_of(layout.contradiction)},
       {"none", member_of(layout.none)}});
}

void check_columns(const CorpusLayout& layout, const std::vector<FileColumns>& files) {
  for (const std::string& name :
       {layout.premise, layout.hypothesis, layout.label, layout.entailed, layout.contradicted, layout.score}) {
    const auto has_it = [&](const FileColumns& file) {
      return std::find(file.names.begin(), file.names.end(), name) != file.names.end();
    };
    if (!name.empty() && std::none_of(files.begin(), files.end(), has_it))
      throw InputError(concat("--columns: no file has the column ", quoted(name),
                              nearest_name(name, files.front().names), "; ", files.front().path.string(), " has ",
                              quoted(joined(files.front().names, ", "), 300)));
  }
}

}  // namespace gausscse
