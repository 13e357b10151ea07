#pragma once

#include "config/schema/key.hpp"
#include "config/trial/task_settings.hpp"

namespace gausscse {

/// Returns the keys of a task of this kind.
const Keys<TaskSettings>& task_keys(setting::TaskKind kind);

}  // namespace gausscse
