#pragma once

#include <cstddef>

#include "base/choice.hpp"

/// Settings of how a corpus is read: the values that a trial names.
namespace gausscse {

/// Treatment of a line that cannot be read.
enum class BadLines {
  error,  ///< InputError with the file, the line and the fault
  skip,   ///< the line is left out, counted and listed in the ReadReport
};

/// Triples that a premise of an NLI corpus gives.
enum class TriplesPerPremise {
  one,  ///< one entailed and one contradicted hypothesis, chosen by seed
  all,  ///< every combination of these
  /// For each entailed hypothesis a triple with a contradicted one and a triple with a neutral one, if the premise has
  /// them, chosen by seed. If it has neither, the third sentence is a hypothesis of the files, drawn by seed.
  every_entailment,
};

/// Kind of a training example.
enum class ExampleKind {
  triples,           ///< premise, entailed hypothesis, contradicted hypothesis
  entailment_pairs,  ///< premise, entailed hypothesis: every pair with that label, repeated ones too
  labelled_pairs,    ///< premise, hypothesis and gold label: every pair that has one, repeated ones too
};

/// Sentences of an example.
constexpr std::size_t roles_of(ExampleKind kind) {
  return kind == ExampleKind::triples ? 3 : 2;
}

/// Order in which an epoch takes its examples.
enum class ExampleOrder {
  shuffled,  ///< another order every epoch, by seed
  file,      ///< order of the files (see TrainingCorpus), in every epoch
};

/// Examples that a batch may have together.
enum class ExampleBatches {
  any,            ///< examples that follow each other in the order
  no_duplicates,  ///< examples without a text in common, see BatchPlan
};

template <>
inline constexpr NameTable<BadLines, 2> names<BadLines>{{{BadLines::error, "error"}, {BadLines::skip, "skip"}}};
template <>
inline constexpr NameTable<TriplesPerPremise, 3> names<TriplesPerPremise>{
    {{TriplesPerPremise::one, "one"},
     {TriplesPerPremise::all, "all"},
     {TriplesPerPremise::every_entailment, "every_entailment"}}};
template <>
inline constexpr NameTable<ExampleKind, 3> names<ExampleKind>{{{ExampleKind::triples, "triples"},
                                                               {ExampleKind::entailment_pairs, "entailment_pairs"},
                                                               {ExampleKind::labelled_pairs, "labelled_pairs"}}};
template <>
inline constexpr NameTable<ExampleOrder, 2> names<ExampleOrder>{
    {{ExampleOrder::shuffled, "shuffled"}, {ExampleOrder::file, "file"}}};
template <>
inline constexpr NameTable<ExampleBatches, 2> names<ExampleBatches>{
    {{ExampleBatches::any, "any"}, {ExampleBatches::no_duplicates, "no_duplicates"}}};

}  // namespace gausscse
