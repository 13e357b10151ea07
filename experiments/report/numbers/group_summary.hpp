#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/trial/trial.hpp"
#include "evaluation/geometry/temperature_bounds.hpp"
#include "experiments/report/numbers/band.hpp"
#include "experiments/report/numbers/geometry_summary.hpp"
#include "experiments/report/numbers/nli_source.hpp"
#include "experiments/report/numbers/nli_summary.hpp"
#include "results/run_result.hpp"

namespace gausscse {

/// A metric of a task over the steps of the training.
struct FigureBand {
  std::string task, figure;
  Unit unit = Unit::fraction;
  Band band;
};

/// A metric of the state that was kept, mean over the seeds that have it.
struct MeanFigure {
  std::string task, kind, figure;
  Unit unit = Unit::fraction;
  double mean = 0;
  std::int64_t seeds = 0;
};

struct NliOfGroup {
  NliSummary summary;
  std::optional<NliSource> source;
};

/// Summary of the results of a group's trials.
struct GroupSummary {
  std::int64_t seeds = 0;  ///< trials whose results are in it
  Band loss;
  std::vector<FigureBand> curves;   ///< without metrics of parts and counts
  std::vector<MeanFigure> figures;  ///< without metrics of parts and counts
  std::vector<NliOfGroup> nli;
  std::vector<GeometrySummary> geometry;
  std::optional<LossBounds> bounds;  ///< bounds of a loss of cosines
};

/// Adds up the results of a group.
class GroupSummaryOfSeeds {
 public:
  /// Begins a summary with `most_points` of a curve; with `whole` false only the metrics of the state that was kept are
  /// looked at.
  GroupSummaryOfSeeds(std::size_t most_points, bool whole)
      : most_points_(most_points), whole_(whole), loss_(most_points) {}

  /// Adds a result; `trial` is its configuration, if it could be read. Returns, in sentences, what cannot be shown.
  std::vector<std::string> add(const RunResult& result, const std::optional<Trial>& trial);
  GroupSummary summary() const;

 private:
  struct Named {
    std::string task, figure;
    Unit unit;
    BandOfSeeds band;
  };
  struct OfNli {
    NliSummaryOfSeeds seeds;
    std::optional<NliSource> source;
  };

  BandOfSeeds& band_of(std::vector<Named>& bands, const std::string& task, const std::string& figure, Unit unit);
  void add_curves(const std::vector<Curve>& curves);
  void add_figures(const Measurement& measurement);
  void add_geometry(const RunResult& result, const Measurement& kept);

  std::size_t most_points_;
  bool whole_;
  std::int64_t seeds_ = 0;
  BandOfSeeds loss_;
  std::vector<Named> curves_;
  std::vector<MeanFigure> figures_;
  std::vector<std::pair<std::string, OfNli>> nli_;
  std::vector<std::pair<std::string, GeometrySummaryOfSeeds>> geometry_;
  std::optional<LossBounds> bounds_;
};

}  // namespace gausscse
