#include "data/corpus/held_out_premises.hpp"

#include <xxhash.h>

#include "data/corpus/sentence.hpp"

namespace gausscse {

namespace {

/// Seed of the hash, so that it is none that other choices by premise use.
constexpr XXH64_hash_t seed_of_hash = 0x68656c64206f7574;  // "held out"

}  // namespace

bool is_held_out(std::string_view premise, double dev_fraction) {
  const std::string_view text = trimmed(premise);
  const XXH64_hash_t hash = XXH3_64bits_withSeed(text.data(), text.size(), seed_of_hash);
  // The upper 53 bits are exact as a double.
  return static_cast<double>(hash >> 11) * 0x1p-53 < dev_fraction;
}

PremiseFilter premises_to_train_on(double dev_fraction) {
  if (dev_fraction == 0) return {};
  return [=](std::string_view premise) { return !is_held_out(premise, dev_fraction); };
}

}  // namespace gausscse
