#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gausscse {

/// Memory that a part of a training took on a rank when memory was refused.
struct MemoryPart {
  std::string what;         ///< "activations of 192 sentences (3264 tokens)"
  std::int64_t bytes = 0;   ///< bytes of its tensors
  bool growing = false;     ///< true if the memory that was refused was for it
  std::string advice = {};  ///< key of the trial that makes it smaller, and how; empty: none does
};

/// Refusal of memory to a training. The exception that was thrown there is nested in it, see std::throw_with_nested.
class MemoryRefused : public std::runtime_error {
 public:
  explicit MemoryRefused(std::vector<MemoryPart> parts_held)
      : std::runtime_error("memory was refused to the training"), parts(std::move(parts_held)) {}

  std::vector<MemoryPart> parts;
};

/// An advice where activations are large.
inline constexpr const char* embed_fewer_at_a_time =
    "let a rank embed fewer examples at a time (training.micro_batch; 0, the default, is its whole local batch)";

}  // namespace gausscse
