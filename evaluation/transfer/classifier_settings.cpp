#include "evaluation/transfer/classifier_settings.hpp"

namespace gausscse {

ClassifierSettings classifier_settings(setting::TransferMode mode, std::uint32_t seed) {
  ClassifierSettings settings{.seed = seed};
  if (mode == setting::TransferMode::fast) {
    settings.adam = false;
    settings.folds = 5;
    settings.batch = 128;
    settings.tenacity = 3;
    settings.epoch_size = 2;
  }
  return settings;
}

}  // namespace gausscse
