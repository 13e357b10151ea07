#pragma once

#include <string>

#include "model/folder/model_folder.hpp"

namespace gausscse {

/// Returns a description of a saved model: the state of its training, its settings and its encoder's shape.
std::string saved_model_text(const SavedModel& model);

/// Returns the description as JSON: `kind` ("model"), the settings by the names of its metadata, and `encoder`; like
/// there, `mean` and `threshold` are left out where there is none.
std::string saved_model_json(const SavedModel& model);

}  // namespace gausscse
