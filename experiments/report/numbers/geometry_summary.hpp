#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "evaluation/geometry/self_similarity_change.hpp"
#include "experiments/report/numbers/band.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// A metric by layer, in the untrained state and in the one that was kept.
struct LayerFigure {
  std::string figure;
  Band before, after;
};

/// Rogue dimensions of a state, means over seeds. Missing values are NaN.
struct RogueSummary {
  std::array<double, 3> share_of_top{};  ///< share of the first one, two and three
  std::array<double, 3> reaching{};      ///< dimensions for 10, 20 and 50 %
  Band cumulative;                       ///< share of the first dimensions, by their number
};

/// Sentence vectors of both states along the principal components of all of them together.
struct SentencePlane {
  std::vector<double> before_x, before_y, after_x, after_y;  ///< a point a sentence
  double first_share = 0, second_share = 0;                  ///< share of the variance
};

/// Metrics of a geometry task on the last layer, or on all, over all seeds.
struct GeometrySummary {
  std::string task;
  std::vector<LayerFigure> layers;
  RogueSummary before, after;
  /// Changes of the most frequent tokens that all seeds have, means over seeds, the most frequent first.
  std::vector<TokenChange> changes;
  std::size_t left_out = 0;      ///< tokens of the first seed that a state or another seed lacks
  SentencePlane plane;           ///< plane of the first seed that has vectors of both states
  SentencePlane early_plane;     ///< the same of the untrained state and that after `early_steps`
  std::int64_t early_steps = 0;  ///< 0: no seed kept an early state
};

/// Adds a geometry task up over the seeds of a group.
class GeometrySummaryOfSeeds {
 public:
  /// Number of tokens whose change is shown, as in the paper.
  static constexpr std::size_t frequent = 400;

  explicit GeometrySummaryOfSeeds(std::size_t most_points) : most_points_(most_points) {}

  /// Adds the measurement of the state that was kept, and of the untrained one, null where that is not known. Throws
  /// InputError where columns do not fit.
  void add(const Measurement* before, const Measurement& after);
  /// Adds sentence vectors of the untrained state and of that after `steps`.
  void add_early(const Measurement& before, const Measurement& early, std::int64_t steps);
  GeometrySummary summary() const;

 private:
  struct OfState {
    std::array<double, 3> share_of_top{}, reaching{};  ///< sums
    std::int64_t seeds = 0;
    BandOfSeeds cumulative;
    void add(const Measurement& measurement);
    RogueSummary summary() const;
  };
  struct LayerBands {
    std::string figure;
    BandOfSeeds before, after;
  };

  void add_layers(const Measurement& measurement, BandOfSeeds LayerBands::*state);
  void add_changes(const Measurement& before, const Measurement& after);

  std::size_t most_points_;
  std::vector<LayerBands> layers_;
  OfState before_{{}, {}, 0, BandOfSeeds(all_points)}, after_{{}, {}, 0, BandOfSeeds(all_points)};
  std::vector<TokenChange> changes_;  ///< sums, of the first seed's tokens
  std::vector<std::int64_t> changes_seeds_;
  std::int64_t seeds_with_changes_ = 0;
  std::size_t left_out_ = 0;
  SentencePlane plane_, early_plane_;
  std::int64_t early_steps_ = 0;

  static constexpr std::size_t all_points = std::size_t{1} << 40;
};

/// Returns the summary of a task, or null.
const GeometrySummary* find_geometry(const std::vector<GeometrySummary>& summaries, const std::string& task);

}  // namespace gausscse
