#pragma once

#include <cstdint>

#include "base/philox.hpp"

namespace gausscse {

/// Randomness of one training step: the same for every rank, micro-batch and restart (DESIGN: counter-based).
struct DropoutStep {
  /// Returns the key of all masks of (seed, step).
  static DropoutStep of(std::uint64_t seed, std::uint64_t step) {
    const PhiloxCounter words = philox({static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32), 0, 1},
                                       {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    return {{words[0], words[1]}};
  }
  PhiloxKey key{};
};

/// One place of the network where dropout is applied. An element is kept if its random word, a function of
/// (key, site, sample, row, element) alone, is at least `threshold`; kept values are multiplied by `scale`.
struct DropoutSite {
  /// Returns dropout with probability `probability` (0 switches it off) at site number `site` of `step`.
  static DropoutSite of(const DropoutStep& step, std::uint32_t site, double probability) {
    if (probability <= 0) return {};
    return {step.key, site, static_cast<std::uint32_t>(probability * 0x1p32), 1.0 / (1.0 - probability)};
  }
  constexpr bool active() const { return threshold != 0; }

  PhiloxKey key{};
  std::uint32_t site = 0;
  std::uint32_t threshold = 0;
  double scale = 1.0;
};

}  // namespace gausscse
