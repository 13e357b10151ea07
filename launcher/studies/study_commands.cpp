#include "launcher/studies/study_commands.hpp"

#include "experiments/study/done_trial.hpp"

namespace gausscse {

void add_study_commands(CLI::App& app, Action& action) {
  add_run_command(app, action);
  add_status_command(app, action);
  add_tables_command(app, action);
  add_report_command(app, action);
  add_compare_command(app, action);
  add_index_command(app, action);
}

ResultCheck result_check_of_studies() {
  return check_result_beside_record;
}

}  // namespace gausscse
