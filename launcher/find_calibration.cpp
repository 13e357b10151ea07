#include "launcher/find_calibration.hpp"

#include <utility>

#include "base/error.hpp"
#include "model/choices.hpp"

namespace gausscse {

std::optional<Calibration> find_calibration(const std::string& file, const std::string& model, Similarity similarity) {
  std::optional<Calibration> calibration = file.empty() ? Calibration::of_model(model) : Calibration::read(file);
  if (calibration && calibration->numbers().similarity != similarity)
    throw InputError(concat(file.empty() ? concat(calibration_file, " of ", model) : file,
                            ": was fitted to the similarity ", quoted(name_of(calibration->numbers().similarity)),
                            ", but the model's is ", quoted(name_of(similarity)),
                            ": fit one to this model, with `gausscse eval --save-calibration`"));
  return calibration;
}

Calibration calibration_in_use(const std::string& file, const std::string& model, Similarity similarity) {
  std::optional<Calibration> calibration = find_calibration(file, model, similarity);
  if (!calibration)
    throw InputError(concat(model, ": has no ", calibration_file,
                            ", so similarities cannot become probabilities: fit one on labelled pairs, with `gausscse "
                            "eval MODEL --dev PAIRS --save-calibration FILE`, and give --calibration FILE"));
  return std::move(*calibration);
}

}  // namespace gausscse
