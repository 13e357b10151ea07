#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "dist/group_work.hpp"
#include "evaluation/task/task.hpp"

namespace gausscse {

/// A task whose metrics were written down before: `auprc`, one after another, and the number of the measurement.
class ScriptedTask : public Task {
 public:
  explicit ScriptedTask(std::string name, std::vector<double> auprc)
      : name_(std::move(name)), auprc_(std::move(auprc)) {}

  const std::string& name() const override { return name_; }
  Measurement measure(SentenceEmbedder&, Communicator& communicator,
                      const std::vector<Measurement>& earlier) const override {
    Measurement measurement;
    const std::size_t number = measured++;
    run_on_root(communicator, [&] {
      if (auprc_.empty()) throw InputError("these figures cannot be computed");
      measurement = {name_,
                     "scripted",
                     false,
                     {{"auprc", auprc_.at(std::min(number, auprc_.size() - 1))},
                      {"number", static_cast<double>(number), Unit::count}},
                     {},
                     ""};
      for (const Measurement& other : earlier) seen.push_back(metric_of(other, "number"));
    });
    return measurement;
  }

  mutable std::size_t measured = 0;
  mutable std::vector<double> seen;  ///< numbers of the measurements that were given to it

 private:
  std::string name_;
  std::vector<double> auprc_;
};

}  // namespace gausscse
