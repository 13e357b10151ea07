#pragma once

#include <cstdint>

#include "model/similarities/gaussian.hpp"

namespace gausscse::kernels {

/// Texts that are no negatives of one anchor, as numbers of texts, which are 0 or more.
struct AnchorTexts {
  std::int64_t own;                     ///< its own
  std::int64_t positive;                ///< its positive candidate's
  std::int64_t first_known, end_known;  ///< range of CandidateMask::known that the data names
};

/// Texts by which a softmax leaves candidates out. The candidate of an anchor's own number always stays. There are no
/// pairs in memory: a pair is decided by its texts.
///
///     candidates[role]   text of each candidate row of the role
///     anchors[role]      AnchorTexts of each anchor row of the role
///     known              texts, rising within the range of an anchor
struct CandidateMask {
  const std::int64_t* candidates[3] = {};
  const AnchorTexts* anchors[3] = {};  ///< anchors[0] null: all candidates count
  const std::int64_t* known = nullptr;

  GAUSSCSE_DEVICE bool leaves_out_any() const { return anchors[0] != nullptr; }
};

/// Returns whether a candidate's text is one of those that are no negatives of an anchor.
GAUSSCSE_DEVICE inline bool is_no_negative(std::int64_t text, const AnchorTexts& of_anchor, const std::int64_t* known) {
  if (text == of_anchor.own || text == of_anchor.positive) return true;
  std::int64_t first = of_anchor.first_known, end = of_anchor.end_known;
  while (first < end) {
    const std::int64_t middle = first + (end - first) / 2;
    if (known[middle] < text)
      first = middle + 1;
    else
      end = middle;
  }
  return first < of_anchor.end_known && known[first] == text;
}

}  // namespace gausscse::kernels
