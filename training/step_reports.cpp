#include "training/step_reports.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Returns the parameter that holds the largest gradient, not finite ones first.
std::string largest_gradient(ParameterStore& parameters) {
  std::string name;
  double largest = -1;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters.is_trained(i)) continue;
    const ParameterSpec& spec = parameters.specs()[i];
    const double here = parameters.gradient(spec.name).abs().max().item<double>();
    if (!std::isfinite(here)) return concat(spec.name, " (not finite)");
    if (here > largest) {
      largest = here;
      name = spec.name;
    }
  }
  return concat(name, " (", largest, ")");
}

}  // namespace

void StepReports::add(const Step& step, TrainingSeries& series) {
  GAUSSCSE_CHECK(!kept_, "step ", step.number, " comes before the report of another one");
  kept_ = step;
  norm_.emplace(step.squared_norm);
  if (step.squared_norm.is_cpu()) finish(series);
}

void StepReports::finish(TrainingSeries& series) {
  if (!kept_) return;
  const Step step = *kept_;
  kept_.reset();
  const double norm = std::sqrt(norm_->get().const_data_ptr<double>()[0]);
  if (!std::isfinite(step.loss) || !std::isfinite(norm)) {
    // On a GPU the gradients may be those of the next step by now.
    const std::string largest =
        step.squared_norm.is_cpu() ? concat("; the largest gradient is that of ", largest_gradient(parameters_)) : "";
    throw InputError(concat("training stopped at step ", step.number, ": the loss is ", step.loss,
                            ", the gradients' norm is ", norm, largest,
                            ": lower training.learning_rate, or set training.clip_norm"));
  }
  // The next step begins before this one is reported.
  const Clock::time_point now = now_();
  const double seconds = std::chrono::duration<double>(now - std::max(step.begin, told_)).count();
  told_ = now;
  const StepReport report{.step = step.number,
                          .total_steps = total_steps_,
                          .loss = step.loss,
                          .learning_rate = step.learning_rate,
                          .gradient_norm = norm,
                          .seconds = seconds,
                          .examples_per_second = static_cast<double>(step.examples) / seconds,
                          .tokens_per_second = static_cast<double>(step.tokens) / seconds};
  series.step.push_back(report.step);
  series.loss.push_back(report.loss);
  series.learning_rate.push_back(report.learning_rate);
  series.gradient_norm.push_back(report.gradient_norm);
  series.examples_per_second.push_back(report.examples_per_second);
  series.tokens_per_second.push_back(report.tokens_per_second);
  if (step.left_out_pairs) series.left_out_pairs.push_back(*step.left_out_pairs);
  observer_.on_step(report);
}

}  // namespace gausscse
