#include "experiments/worker/gpu_sharing.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "experiments/processes/trial_launch.hpp"
#include "results/text_table.hpp"

namespace gausscse {

std::string sharing_note(const Resources& resources, bool is_mps_served) {
  const int together = trials_on_a_gpu(resources);
  if (together < 2) return "";
  return concat("up to ", together, " trials share a GPU, each with ", fixed_text(100 * resources.gpus, 0),
                " % of its memory; ",
                is_mps_served ? "MPS serves this node, so that their kernels run at the same time"
                              : "without MPS their kernels take turns: nvidia-cuda-mps-control -d starts it");
}

std::string packing_warning(const Resources& resources, double gpu_memory_share) {
  const int together = trials_on_a_gpu(resources);
  if (together < 2 || together * gpu_memory_share <= 1) return "";
  const int fit = std::max(1, static_cast<int>(1 / gpu_memory_share));
  // Rounded down, so that as many trials as fit take no more than the whole.
  const double fraction = std::floor(1000.0 / fit) / 1000;
  return concat("resources.gpus: ", resources.gpus, " lets ", together, " trials share a GPU, but one took ",
                fixed_text(100 * gpu_memory_share, 0),
                " % of its memory: trials will halve their micro-batches, which ",
                "takes longer; set resources.gpus to ",
                fit == 1 ? std::string("true") : concat(fraction, ", with which ", fit, " trials fit"));
}

}  // namespace gausscse
