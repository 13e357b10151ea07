#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "experiments/processes/child_process.hpp"
#include "tests/experiments/simulation/fibers.hpp"
#include "tests/experiments/simulation/simulated_disk.hpp"

namespace gausscse {

/// Random numbers of a seed (splitmix64).
class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Returns a number from 0 up to 1.
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  bool chance(double of) { return of > 0 && unit() < of; }
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(bits() % count); }

 private:
  std::uint64_t state_;
};

/// Chances of faults at each call, and times in seconds.
struct Faults {
  double error = 0, short_write = 0, lost_answer = 0, pause = 0, death = 0;
  double longest_pause = 0;
  double latency = 0.002;  ///< mean time of a call
};

/// A host: its clock, and how it remembers names of the shared folder.
struct SimulatedMachine {
  std::string name, boot;
  double clock_offset = 0, clock_rate = 1;
  double cache_seconds = 0;  ///< age up to which a name or a list of names may be out of date
  double paused_until = 0;
  std::map<std::uint64_t, std::pair<double, std::shared_ptr<const Entries>>> lists = {};   ///< by folder
  std::map<std::pair<std::uint64_t, std::string>, std::pair<double, NodePtr>> known = {};  ///< names, null: not there
  std::vector<const class SimulatedHost*> processes = {};                                  ///< running processes

  void forget(const Node& folder);
};

/// All that the processes of a simulation share.
struct SimulatedSystem {
  explicit SimulatedSystem(std::uint64_t seed) : random(seed) {}

  SeededRandom random;
  Faults faults;
  SimulatedDisk disk;
  std::vector<std::unique_ptr<SimulatedMachine>> machines;
  /// Starts a program for a process.
  std::function<std::unique_ptr<Child>(const class SimulatedHost&, const ChildCommand&)> start_program;
  /// Called when a process dies before its end.
  std::function<void(const class SimulatedHost&)> on_death = [](const SimulatedHost&) {};
  std::string failure;                          ///< first broken promise; empty: none
  const class SimulatedHost* caller = nullptr;  ///< process whose call is under way
  bool is_traced = false;                       ///< true to print each call
  Fibers fibers;                                ///< last, so that they end before all that they use

  void fail(const std::string& text) {
    if (failure.empty()) failure = text;
  }
};

/// The system as one simulated process sees it. At each call the process may wait, die or get an error.
class SimulatedHost : public Host {
 public:
  SimulatedHost(SimulatedSystem& system, SimulatedMachine& machine, NodePtr working_folder);
  ~SimulatedHost() override;

  int open(const std::filesystem::path& path, int flags) const override;
  ssize_t read(int file, char* bytes, std::size_t count, off_t at) const override;
  ssize_t write(int file, std::string_view bytes, off_t at) const override;
  int sync(int file, bool data_only) const override;
  int close(int file) const override;
  int status(int file, struct stat& status) const override;
  int status(const std::filesystem::path& path, struct stat& status) const override;
  std::vector<std::string> names(const std::filesystem::path& folder, std::error_code& error) const override;
  int make_folder(const std::filesystem::path& path) const override;
  std::error_code make_folders(const std::filesystem::path& path) const override;
  int rename(const std::filesystem::path& from, const std::filesystem::path& to) const override;
  int remove(const std::filesystem::path& path) const override;
  void remove_all(const std::filesystem::path& path) const override;
  bool is_lock_held(const std::filesystem::path& path) const override;
  void sleep(std::chrono::milliseconds time) const override;
  std::unique_ptr<Repetition> repeat(std::chrono::milliseconds period, std::function<void()> function) const override;
  std::unique_lock<std::mutex> lock(std::mutex& mutex) const override;
  std::int64_t process() const override { return number_; }
  std::string host() const override { return machine_.name; }
  std::string boot() const override { return machine_.boot; }
  std::optional<std::uint64_t> start_of_process(std::int64_t number) const override;
  bool process_has_ended(std::int64_t number, std::uint64_t start) const override;
  std::unique_ptr<Child> start(const ChildCommand& command) const override;

  /// Returns the host's steady clock.
  std::chrono::steady_clock::time_point now() const;
  SimulatedSystem& system() const { return system_; }
  SimulatedMachine& machine() const { return machine_; }
  bool is_dead() const { return *is_dead_; }
  /// Ends the process: its calls do nothing any more.
  void die() const;
  /// Ends all processes of its host, which then has another boot.
  void die_with_host() const;
  /// Locks a file for as long as the process lives; false where another one has it.
  bool lock_file(const std::filesystem::path& path) const;
  /// Returns the folder or file at a path, as the server has it.
  NodePtr at(const std::filesystem::path& path) const;

 private:
  struct OpenNode {
    NodePtr node;
    std::size_t place = 0;
    bool is_written = false;
  };
  struct Place {
    NodePtr folder;
    std::string name;
  };

  bool begin_call(const char* call, const std::filesystem::path& path = {}) const;
  void wait(double seconds) const;
  int fail_call(int error) const;
  int random_error(std::initializer_list<int> errors) const;
  NodePtr look_up(const NodePtr& folder, const std::string& name) const;
  Place place_of(const std::filesystem::path& path) const;
  NodePtr find(const std::filesystem::path& path) const;
  OpenNode& file(int number) const;
  const std::string& content(const Node& node) const;
  int flush(Node& node) const;
  int add_file(NodePtr node) const;

  SimulatedSystem& system_;
  SimulatedMachine& machine_;
  NodePtr working_folder_;
  std::int64_t number_;
  std::uint64_t start_;
  std::shared_ptr<bool> is_dead_ = std::make_shared<bool>(false);
  mutable double paused_until_ = 0;
  mutable std::vector<OpenNode> files_;
};

}  // namespace gausscse
