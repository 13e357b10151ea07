#include "config/trial/trial.hpp"

namespace gausscse {

setting::Device device_of(const Trial& trial) {
  const bool on_cpus_alone = trial.reproducibility == setting::Reproducibility::rank_invariant;
  return on_cpus_alone && trial.device == setting::Device::automatic ? setting::Device::cpu : trial.device;
}

}  // namespace gausscse
