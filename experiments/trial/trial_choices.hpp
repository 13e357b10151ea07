#pragma once

#include <array>
#include <string_view>
#include <utility>

/// The values of the trial file's keys that are one of a few words.
namespace gausscse::setting {

enum class Recipe { released, paper };
enum class Architecture { none, bert_base, bert_large, roberta_base, roberta_large, minilm_l6 };
enum class Init { weights, random };
enum class Loss { ent, ent_con, ent_rev, ent_con_rev };
enum class Similarity { per_dimension, joint };
enum class HeadMean { tanh, linear };
enum class Pooling { first_token };
enum class Objective { gaussian_contrastive };
enum class BadLines { error, skip };
enum class Triples { one, all };
enum class NoGoldLabel { non_entailment, drop };
enum class LastBatch { drop, keep };
enum class Schedule { warmup_decay, linear_increase };
enum class Precision { fp32, bf16 };
enum class Keep { best, last };
enum class TwoWayPairs { keep, drop };
enum class Auprc { trapezoid, sweep };
enum class Reproducibility { fast, rank_invariant };

template <typename Choice, std::size_t count>
using NameTable = std::array<std::pair<Choice, std::string_view>, count>;

/// Every value of a choice with its word in the trial file.
template <typename Choice>
inline constexpr NameTable<Choice, 0> names{};

template <>
inline constexpr NameTable<Recipe, 2> names<Recipe>{{{Recipe::released, "released"}, {Recipe::paper, "paper"}}};
template <>
inline constexpr NameTable<Architecture, 5> names<Architecture>{{{Architecture::bert_base, "bert-base"},
                                                                 {Architecture::bert_large, "bert-large"},
                                                                 {Architecture::roberta_base, "roberta-base"},
                                                                 {Architecture::roberta_large, "roberta-large"},
                                                                 {Architecture::minilm_l6, "minilm-l6"}}};
template <>
inline constexpr NameTable<Init, 2> names<Init>{{{Init::weights, "weights"}, {Init::random, "random"}}};
template <>
inline constexpr NameTable<Loss, 4> names<Loss>{
    {{Loss::ent, "ent"}, {Loss::ent_con, "ent+con"}, {Loss::ent_rev, "ent+rev"}, {Loss::ent_con_rev, "ent+con+rev"}}};
template <>
inline constexpr NameTable<Similarity, 2> names<Similarity>{
    {{Similarity::per_dimension, "per_dimension"}, {Similarity::joint, "joint"}}};
template <>
inline constexpr NameTable<HeadMean, 2> names<HeadMean>{{{HeadMean::tanh, "tanh"}, {HeadMean::linear, "linear"}}};
template <>
inline constexpr NameTable<Pooling, 1> names<Pooling>{{{Pooling::first_token, "first_token"}}};
template <>
inline constexpr NameTable<Objective, 1> names<Objective>{{{Objective::gaussian_contrastive, "gaussian_contrastive"}}};
template <>
inline constexpr NameTable<BadLines, 2> names<BadLines>{{{BadLines::error, "error"}, {BadLines::skip, "skip"}}};
template <>
inline constexpr NameTable<Triples, 2> names<Triples>{{{Triples::one, "one"}, {Triples::all, "all"}}};
template <>
inline constexpr NameTable<NoGoldLabel, 2> names<NoGoldLabel>{
    {{NoGoldLabel::non_entailment, "non_entailment"}, {NoGoldLabel::drop, "drop"}}};
template <>
inline constexpr NameTable<LastBatch, 2> names<LastBatch>{{{LastBatch::drop, "drop"}, {LastBatch::keep, "keep"}}};
template <>
inline constexpr NameTable<Schedule, 2> names<Schedule>{
    {{Schedule::warmup_decay, "warmup_decay"}, {Schedule::linear_increase, "linear_increase"}}};
template <>
inline constexpr NameTable<Precision, 2> names<Precision>{{{Precision::fp32, "fp32"}, {Precision::bf16, "bf16"}}};
template <>
inline constexpr NameTable<Keep, 2> names<Keep>{{{Keep::best, "best"}, {Keep::last, "last"}}};
template <>
inline constexpr NameTable<TwoWayPairs, 2> names<TwoWayPairs>{
    {{TwoWayPairs::keep, "keep"}, {TwoWayPairs::drop, "drop"}}};
template <>
inline constexpr NameTable<Reproducibility, 2> names<Reproducibility>{
    {{Reproducibility::fast, "fast"}, {Reproducibility::rank_invariant, "rank_invariant"}}};
template <>
inline constexpr NameTable<Auprc, 2> names<Auprc>{{{Auprc::trapezoid, "trapezoid"}, {Auprc::sweep, "sweep"}}};

/// The word of a value, as in the trial file; empty for a value that is only the absence of one.
template <typename Choice>
constexpr std::string_view name_of(Choice choice) {
  for (const auto& [value, name] : names<Choice>) {
    if (value == choice) return name;
  }
  return {};
}

}  // namespace gausscse::setting
