#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/philox.hpp"
#include "model/kernels/kernels.hpp"

namespace gausscse {

/// Random texts of a batch, for masks: an anchor leaves out its own, its positive's and up to two of a list.
class TextsOfCase {
 public:
  /// Draws from `count` texts; 0: there is no mask.
  TextsOfCase(std::int64_t batch, std::int64_t anchor_begin, std::int64_t anchor_end, std::int64_t count,
              const kernels::ContrastiveTerms& terms)
      : count_(count), terms_(terms) {
    if (count == 0) return;
    PhiloxStream draws(8, 0);
    const auto below = [&](std::int64_t end) {
      return static_cast<std::int64_t>(draws.below(static_cast<std::uint32_t>(end)));
    };
    for (std::vector<std::int64_t>& of_role : texts_)
      for (std::int64_t i = 0; i < batch; ++i) of_role.push_back(below(count));
    for (std::int64_t text = 0; text < count; text += 2) known_.push_back(text);
    const auto known = static_cast<std::int64_t>(known_.size());
    for (const std::size_t role : {0, 1})
      for (std::int64_t i = anchor_begin; i < anchor_end; ++i) {
        const std::int64_t first = below(known), end = std::min(known, first + i % 3);
        const auto place = static_cast<std::size_t>(i);
        anchors_[role].push_back({texts_[role][place], texts_[1 - role][place], first, end});
      }
  }

  /// Returns the mask of a block of candidates from `first` on. Roles that the terms do not read have none.
  kernels::CandidateMask mask(std::int64_t first) const {
    if (count_ == 0) return {};
    return {
        {texts_[0].data() + first, texts_[1].data() + first, terms_.contradiction ? texts_[2].data() + first : nullptr},
        {anchors_[0].data(), terms_.reversed ? anchors_[1].data() : nullptr},
        known_.data()};
  }

 private:
  std::int64_t count_;
  kernels::ContrastiveTerms terms_;
  std::vector<std::int64_t> texts_[3], known_;
  std::vector<kernels::AnchorTexts> anchors_[2];
};

}  // namespace gausscse
