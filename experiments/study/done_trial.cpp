#include "experiments/study/done_trial.hpp"

#include <system_error>

#include "base/content_hash.hpp"
#include "base/content_hash_cache.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "experiments/results/json_report_reader.hpp"
#include "experiments/study/study_layout.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_report = std::size_t{16} << 20;

/// A record without a hash is of an earlier version, or of no worker.
void check_hash(const fs::path& file, const std::string& hash, const std::string& recorded) {
  if (recorded.empty() || hash == recorded) return;
  throw InputError(concat(file.string(), ": damaged: it is not what was written (its XXH3-128 is ", hash, ", ",
                          study_layout::run_record, " says ", recorded, "): ", remedy_of_damage));
}

void check_size(const fs::path& file, std::uint64_t recorded) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) throw InputError(concat(file.string(), ": ", error.message()));
  if (size != recorded)
    throw InputError(concat(file.string(), ": damaged: it has ", size, " bytes where ", recorded,
                            " were written: ", remedy_of_damage));
}

}  // namespace

DoneTrial read_done_trial(const fs::path& folder) {
  DoneTrial done;
  done.run = read_run_record(folder / study_layout::run_record);
  if (!done.run.identity.empty() && folder.filename() != done.run.identity)
    throw InputError(
        concat(folder.string(), ": damaged: it holds the trial ", quoted(done.run.identity),
               ", and has the name of another: give it that name, or `gausscse run` trains the other again"));
  const fs::path result = folder / study_layout::result, report = folder / study_layout::report;
  check_size(result, done.run.result_bytes);
  if (!done.run.result_hash.empty())
    check_hash(result, cached_content_hash(result, hash_cache_folder()), done.run.result_hash);
  const std::string text = read_whole_file(report, largest_report);
  check_hash(report, content_hash_of(text), done.run.report_hash);
  done.kept = parse_json_report(text, report.string());
  return done;
}

bool kept_untrained_state(const RunRecord& run, const StateResult& kept) {
  return !kept.state.empty() && kept.step == 0 && run.steps > 0;
}

void check_result_file(const fs::path& result, const RunRecord& record) {
  if (!record.result_hash.empty()) check_hash(result, content_hash(result), record.result_hash);
}

void check_result_beside_record(const fs::path& result) {
  const fs::path folder = result.parent_path();
  std::error_code ignored;
  if (fs::exists(folder / study_layout::run_record, ignored) &&
      fs::exists(folder / study_layout::trial_file, ignored) && result.filename() == study_layout::result)
    check_result_file(result, read_run_record(folder / study_layout::run_record));
}

}  // namespace gausscse
