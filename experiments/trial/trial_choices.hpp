#pragma once

#include "base/choice.hpp"

/// The values of the trial file's keys that are one of a few words and that only experiments know; model/choices.hpp
/// and data/corpus/choices.hpp have the others.
namespace gausscse::setting {

enum class Recipe { released, paper };
enum class Architecture { none, bert_base, bert_large, roberta_base, roberta_large, minilm_l6 };
enum class Init { weights, random };
enum class NoGoldLabel { non_entailment, drop };
enum class LastBatch { drop, keep };
/// How the learning rate runs over a training.
enum class Schedule {
  warmup_decay,     ///< released program: linearly up over the warm-up, then linearly down to 0
  warmup_constant,  ///< Liao's program: linearly up over the warm-up, then the set value
  linear_increase   ///< papers' text: from 0, linearly up to the set value at the last step
};
enum class Keep { best, last };
enum class TwoWayPairs { keep, drop };
enum class Auprc { trapezoid, sweep };
enum class Threshold { snli_dev, own_dev };
enum class Reproducibility { fast, rank_invariant };

}  // namespace gausscse::setting

namespace gausscse {

template <>
inline constexpr NameTable<setting::Recipe, 2> names<setting::Recipe>{
    {{setting::Recipe::released, "released"}, {setting::Recipe::paper, "paper"}}};
template <>
inline constexpr NameTable<setting::Architecture, 5> names<setting::Architecture>{
    {{setting::Architecture::bert_base, "bert-base"},
     {setting::Architecture::bert_large, "bert-large"},
     {setting::Architecture::roberta_base, "roberta-base"},
     {setting::Architecture::roberta_large, "roberta-large"},
     {setting::Architecture::minilm_l6, "minilm-l6"}}};
template <>
inline constexpr NameTable<setting::Init, 2> names<setting::Init>{
    {{setting::Init::weights, "weights"}, {setting::Init::random, "random"}}};
template <>
inline constexpr NameTable<setting::NoGoldLabel, 2> names<setting::NoGoldLabel>{
    {{setting::NoGoldLabel::non_entailment, "non_entailment"}, {setting::NoGoldLabel::drop, "drop"}}};
template <>
inline constexpr NameTable<setting::LastBatch, 2> names<setting::LastBatch>{
    {{setting::LastBatch::drop, "drop"}, {setting::LastBatch::keep, "keep"}}};
template <>
inline constexpr NameTable<setting::Schedule, 3> names<setting::Schedule>{
    {{setting::Schedule::warmup_decay, "warmup_decay"},
     {setting::Schedule::warmup_constant, "warmup_constant"},
     {setting::Schedule::linear_increase, "linear_increase"}}};
template <>
inline constexpr NameTable<setting::Keep, 2> names<setting::Keep>{
    {{setting::Keep::best, "best"}, {setting::Keep::last, "last"}}};
template <>
inline constexpr NameTable<setting::TwoWayPairs, 2> names<setting::TwoWayPairs>{
    {{setting::TwoWayPairs::keep, "keep"}, {setting::TwoWayPairs::drop, "drop"}}};
template <>
inline constexpr NameTable<setting::Threshold, 2> names<setting::Threshold>{
    {{setting::Threshold::snli_dev, "snli_dev"}, {setting::Threshold::own_dev, "own_dev"}}};
template <>
inline constexpr NameTable<setting::Auprc, 2> names<setting::Auprc>{
    {{setting::Auprc::trapezoid, "trapezoid"}, {setting::Auprc::sweep, "sweep"}}};
template <>
inline constexpr NameTable<setting::Reproducibility, 2> names<setting::Reproducibility>{
    {{setting::Reproducibility::fast, "fast"}, {setting::Reproducibility::rank_invariant, "rank_invariant"}}};

}  // namespace gausscse
