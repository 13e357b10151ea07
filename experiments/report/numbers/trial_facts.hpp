#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "results/run_result.hpp"

namespace gausscse {

/// Names and values, such as the keys of a configuration, in an order.
using Facts = std::vector<std::pair<std::string, std::string>>;

/// Returns the keys of a trial's YAML with dots, and their values as written, without `output`: the place of a trial's
/// files is no property of it. A text that is no YAML is one fact.
Facts settings_of(const std::string& configuration);

/// Returns the origin of a result: program, machine and time.
Facts provenance_of(const Provenance& provenance);

/// A name that not all trials have the same value of.
struct DifferingFact {
  struct Value {
    std::string text;                 ///< empty with `absent`
    bool absent = false;              ///< the trials do not have the name
    std::vector<std::size_t> trials;  ///< trials that have this value
  };
  std::string name;
  std::vector<Value> values;  ///< in the order of their first trials
};

/// Facts that trials have in common, and those in which they differ.
struct ComparedFacts {
  Facts common;
  std::vector<DifferingFact> differing;
};

/// Compares facts; `facts[i]` are those of trial i. Trials that have none at all are left out.
ComparedFacts compare_facts(const std::vector<Facts>& facts);

/// Returns the facts of a trial that it does not share with all others.
Facts own_facts(const ComparedFacts& compared, std::size_t trial);

}  // namespace gausscse
