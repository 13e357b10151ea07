#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace gausscse {

/// A stratum of pairs by the lengths of premise and hypothesis, in Unicode code points. Metrics of its pairs alone have
/// its name behind a dot: `direction_sim.equal_length`.
struct LengthStratum {
  static constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
  static constexpr double any_ratio = std::numeric_limits<double>::infinity();

  const char* name;
  std::int64_t least, most;              ///< limits of premise minus hypothesis; both lie in the stratum
  double largest_log_ratio = any_ratio;  ///< |ln(premise / hypothesis)| is below

  bool holds(std::int64_t premise, std::int64_t hypothesis) const {
    const std::int64_t difference = premise - hypothesis;
    if (difference < least || difference > most) return false;
    return largest_log_ratio == any_ratio ||
           std::abs(std::log(static_cast<double>(premise) / static_cast<double>(hypothesis))) < largest_log_ratio;
  }

  /// Returns the share of directions in one of `length_bins` that the longer sentence gives: half of equal lengths.
  double by_length() const { return least > 0 ? 1 : most < 0 ? 0 : 0.5; }
};

inline constexpr LengthStratum stratum_of_equal_length{"equal_length", 0, 0};
/// Lengths differ by less than about a fifth; overlaps the other strata.
inline constexpr LengthStratum stratum_of_similar_length{"similar_length", -LengthStratum::no_limit,
                                                         LengthStratum::no_limit, 0.2};

/// Coarse strata.
inline constexpr std::array<LengthStratum, 4> length_strata{{{"premise_longer", 1, LengthStratum::no_limit},
                                                             stratum_of_equal_length,
                                                             {"premise_shorter", -LengthStratum::no_limit, -1},
                                                             stratum_of_similar_length}};

/// Parts of the strata `premise_shorter` and `premise_longer`, with rising premises.
inline constexpr std::array<LengthStratum, 8> finer_length_strata{
    {{"premise_shorter_by_21_or_more", -LengthStratum::no_limit, -21},
     {"premise_shorter_by_11_to_20", -20, -11},
     {"premise_shorter_by_1_to_10", -10, -1},
     {"premise_longer_by_1_to_10", 1, 10},
     {"premise_longer_by_11_to_20", 11, 20},
     {"premise_longer_by_21_to_40", 21, 40},
     {"premise_longer_by_41_to_80", 41, 80},
     {"premise_longer_by_81_or_more", 81, LengthStratum::no_limit}}};

/// Bins of premise minus hypothesis, rising: each pair falls into one. They are narrow where the premise is shorter or
/// a little longer, as length misleads there or says little.
inline constexpr std::array<LengthStratum, 9> length_bins{
    {finer_length_strata[0], finer_length_strata[1], finer_length_strata[2], stratum_of_equal_length,
     finer_length_strata[3], finer_length_strata[4], finer_length_strata[5], finer_length_strata[6],
     finer_length_strata[7]}};

/// Returns the stratum of this name; null where there is none.
inline const LengthStratum* find_length_stratum(std::string_view name) {
  for (const std::span<const LengthStratum> strata :
       {std::span<const LengthStratum>(length_strata), std::span<const LengthStratum>(finer_length_strata)})
    for (const LengthStratum& stratum : strata)
      if (name == stratum.name) return &stratum;
  return nullptr;
}

}  // namespace gausscse
