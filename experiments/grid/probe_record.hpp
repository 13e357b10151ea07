#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gausscse {

/// What short runs of a trial measured: all that its costs are made of.
struct ProbeRecord {
  /// One measurement, while training, of all tasks that have this period.
  struct Period {
    std::int64_t eval_every = 0;
    double seconds = 0;
    bool operator==(const Period&) const = default;
  };
  /// A step of this many examples.
  struct Step {
    std::int64_t batch_size = 0;
    double seconds = 0;
    std::uint64_t memory_bytes = 0;  ///< of all ranks together
    bool operator==(const Step&) const = default;
  };

  std::int64_t ranks = 1, threads = 1;
  std::int64_t examples = 0;       ///< of an epoch
  double start_seconds = 0;        ///< from start to end, but for steps and measurements
  double measurement_seconds = 0;  ///< of all tasks once
  std::vector<Period> periods;
  std::vector<Step> steps;  ///< of different batch sizes
  std::uint64_t disk_bytes = 0;
  bool operator==(const ProbeRecord&) const = default;
};

/// "gausscse-probe/1", JSON. Written atomically. Throws WriteError.
void write_probe_record(const std::filesystem::path& file, const ProbeRecord& record);
/// Throws InputError, naming the file, where it is missing or none, or has a number that no probe measures.
ProbeRecord read_probe_record(const std::filesystem::path& file);

}  // namespace gausscse
