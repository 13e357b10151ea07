#pragma once

#include <array>
#include <cstdint>

namespace gausscse {

/// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): a counter-based generator.
/// The same key and counter give the same four words anywhere, so that no result depends on who draws first.
using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

constexpr PhiloxCounter philox(PhiloxCounter counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(product0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// A stream of draws: words of consecutive counters under one key and one 64-bit stream number.
class PhiloxStream {
 public:
  constexpr PhiloxStream(std::uint64_t seed, std::uint64_t stream)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        counter_{0, 0, static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)} {}

  /// Returns the next 32 random bits.
  constexpr std::uint32_t next() {
    if (used_ == 4) {
      words_ = philox(counter_, key_);
      if (++counter_[0] == 0) ++counter_[1];
      used_ = 0;
    }
    return words_[used_++];
  }

  /// Returns a number uniform in 0 .. bound-1 without modulo bias (Lemire 2019); `bound` >= 1.
  constexpr std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = std::uint64_t{next()} * bound;
    auto low = static_cast<std::uint32_t>(product);
    const std::uint32_t threshold = (0u - bound) % bound;
    while (low < threshold) {
      product = std::uint64_t{next()} * bound;
      low = static_cast<std::uint32_t>(product);
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  /// Returns a number uniform in [0, 1), a multiple of 2^-32.
  constexpr double uniform() { return next() * 0x1p-32; }

 private:
  PhiloxKey key_;
  PhiloxCounter counter_;
  PhiloxCounter words_{};
  std::size_t used_ = 4;
};

}  // namespace gausscse
