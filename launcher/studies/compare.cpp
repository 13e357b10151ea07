#include <string>

#include "base/error.hpp"
#include "experiments/compare/comparison_text.hpp"
#include "launcher/json_option.hpp"
#include "launcher/overwrite_option.hpp"
#include "launcher/standard_output.hpp"
#include "launcher/studies/study_commands.hpp"
#include "results/json_report.hpp"

namespace gausscse {

namespace {

struct CompareArguments {
  std::string a, b, json;
  ExistingFile existing = ExistingFile::refuse;
};

/// Names on standard error the trials that are left out because a file was changed, and results in which damage is not
/// noticed. Returns 1 where something is left out, else 0.
int warn_of_damaged(const Comparison& comparison) {
  for (const ComparedGroup* group : {&comparison.a, &comparison.b}) {
    for (const std::string& problem : group->damaged) print_warning(problem);
    if (!group->warning.empty()) print_warning(group->warning);
  }
  return comparison.a.damaged.empty() && comparison.b.damaged.empty() ? 0 : 1;
}

int run_compare(const CompareArguments& arguments, const CommonOptions& common) {
  if (!is_first_process()) return 0;
  check_report_file(arguments.json, {}, arguments.existing);
  const Comparison comparison = compare_groups(read_compared_group(arguments.a), read_compared_group(arguments.b),
                                               static_cast<int>(threads_of(common)));
  print_with_report(comparison_text(comparison), comparison_json(comparison), arguments.json);
  return warn_of_damaged(comparison);
}

}  // namespace

void add_compare_command(CLI::App& app, Action& action) {
  const auto [command, arguments] = add_command<CompareArguments>(
      app, action, "compare", "compare two results, or two groups of a study's trials, and their backbones",
      run_compare);
  const char* what = "result file, folder of a trial, or trials of a study as RESULTS:axis=label,axis=label";
  command->add_option("A", arguments->a, what)->required();
  command->add_option("B", arguments->b, what)->required();
  add_json_option(*command, arguments->json, "the comparison");
  add_overwrite_option(*command, arguments->existing, "the file of --json");
}

}  // namespace gausscse
