#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "experiments/dry_run/expected_work.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

constexpr std::size_t shown_identity_digits = 8;

/// Returns "90 MiB", "1.5 GiB"; a dash for nothing.
std::string size_text(double bytes) {
  const double mebibytes = bytes / (1 << 20);
  if (bytes <= 0) return "-";
  if (mebibytes < 1) return "<1 MiB";
  if (mebibytes < 1023.5) return fixed_text(mebibytes, 0) + " MiB";
  return fixed_text(mebibytes / 1024, 1) + " GiB";
}

std::string trials_text(std::size_t count) {
  return counted(static_cast<std::int64_t>(count), "trial");
}

/// Returns counts and sums of a stage or of the study.
std::string work_text(std::span<const ExpectedTrial> trials, std::size_t slots) {
  const ExpectedWork work = expected_work(trials, slots);
  std::string text = concat(trials_text(work.trials), ", ", work.done, " done");
  if (work.failed > 0) text += concat(", ", work.failed, " failed");
  text += concat(", ", work.to_run, " to run\ntogether: ");
  if (work.to_run == 0) return text + "nothing to run\n";
  if (work.unknown == work.to_run) return text + "time and disk are unknown\n";
  text += concat(readable_duration(work.seconds), ", ", trials_text(slots), " at a time; disk ",
                 size_text(work.disk_bytes));
  text += work.peak_is_known ? concat(", with checkpoints of running trials ", size_text(work.peak_bytes), " at most")
                             : std::string(", and checkpoints of running trials");
  if (work.unknown > 0) text += concat("; without ", trials_text(work.unknown), " of unknown cost");
  return text + "\n";
}

std::vector<std::string> dry_run_row(const ExpectedTrial& one) {
  const std::string& identity = one.planned.identity;
  const std::string about = one.is_guess ? "~" : "";
  std::string negatives;
  for (const std::int64_t count : one.negatives) negatives += concat(negatives.empty() ? "" : "+", count);
  if (negatives.empty()) negatives = one.is_guess ? "-" : "none";
  return {title_of(one.planned),
          std::string(name_of(one.status)),
          identity.empty() ? "-" : identity.substr(0, shown_identity_digits),
          std::move(negatives),
          one.cost ? about + readable_duration(one.cost->seconds) : "?",
          one.cost ? about + size_text(one.cost->disk_bytes) : "?"};
}

std::string stage_text(std::span<const ExpectedTrial> trials, std::size_t slots, bool all) {
  std::vector<std::vector<std::string>> rows{{"trial", "status", "identity", "negatives", "time", "disk"}};
  std::set<std::string> waits;
  for (const ExpectedTrial& one : trials) {
    if (all || one.status != TrialStatus::done) rows.push_back(dry_run_row(one));
    if (one.planned.identity.empty()) waits.insert(one.planned.waits_for);
  }
  std::string text = concat("stage ", trials.front().planned.stage, ": ", work_text(trials, slots));
  if (rows.size() > 1) text += text_table(rows);
  for (const std::string& wait : waits)
    if (!wait.empty()) text += concat("waits for ", wait, "\n");
  return text + "\n";
}

}  // namespace

std::string dry_run_text(const DryRun& run, bool all) {
  std::string text;
  for (const std::span<const ExpectedTrial> stage : run.stages()) text += stage_text(stage, run.slots, all);
  return concat(text, "study: ", work_text(run.trials, run.slots));
}

}  // namespace gausscse
