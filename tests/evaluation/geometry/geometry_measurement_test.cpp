#include "evaluation/geometry/geometry_task.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// Two layers of two dimensions, and three ids.
TokenGeometry small_geometry() {
  TokenGeometry geometry;
  geometry.layers.resize(2);
  geometry.layers[0].norm = 3;
  geometry.layers[1].norm = 5;
  geometry.layers[1].anisotropy = 0.25;
  geometry.rogue.order = {1, 0};
  geometry.rogue.shares = {0.75, 0.25};
  geometry.rogue.reaching = {1, 1, 1};
  geometry.informativity = {{1, 0.5, 0.1}};
  geometry.self_similarities = {{2, 9, 0.5}, {0, 7, none}, {3, 5, -0.5}};
  geometry.sentence_vectors = {2, {1, 2, 3, 4}};
  return geometry;
}

const std::vector<std::string> vocabulary{"a", "b", "c", "d"};

TEST(MeasurementOfGeometry, HasMetricsByLayerAndOfTheLast) {
  const Measurement measurement = measurement_of("tokens", small_geometry(), vocabulary);
  EXPECT_EQ(measurement.task, "tokens");
  EXPECT_EQ(measurement.kind, "geometry");
  EXPECT_EQ(metric_of(measurement, "norm"), 5);
  EXPECT_EQ(metric_of(measurement, "norm.0"), 3);
  EXPECT_EQ(metric_of(measurement, "norm.1"), 5);
  EXPECT_EQ(metric_of(measurement, "rogue.share_of_top.1"), 0.75);
  EXPECT_EQ(metric_of(measurement, "rogue.share_of_top.2"), 1);
  EXPECT_EQ(find_metric(measurement.metrics, "rogue.share_of_top.3"), nullptr) << "there are two dimensions";
  EXPECT_EQ(metric_of(measurement, "rogue.reaching.0.5"), 1);
  EXPECT_EQ(find_metric(measurement.metrics, "rogue.reaching.0.5")->unit, Unit::count);
  EXPECT_EQ(metric_of(measurement, "informativity.1"), 0.5);
}

TEST(MeasurementOfGeometry, KeepsTokensDimensionsAndVectors) {
  const Measurement measurement = measurement_of("tokens", small_geometry(), vocabulary);
  std::vector<std::string> names;
  for (const Column& column : measurement.columns) names.push_back(column.name);
  EXPECT_EQ(names, (std::vector<std::string>{"token", "occurrences", "self_similarity", "rogue_dimension",
                                             "rogue_share", "sentence_vector"}));
  EXPECT_EQ(*find_column<std::vector<std::string>>(measurement, "token"), (std::vector<std::string>{"c", "a", "d"}));
  EXPECT_EQ(*find_column<std::vector<std::int64_t>>(measurement, "occurrences"), (std::vector<std::int64_t>{9, 7, 5}));
  const auto& similarities = *find_column<std::vector<double>>(measurement, "self_similarity");
  EXPECT_EQ(similarities[0], 0.5);
  EXPECT_TRUE(std::isnan(similarities[1]));
  EXPECT_EQ(*find_column<std::vector<std::int64_t>>(measurement, "rogue_dimension"), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(*find_column<std::vector<double>>(measurement, "rogue_share"), (std::vector<double>{0.75, 0.25}));
  EXPECT_EQ(*find_column<VectorRows>(measurement, "sentence_vector"), (VectorRows{2, {1, 2, 3, 4}}));

  TokenGeometry without = small_geometry();
  without.self_similarities.clear();
  without.rogue = {};
  without.sentence_vectors = {2, {}};
  EXPECT_TRUE(measurement_of("tokens", without, vocabulary).columns.empty());
}

}  // namespace
}  // namespace gausscse
