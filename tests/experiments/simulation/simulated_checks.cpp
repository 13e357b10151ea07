#include <nlohmann/json.hpp>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/temporary_name.hpp"
#include "experiments/study/generations.hpp"
#include "experiments/study/study_layout.hpp"
#include "tests/experiments/simulation/simulated_study.hpp"

// Promises of the protocol, checked at each change of the server's files.

namespace gausscse {

namespace {

/// Share of a lease by which clocks may differ.
constexpr double drift = 0.02;

void mark_committed(Node& node) {
  node.is_committed = true;
  for (const auto& [name, entry] : *node.names) mark_committed(*entry);
}

std::string text_of(const Node& folder, const char* name) {
  const NodePtr file = SimulatedDisk::find(folder, name);
  return file ? file->bytes : std::string();
}

}  // namespace

void SimulatedStudy::check_new_name(const Node& folder, std::string_view name, const Node& node) {
  const auto is = [&](const char* place) {
    return &folder == processes_.front()->host->at(std::filesystem::path("/results") / place).get();
  };
  const auto split = split_generation(name);
  if (split && is(study_layout::claims)) check_claim(split->first, split->second, node);
  if (split && is(study_layout::unfinished)) check_taken(split->first, split->second);
  if (is(study_layout::trials)) check_commit(std::string(name), node);
}

/// Notes a new claim, and whether the holder of the one before lives and has shown it within its lease.
void SimulatedStudy::check_claim(const std::string& identity, long generation, const Node& claim) {
  const NodePtr folder = system_.caller->at(std::filesystem::path("/results") / study_layout::claims);
  ClaimMade& made = claims_[claim.number];
  made.holder = system_.caller;
  long highest = 0;
  for (const auto& [name, node] : *folder->names) {
    const auto other = split_generation(name);
    if (!other || other->first != identity || other->second > generation || other->second < highest) continue;
    highest = other->second;
    const ClaimMade& taken = claims_[node->number];
    // A holder that has just come out of a long pause may have been judged before.
    const double changed = node->writer ? node->changed_before : node->changed;
    const double silence = std::max(system_.disk.now - changed, node->silence);
    const bool is_alive = taken.is_worked_on && !taken.holder->is_dead() && taken.holder != system_.caller;
    made.taken_alive = is_alive && silence < (1 - drift) * lease_ ? node->number : 0;
  }
}

/// Checks that nobody lives who has the trial, when its claim's holder makes the folder that it works in.
void SimulatedStudy::check_taken(const std::string& identity, long generation) {
  const NodePtr folder = system_.caller->at(std::filesystem::path("/results") / study_layout::claims);
  const NodePtr claim = SimulatedDisk::find(*folder, study_layout::generation_name(identity, generation));
  if (!claim) return;
  claims_[claim->number].is_worked_on = true;
  const std::uint64_t taken = claims_[claim->number].taken_alive;
  // A host that does not see yet that the trial is done may train it again, in vain.
  if (taken == 0 || commits_.contains(identity)) return;
  for (const auto& [name, node] : *folder->names)
    if (node->number == taken && !claims_[taken].holder->is_dead())
      system_.fail(
          concat("the claim ", name, " of a live holder was taken within its lease, by ", identity, ".", generation));
}

void SimulatedStudy::check_commit(const std::string& identity, const Node& folder) {
  if (++commits_[identity] > 1) return system_.fail(concat("the trial ", identity, " was committed twice"));
  mark_committed(const_cast<Node&>(folder));
  for (const auto& [name, node] :
       *system_.caller->at(std::filesystem::path("/results") / study_layout::unfinished)->names)
    if (const auto split = split_generation(name); split && node.get() == &folder && trained_[identity] > split->second)
      return system_.fail(
          concat("the trial ", identity, " was committed by a holder that it was taken from, as ", name));
  for (const auto& [name, file] : *folder.names) {
    if (is_temporary_name(name))
      return system_.fail(concat("the trial ", identity, " was committed with the unfinished file ", name));
    if (file->writer && name != study_layout::log)
      return system_.fail(concat("the trial ", identity, " was committed before ", name, " was on the disk"));
  }
  const auto run = nlohmann::json::parse(text_of(folder, study_layout::run_record), nullptr, false);
  if (run.is_discarded()) return system_.fail(concat("the trial ", identity, " was committed without its record"));
  for (const auto& [key, name] : {std::pair{"result_hash", study_layout::result},
                                  {"report_hash", study_layout::report},
                                  {"trial_hash", study_layout::trial_file},
                                  {"attempts_hash", study_layout::attempts}})
    if (run.value(key, "") != content_hash_of(text_of(folder, name)))
      return system_.fail(
          concat("the trial ", identity, " was committed with another ", name, " than its record says"));
  if (text_of(folder, study_layout::result) != "result of " + identity || run.value("identity", "") != identity)
    system_.fail(concat("the trial ", identity, " was committed with the result of another"));
}

}  // namespace gausscse
