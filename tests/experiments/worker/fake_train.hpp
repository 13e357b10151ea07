#pragma once

#include <cstdint>

#include "config/trial/trial.hpp"

/// Behaviour of the program fake_train, by the seed of its trial.
namespace gausscse {

inline constexpr std::int64_t seed_of_bad_trial = 901;      ///< exit code 2, with an error
inline constexpr std::int64_t seed_of_crash = 902;          ///< a signal ends it
inline constexpr std::int64_t seed_of_no_result = 903;      ///< exit code 0, and nothing is there
inline constexpr std::int64_t seed_that_fails_once = 904;   ///< as 901, but for a trial that is resumed
inline constexpr std::int64_t seed_that_waits = 905;        ///< until it is asked to stop
inline constexpr std::int64_t seed_that_waits_once = 906;   ///< as 905, but for a trial that is resumed
inline constexpr std::int64_t seed_deaf_to_requests = 907;  ///< waits, and does not stop

inline constexpr std::int64_t seed_of_full_disk = 910;       ///< reports that it cannot write
inline constexpr std::int64_t seed_of_full_disk_once = 911;  ///< as 910, but for a trial that is resumed
inline constexpr std::int64_t seed_that_is_killed = 912;     ///< SIGKILL, as the kernel sends it for memory

inline constexpr std::int64_t seed_that_hangs_at_its_end = 920;  ///< leaves its result, and does not end
inline constexpr std::int64_t seed_with_a_users_file = 909;      ///< in the model's folder there is mine.txt
inline constexpr std::int64_t seed_that_stays_untrained = 917;   ///< keeps the state before its first step

/// Environment: a file to which it appends "begins SEED PROCESS", "read SEED PROCESS" and "waits SEED PROCESS", and how
/// long a trial takes after it has read its files.
inline constexpr const char* fake_train_ledger = "FAKE_TRAIN_LEDGER";
inline constexpr const char* fake_train_milliseconds = "FAKE_TRAIN_MILLISECONDS";
/// A named pipe: once it has read its files, it waits until somebody opens this for writing.
inline constexpr const char* fake_train_gate = "FAKE_TRAIN_GATE";

/// Steps by its progress file of a trial whose number is not given.
inline constexpr std::int64_t fake_steps = 100;

/// Returns the metric dev.auprc of its result.
inline double fake_auprc(const Trial& trial) {
  return 0.5 + 0.001 * static_cast<double>(trial.training.seed % 7) + (trial.training.batch_size == 32 ? 0.25 : 0.0);
}

}  // namespace gausscse
