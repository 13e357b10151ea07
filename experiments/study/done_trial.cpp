#include "experiments/study/done_trial.hpp"

#include <system_error>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "experiments/study/study_layout.hpp"
#include "results/json_report.hpp"
#include "results/result_file.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_report = std::size_t{16} << 20;

/// Checks a hash. A record without a hash is of an earlier version, or of no worker.
void check_hash(const fs::path& file, const std::string& hash, const std::string& recorded) {
  if (recorded.empty() || hash == recorded) return;
  throw InputError(concat(file.string(), ": damaged: it has changed since it was written (its XXH3-128 is ", hash, ", ",
                          study_layout::run_record, " says ", recorded, "): ", remedy_of_damage));
}

void check_size(const World& world, const fs::path& file, std::uint64_t recorded) {
  const std::size_t size = open_regular_file(world, file, Links::refused).size;
  if (size != recorded)
    throw InputError(concat(file.string(), ": damaged: it has ", size, " bytes where ", recorded,
                            " were written: ", remedy_of_damage));
}

/// Enters a file whose hash is not the recorded one.
void doubt_unless_written(const World& world, const fs::path& file, const std::string& recorded,
                          std::vector<std::string>& doubts) {
  if (recorded.empty()) return;
  try {
    const std::string hash = content_hash(world, file, Links::refused);
    if (hash != recorded)
      doubts.push_back(concat(file.string(), ": it has changed since it was written (its XXH3-128 is ", hash, ", ",
                              study_layout::run_record, " says ", recorded,
                              "): the trial counts, because its result is whole; result.h5 has its settings"));
  } catch (const InputError& error) {
    doubts.emplace_back(error.what());
  }
}

}  // namespace

std::string unchecked_text(const fs::path& first, std::size_t count) {
  const std::string others = count > 1 ? concat(" (and ", count - 1, " more of this name)") : "";
  return concat(first.string(), others,
                ": it has no member \"check\": an earlier version of gausscse wrote it, or it was edited, so its "
                "values cannot be checked; they are used as they are");
}

DoneTrial read_done_trial(const fs::path& folder, const World& world) {
  struct stat status {};
  if (world.status(folder, status) == 0 && S_ISLNK(status.st_mode))
    throw InputError(concat(folder.string(),
                            ": is a symbolic link, which is not followed: put the folder itself there, or ",
                            remedy_of_damage));
  DoneTrial done;
  done.run = read_run_record(folder / study_layout::run_record, world);
  if (!done.run.identity.empty() && folder.filename() != done.run.identity)
    throw InputError(
        concat(folder.string(), ": damaged: it holds the trial ", quoted(done.run.identity),
               ", and has the name of another: give it that name, or `gausscse run` trains the other again"));
  const fs::path result = folder / study_layout::result, report = folder / study_layout::report;
  check_size(world, result, done.run.result_bytes);
  if (!done.run.result_hash.empty())
    check_hash(result, content_hash(world, result, Links::refused), done.run.result_hash);
  else if (has_no_seal(result, Links::refused))
    done.unprotected.push_back(result);
  const std::string text = read_whole_file(world, report, largest_report, Links::refused);
  check_hash(report, content_hash_of(text), done.run.report_hash);
  if (done.run.report_hash.empty()) done.unprotected.push_back(report);
  done.kept = parse_json_report(text, report.string());
  doubt_unless_written(world, folder / study_layout::trial_file, done.run.trial_hash, done.doubts);
  doubt_unless_written(world, folder / study_layout::attempts, done.run.attempts_hash, done.doubts);
  return done;
}

void Doubts::add(const fs::path& folder, const DoneTrial& trial) {
  if (!trial.run.is_checked) unchecked_.insert(folder / study_layout::run_record);
  changed_.insert(trial.doubts.begin(), trial.doubts.end());
}

std::vector<std::string> Doubts::texts() const {
  std::vector<std::string> texts;
  if (!unchecked_.empty()) texts.push_back(unchecked_text(*unchecked_.begin(), unchecked_.size()));
  texts.insert(texts.end(), changed_.begin(), changed_.end());
  return texts;
}

bool kept_untrained_state(const RunRecord& run, const StateResult& kept) {
  return !kept.state.empty() && kept.step == 0 && run.steps > 0;
}

void check_result_file(const fs::path& result, const RunRecord& record) {
  if (!record.result_hash.empty()) check_hash(result, content_hash(result, Links::refused), record.result_hash);
}

std::string check_result_next_to_record(const fs::path& result) {
  const fs::path folder = result.parent_path();
  std::error_code ignored;
  RunRecord record;
  if (fs::exists(folder / study_layout::run_record, ignored) &&
      fs::exists(folder / study_layout::trial_file, ignored) && result.filename() == study_layout::result)
    record = read_run_record(folder / study_layout::run_record);
  check_result_file(result, record);
  return record.result_hash.empty() && has_no_seal(result) ? warning_of_unprotected({result}) : std::string();
}

std::string warning_of_unprotected(const std::vector<fs::path>& files) {
  if (files.empty()) return {};
  const std::size_t more = files.size() - 1;
  return concat(
      files.front().string(), more == 0 ? "" : concat(" and ", counted(more, "more file")),
      ": of an earlier version, which wrote no hash: damage that changes only values cannot be detected: compare ",
      "with a copy, or run the trial again");
}

}  // namespace gausscse
