#include "experiments/study/correct_items.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Items = std::vector<std::uint8_t>;

/// Eight pairs; the right ones were found by hand. float32's 0.7 is 0.699999988, under the threshold 0.7.
///   pair                     0     1     2     3     4     5     6     7
///   label                    e     e     e     n     c     -     -     e
///   both ways                            x                 x
///   sim(hypothesis||premise) 0.9   0.7   0.5   0.7   0.75  0.6   0.9   0.75
///   entailment is said       yes   no    no    no    yes   no    yes   yes
///   right                    1     0     0     1     0     1     0     1
///   direction by similarity  1     0=    1     -     -     -     -     0
///   direction by variance    0     1     0=    -     -     -     -     1
Measurement sample(bool drop_none, bool drop_both_ways) {
  Measurement measurement{"snli", "nli", false, {}, {}, ""};
  measurement.metrics = {{"pairs", drop_none ? 6.0 : 8.0, Unit::count},
                         {"accuracy", drop_none ? 3.0 / 6 : 4.0 / 8},
                         {"threshold", 0.7, Unit::number},
                         {"auprc", 0.25},
                         {"directed_pairs", drop_both_ways ? 3.0 : 4.0, Unit::count},
                         {"direction_sim", drop_both_ways ? 1.0 / 3 : 2.0 / 4},
                         {"direction_var", drop_both_ways ? 2.0 / 3 : 2.0 / 4},
                         {"direction_length", 0.5}};
  measurement.columns = {
      {"sim_hypothesis_premise", std::vector<float>{0.9f, 0.7f, 0.5f, 0.7f, 0.75f, 0.6f, 0.9f, 0.75f}},
      {"sim_premise_hypothesis", std::vector<float>{0.8f, 0.7f, 0.4f, 0.9f, 0.1f, 0.1f, 0.1f, 0.8f}},
      {"log_std_premise", std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}},
      {"log_std_hypothesis", std::vector<float>{2, 1, 3, 0, 0, 0, 0, -8}},
      {"label", Items{0, 0, 0, 1, 2, 3, 3, 0}},
      {"entails_both_ways", Items{0, 0, 1, 0, 0, 1, 0, 0}}};
  return measurement;
}

void set_metric(Measurement& measurement, const char* name, double value) {
  for (Metric& metric : measurement.metrics)
    if (metric.name == name) metric.value = value;
}

TEST(CorrectItems, AreThoseThatTheMetricCounts) {
  EXPECT_EQ(correct_items(sample(false, false), "accuracy"), (Items{1, 0, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(correct_items(sample(true, false), "accuracy"), (Items{1, 0, 0, 1, 0, 1}));
  EXPECT_EQ(correct_items(sample(false, false), "direction_sim"), (Items{1, 0, 1, 0}));
  EXPECT_EQ(correct_items(sample(false, true), "direction_sim"), (Items{1, 0, 0}));
  EXPECT_EQ(correct_items(sample(false, false), "direction_var"), (Items{0, 1, 0, 1}));
  EXPECT_EQ(correct_items(sample(true, true), "direction_var"), (Items{0, 1, 1}));
}

TEST(CorrectItems, HaveTheMetricAsTheirMean) {
  for (const bool drop_none : {false, true}) {
    for (const bool drop_both_ways : {false, true}) {
      const Measurement measurement = sample(drop_none, drop_both_ways);
      for (const char* metric : {"accuracy", "direction_sim", "direction_var"}) {
        const Items right = correct_items(measurement, metric);
        EXPECT_EQ(std::accumulate(right.begin(), right.end(), 0.0) / static_cast<double>(right.size()),
                  metric_of(measurement, metric))
            << metric;
      }
    }
  }
}

TEST(CorrectItems, CountASimilarityAtTheThresholdAsEntailment) {
  Measurement measurement = sample(false, false);
  set_metric(measurement, "threshold", 0.75);
  EXPECT_EQ(correct_items(measurement, "accuracy"), (Items{1, 0, 0, 1, 0, 1, 0, 1}));
  set_metric(measurement, "threshold", std::nextafter(0.75, 1.0));
  EXPECT_EQ(correct_items(measurement, "accuracy"), (Items{1, 0, 0, 1, 1, 1, 0, 0}));
  set_metric(measurement, "threshold", static_cast<double>(0.7f));
  EXPECT_EQ(correct_items(measurement, "accuracy"), (Items{1, 1, 0, 0, 0, 1, 0, 1}));
}

TEST(CorrectItems, AreToldOfAccuracyAndDirections) {
  Measurement measurement = sample(false, false);
  for (const char* metric : {"accuracy", "direction_sim", "direction_var"})
    EXPECT_TRUE(records_correct_items(measurement, metric)) << metric;
  for (const char* metric : {"auprc", "threshold", "direction_length", "pairs", "other"}) {
    EXPECT_FALSE(records_correct_items(measurement, metric)) << metric;
    EXPECT_TRUE(says(refusal_of([&] { correct_items(measurement, metric); }), "does not record for which pairs"));
  }
  set_metric(measurement, "direction_sim", std::nan(""));
  EXPECT_FALSE(records_correct_items(measurement, "direction_sim")) << "there are no directed pairs";
  measurement = sample(false, false);
  measurement.columns.erase(measurement.columns.begin() + 1, measurement.columns.begin() + 4);
  EXPECT_TRUE(records_correct_items(measurement, "accuracy"));
  EXPECT_FALSE(records_correct_items(measurement, "direction_sim")) << "a cosine has none";
  EXPECT_FALSE(records_correct_items(measurement, "direction_var"));
  measurement.columns.clear();
  EXPECT_FALSE(records_correct_items(measurement, "accuracy")) << "figures of a report have no columns";
}

/// The entailments are the pairs 0, 1, 2 and 7, whose premises are longer by 11, 0, 0 and -3.
Measurement with_lengths() {
  Measurement measurement = sample(false, false);
  measurement.columns.push_back({"premise_characters", std::vector<std::int64_t>{31, 20, 20, 9, 9, 9, 9, 17}});
  measurement.columns.push_back({"hypothesis_characters", std::vector<std::int64_t>{20, 20, 20, 9, 9, 9, 9, 20}});
  for (const auto& [stratum, pairs] : {std::pair("equal_length", 2),
                                       {"premise_shorter", 1},
                                       {"similar_length", 3},
                                       {"premise_longer_by_11_to_20", 1},
                                       {"premise_longer_by_1_to_10", 0}}) {
    measurement.metrics.push_back({concat("directed_pairs.", stratum), static_cast<double>(pairs), Unit::count});
    for (const char* metric : {"direction_sim.", "direction_var."})
      measurement.metrics.push_back({concat(metric, stratum), pairs > 0 ? 0.5 : std::nan("")});
  }
  return measurement;
}

TEST(CorrectItems, OfAStratumAreItsPairs) {
  const Measurement measurement = with_lengths();
  EXPECT_EQ(correct_items(measurement, "direction_sim.equal_length"), (Items{0, 1}));
  EXPECT_EQ(correct_items(measurement, "direction_var.equal_length"), (Items{1, 0}));
  EXPECT_EQ(correct_items(measurement, "direction_sim.premise_longer_by_11_to_20"), (Items{1}));
  EXPECT_EQ(correct_items(measurement, "direction_var.premise_shorter"), (Items{1}));
  EXPECT_EQ(correct_items(measurement, "direction_sim.similar_length"), (Items{0, 1, 0}));
  EXPECT_FALSE(records_correct_items(measurement, "direction_sim.premise_longer_by_1_to_10")) << "it has no pair";
  EXPECT_FALSE(records_correct_items(measurement, "direction_sim.other"));
  Measurement dropped = measurement;
  set_metric(dropped, "directed_pairs", 3);
  set_metric(dropped, "directed_pairs.equal_length", 1);
  EXPECT_EQ(correct_items(dropped, "direction_sim.equal_length"), (Items{0})) << "pair 2 entails both ways";
  set_metric(dropped, "directed_pairs.equal_length", 2);
  EXPECT_TRUE(says(refusal_of([&] { correct_items(dropped, "direction_sim.equal_length"); }), "damaged"));
  Measurement without = measurement;
  without.columns.pop_back();
  EXPECT_FALSE(records_correct_items(without, "direction_sim.equal_length"));
  EXPECT_TRUE(records_correct_items(without, "direction_sim"));
}

TEST(SameItems, OfAStratumHaveTheSameLengths) {
  const Measurement measurement = with_lengths();
  Measurement other = measurement;
  check_same_items(measurement, other, "direction_sim.equal_length");
  std::get<std::vector<std::int64_t>>(other.columns.back().values)[4] = 8;
  check_same_items(measurement, other, "direction_sim");
  for (const Measurement& second : {other, sample(false, false)})
    EXPECT_TRUE(says(refusal_of([&] { check_same_items(measurement, second, "direction_sim.equal_length"); }),
                     "other lengths of sentences"));
  other = measurement;
  set_metric(other, "directed_pairs.equal_length", 1);
  EXPECT_TRUE(says(refusal_of([&] { check_same_items(measurement, other, "direction_sim.equal_length"); }),
                   "counted 2 pairs in one result and 1 in the other"));
}

/// Three of five, of three labels.
TEST(CorrectItems, OfPredictionsAreEqualToTheLabel) {
  Measurement measurement{"snli", "nli_labels", false, {}, {}, ""};
  measurement.metrics = {{"pairs", 5, Unit::count}, {"accuracy", 0.6}};
  measurement.columns = {{"label", Items{0, 1, 2, 2, 0}}, {"prediction", Items{0, 2, 2, 2, 1}}};
  EXPECT_TRUE(records_correct_items(measurement, "accuracy"));
  EXPECT_FALSE(records_correct_items(measurement, "pairs"));
  EXPECT_EQ(correct_items(measurement, "accuracy"), (Items{1, 0, 1, 1, 0}));
  Measurement other = measurement;
  check_same_items(measurement, other, "accuracy");
  std::get<Items>(other.columns[0].values)[1] = 2;
  EXPECT_FALSE(are_of_same_pairs(measurement, other));
  measurement.columns[1].values = Items{0, 2};
  EXPECT_TRUE(says(refusal_of([&] { correct_items(measurement, "accuracy"); }), "its result is damaged"));
}

TEST(CorrectItems, RefuseWhatDoesNotBelongTogether) {
  Measurement measurement = sample(false, false);
  set_metric(measurement, "pairs", 7);
  EXPECT_TRUE(says(refusal_of([&] { correct_items(measurement, "accuracy"); }),
                   "the metric pairs of the task \"snli\" is 7, its columns have 6 or 8 such pairs"));
  set_metric(measurement, "directed_pairs", 5);
  EXPECT_TRUE(says(refusal_of([&] { correct_items(measurement, "direction_sim"); }),
                   "is 5, its columns have 3 or 4 such pairs"));
  for (std::size_t i = 0; i < 6; ++i) {
    Measurement shorter = sample(false, false);
    std::visit(
        [](auto& values) {
          if constexpr (requires { values.pop_back(); }) values.pop_back();
        },
        shorter.columns[i].values);
    std::string refusals;
    for (const char* metric : {"accuracy", "direction_sim", "direction_var"})
      refusals += refusal_of([&] { correct_items(shorter, metric); });
    EXPECT_TRUE(says(refusals, "its result is damaged")) << shorter.columns[i].name;
  }
}

TEST(SameItems, HaveTheSameLabelsAndNumbers) {
  const Measurement measurement = sample(false, false);
  check_same_items(measurement, sample(false, false), "accuracy");
  check_same_items(measurement, sample(true, false), "direction_sim");
  check_same_items(measurement, sample(false, true), "accuracy");
  const auto refusal = [&](const Measurement& other, const char* metric) {
    return refusal_of([&] { check_same_items(measurement, other, metric); });
  };
  EXPECT_TRUE(says(refusal(sample(true, false), "accuracy"), "counted 8 pairs in one result and 6 in the other"));
  EXPECT_TRUE(says(refusal(sample(false, true), "direction_var"), "counted 4 pairs in one result and 3 in the other"));
  Measurement other = sample(false, false);
  std::get<Items>(other.columns[4].values)[3] = 2;
  EXPECT_TRUE(says(refusal(other, "accuracy"), "has other pairs in one result than in the other"));
  other = sample(true, true);
  EXPECT_TRUE(are_of_same_pairs(measurement, other));
  std::get<Items>(other.columns[5].values)[7] = 1;
  EXPECT_FALSE(are_of_same_pairs(measurement, other));
  EXPECT_TRUE(says(refusal(other, "direction_sim"), "has other pairs in one result than in the other"));
  other = sample(false, false);
  other.columns.pop_back();
  EXPECT_FALSE(are_of_same_pairs(measurement, other));
}

}  // namespace
}  // namespace gausscse
