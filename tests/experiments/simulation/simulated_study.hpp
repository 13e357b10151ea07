#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/worker/worker.hpp"
#include "tests/experiments/simulation/simulated_host.hpp"

namespace gausscse {

/// Seed of the trial whose program leaves no result.
inline constexpr std::int64_t seed_without_result = 3;

/// Returns the content of a trial's result.
std::string result_text(const std::string& identity);

/// Workers of one study on simulated hosts, with the faults that a seed chooses. After some leases the faults end.
///
///     const std::string failure = SimulatedStudy(seed).run();  // empty: all promises were kept
class SimulatedStudy {
 public:
  explicit SimulatedStudy(std::uint64_t seed, bool is_traced = false);
  ~SimulatedStudy();
  SimulatedStudy(const SimulatedStudy&) = delete;
  SimulatedStudy& operator=(const SimulatedStudy&) = delete;

  /// Runs it to its end. Returns the first promise that was broken; empty: none.
  std::string run();

 private:
  /// A worker, or the training that it started.
  struct Process {
    std::unique_ptr<SimulatedHost> host;
    std::size_t fiber = 0;
    const SimulatedHost* parent = nullptr;  ///< null: a worker
    std::optional<int> exit_code;
    bool is_asked_to_stop = false;
  };
  class Training;
  struct ClaimMade {
    const SimulatedHost* holder = nullptr;
    bool is_worked_on = false;      ///< true once its holder has made the trial's folder
    std::uint64_t taken_alive = 0;  ///< file of the claim of a live holder in whose place it is; 0: none
  };

  void draw_faults();
  void start_worker(double in_seconds);
  void work(Process& worker);
  int train(Process& training);
  void replace_ended_workers();
  void supervise();
  std::unique_ptr<Child> start_training(const SimulatedHost& parent, const ChildCommand& command);
  RunRecord record_of(const SimulatedHost& host, const std::filesystem::path& folder, const StudyPlanEntry& planned,
                      const Attempts& attempts) const;

  void check_new_name(const Node& folder, std::string_view name, const Node& node);
  void check_claim(const std::string& identity, long generation, const Node& claim);
  void check_taken(const std::string& identity, long generation);
  void check_commit(const std::string& identity, const Node& folder);
  void check_end();
  bool is_settled(const StudyPlanEntry& trial) const;

  SimulatedSystem system_;
  std::vector<StudyPlanEntry> trials_;
  double lease_ = 0, faults_end_ = 0;
  bool is_over_ = false;
  std::size_t workers_ = 0, slots_ = 1;
  std::map<std::uint64_t, ClaimMade> claims_;  ///< by the number of the claim's file
  std::map<std::string, int> commits_;         ///< by identity
  std::map<std::string, long> trained_;        ///< by identity: the highest generation whose training was started
  std::vector<std::unique_ptr<Process>> processes_;
};

}  // namespace gausscse
