#include "launcher/studies/study_commands.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "base/error.hpp"
#include "experiments/study/done_trial.hpp"
#include "launcher/command.hpp"
#include "launcher/machine/cores.hpp"
#include "launcher/standard_output.hpp"

namespace gausscse {

namespace fs = std::filesystem;

int warn_of_damaged_trials(const StudyResults& study) {
  for (const std::string& doubt : study.doubts) print_warning(doubt);
  std::set<std::string> named;
  std::set<fs::path> unprotected;  // a trial of two stages is listed twice
  for (const StudyTrial& trial : study.trials) {
    unprotected.insert(trial.unprotected.begin(), trial.unprotected.end());
    if (trial.status != TrialStatus::damaged || !named.insert(trial.planned.identity).second) continue;
    print_warning(concat(title_of(trial.planned), " is left out: ", trial.problem));
  }
  if (const std::string warning = warning_of_unprotected({unprotected.begin(), unprotected.end()}); !warning.empty())
    print_warning(warning);
  return named.empty() ? 0 : 1;
}

int warn_of_damaged_files(const StudyResults& study) {
  const int of_trials = warn_of_damaged_trials(study);
  const std::string of_manifest = manifest_problem(study);
  if (of_manifest.empty()) return of_trials;
  print_warning(of_manifest);
  return 1;
}

std::size_t threads_of(const CommonOptions& common) {
  if (common.process.threads > 0) return common.process.threads;
  return std::max<std::size_t>(1, allowed_cores().size());
}

void add_table_flags(CLI::App& command, TableFlags& flags) {
  command.add_option("--interval", flags.interval, "95% intervals in the cells")
      ->capture_default_str()
      ->check(one_of(words_of<setting::CellInterval>()));
  command.add_flag("--uncorrected", flags.uncorrected,
                   "do not correct p-values for the number of tests in a table (Holm)");
  command.add_flag("--no-paper", flags.no_paper, "leave out the papers' numbers");
}

TableOptions table_options(const TableFlags& flags, std::size_t threads) {
  return {.interval = parse_choice<setting::CellInterval>("--interval", flags.interval),
          .holm = !flags.uncorrected,
          .paper = !flags.no_paper,
          .threads = static_cast<int>(threads)};
}

void add_study_commands(CLI::App& app, Action& action) {
  add_run_command(app, action);
  add_status_command(app, action);
  add_tables_command(app, action);
  add_report_command(app, action);
  add_compare_command(app, action);
  add_index_command(app, action);
}

ResultCheck result_check_of_studies() {
  return check_result_next_to_record;
}

}  // namespace gausscse
