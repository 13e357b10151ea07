#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "experiments/grid/study_estimate.hpp"
#include "experiments/manifest/plan.hpp"

namespace gausscse {

/// How many terms an anchor's denominator has in a full batch beside the numerator's, for each of the trial's losses;
/// none where its objective has no denominator. With B = training.batch_size, over all ranks:
/// - GaussCSE's loss (eq. 3 of the paper; see GaussianContrastive): V_E, V_C and V_R are sums of B terms, of which only
///   V_E's j = i is the numerator: B - 1 for ent, 2B - 1 for ent+con and for ent+rev, 3B - 1 for ent+con+rev. That
///   V_R's j = i is the anchor's own pair, reversed, does not make it a numerator.
/// - Contrast by cosines (see CosineContrastive): B - 1, with hard negatives 2B - 1; with both directions also B - 1
///   for entailments as anchors, which have no hard negatives.
/// - Supervised contrastive (see SupervisedContrastive): B - 1, or fewer where positives and negatives are limited; an
///   anchor may have fewer, as only the data tell what its positives are.
/// - with_simcse, and sums: those of all losses.
std::vector<std::int64_t> negatives_of_anchor(const Trial& trial);

/// What a study would do, for people: its trials by stage with what each is expected to take, and sums for the given
/// number of trials side by side. Done trials are counted, and listed only if `all`. A function of its arguments alone;
/// `statuses` are those of the plan's trials, in its order.
std::string dry_run_text(const std::vector<StudyPlanEntry>& plan, std::span<const TrialStatus> statuses,
                         const TrialCosts& costs, const Resources& resources, std::size_t slots, bool all);

}  // namespace gausscse
