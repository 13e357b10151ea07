#pragma once

#include "experiments/schema/key.hpp"
#include "experiments/trial/task_settings.hpp"

namespace gausscse {

/// The keys of a task of this kind.
const Keys<TaskSettings>& task_keys(setting::TaskKind kind);

}  // namespace gausscse
