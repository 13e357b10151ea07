#include "launcher/layout_option.hpp"

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

using Members = std::map<std::string, std::string*>;

void add_members(CLI::App& command, const std::string& name, const std::string& what, const Members& members) {
  std::vector<std::string> names;
  for (const auto& [member, value] : members) names.push_back(member);
  const auto set = [=](const std::vector<std::string>& parts) {
    for (const std::string& part : parts) {
      const std::size_t equals = part.find('=');
      const auto member = members.find(part.substr(0, equals));
      if (equals == std::string::npos || equals + 1 == part.size())
        throw CLI::ValidationError(name, concat(quoted(part), " is no NAME=VALUE"));
      if (member == members.end())
        throw CLI::ValidationError(name,
                                   concat(quoted(part), " does not begin with one of ", CLI::detail::join(names, ", "),
                                          nearest_name(part.substr(0, equals), names)));
      *member->second = part.substr(equals + 1);
    }
  };
  command.add_option_function<std::vector<std::string>>(name, set, what)->delimiter(',')->type_name("NAME=VALUE,...");
}

}  // namespace

void add_layout_options(CLI::App& command, CorpusLayout& layout, NamedColumns columns) {
  const bool with_triples = columns == NamedColumns::nli_and_triples;
  Members members{{"premise", &layout.premise},
                  {"hypothesis", &layout.hypothesis},
                  {"label", &layout.label},
                  {"score", &layout.score}};
  if (with_triples) members.insert({{"entailed", &layout.entailed}, {"contradicted", &layout.contradicted}});
  add_members(
      command, "--columns",
      concat("columns of NLI files: premise, hypothesis and label; of STS files: premise, hypothesis and score",
             with_triples ? "; of triples: premise, entailed and contradicted" : "", " (default: the known names)"),
      members);
  add_members(
      command, "--labels",
      "values of the label: entailment, neutral and contradiction (default: these words, or 0, 1 and 2)",
      {{"entailment", &layout.entailment}, {"neutral", &layout.neutral}, {"contradiction", &layout.contradiction}});
}

}  // namespace gausscse
