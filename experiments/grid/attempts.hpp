#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/grid/process_identity.hpp"

namespace gausscse {

/// What is noted of a trial's attempts in its folder ("gausscse-attempts/1", JSON), for who goes on with it.
struct Attempts {
  long generation = 0;  ///< of the claim of the last attempt
  std::string worker;   ///< that made it
  std::int64_t started = 0;
  double seconds = 0;  ///< of those that ended, and of the last one as far as it was noted
  std::vector<std::string> hosts;
  ProcessIdentity process;  ///< of the last attempt's launcher, which leads a process group; number 0: none
  bool operator==(const Attempts&) const = default;
};

inline constexpr const char* attempts_file = "attempts.json";

/// Throws WriteError.
void write_attempts(const std::filesystem::path& folder, const Attempts& attempts);
/// No attempts where the file is missing or damaged: it is not worth a trial.
Attempts read_attempts(const std::filesystem::path& folder);
/// The generation under which a done trial was committed; 0 where it is unknown or there is none.
long committed_generation(const std::filesystem::path& folder);

}  // namespace gausscse
