#pragma once

#include <string>

#include "results/measurement.hpp"

namespace gausscse {

/// Returns a metric as people write it: "AUPRC", "accuracy".
std::string metric_word(const std::string& metric);

/// Returns "AUPRC of snli": a metric and its task.
std::string metric_title(const std::string& metric, const std::string& task);

/// Returns the title of "TASK.METRIC"; any other name, such as that of an average, as it is.
std::string metric_title(const std::string& name);

/// Returns a metric with its unit: "accuracy, %".
std::string axis_label(const std::string& metric, Unit unit);

/// Returns the meaning of a metric, as the end of a sentence; empty where its name says it.
std::string metric_meaning(const std::string& metric);

}  // namespace gausscse
