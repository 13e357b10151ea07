#pragma once

#include <cstdint>
#include <vector>

#include "model/objective/objective_settings.hpp"

namespace gausscse {

/// Returns how many terms an anchor's denominator has in a full batch besides the numerator's, for each loss of the
/// objective; nothing where it has no denominator. With B examples a batch, over all ranks:
///
///  - GaussCSE's loss (eq. 3 of the paper; see GaussianContrastive): V_E, V_C and V_R are sums of B terms, of which
///    only V_E's j = i is the numerator: B - 1 for ent, 2B - 1 for ent+con and for ent+rev, 3B - 1 for ent+con+rev.
///    V_R's j = i is the anchor's own pair, reversed, and no numerator.
///  - Contrast by cosines (see CosineContrastive): B - 1, with hard negatives 2B - 1; with both directions also B - 1
///    for entailments as anchors, which have no hard negatives.
///  - Supervised contrastive (see SupervisedContrastive): B - 1, or fewer where positives and negatives are limited; an
///    anchor may have fewer, as its positives depend on the data.
///  - with_simcse, and sums: those of all losses.
std::vector<std::int64_t> negatives_of_anchor(const ObjectiveSettings& objective, std::int64_t batch_size);

}  // namespace gausscse
