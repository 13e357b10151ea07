#include "results/result_file.hpp"

#include <ctime>

#include "results/hdf5_image.hpp"
#include "results/hdf5_values.hpp"
#include "results/run_result.hpp"
#include "tests/results/changed_hdf5.hpp"
#include "tests/results/sample_result.hpp"
#include "tests/support/disturbances.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void expect_equal(const Measurement& a, const Measurement& b) {
  EXPECT_EQ(a.task, b.task);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.development, b.development);
  EXPECT_EQ(a.remark, b.remark);
  ASSERT_EQ(a.metrics.size(), b.metrics.size());
  for (std::size_t i = 0; i < a.metrics.size(); ++i) {
    EXPECT_EQ(a.metrics[i].name, b.metrics[i].name);
    EXPECT_EQ(a.metrics[i].unit, b.metrics[i].unit);
    if (std::isnan(b.metrics[i].value))
      EXPECT_TRUE(std::isnan(a.metrics[i].value));
    else
      EXPECT_EQ(a.metrics[i].value, b.metrics[i].value);
  }
  ASSERT_EQ(a.columns.size(), b.columns.size());
  for (std::size_t i = 0; i < a.columns.size(); ++i) {
    EXPECT_EQ(a.columns[i].name, b.columns[i].name);
    EXPECT_EQ(a.columns[i].values, b.columns[i].values);
  }
}

TEST(ResultFile, ReadsBackWhatWasWritten) {
  const TemporaryFolder folder;
  const RunResult written = sample_result();
  write_result(folder / "result.h5", written);
  const RunResult read = read_result(folder / "result.h5");

  EXPECT_EQ(read.configuration, written.configuration);
  EXPECT_EQ(read.provenance, written.provenance);
  EXPECT_EQ(read.training, written.training);
  EXPECT_EQ(read.curves, written.curves);
  ASSERT_EQ(read.states.size(), 2u);
  EXPECT_EQ(read.states[0].state, "best");
  EXPECT_EQ(read.states[0].step, 2);
  EXPECT_EQ(read.states[1].state, "last");
  ASSERT_EQ(read.states[0].tasks.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) expect_equal(read.states[0].tasks[i], written.states[0].tasks[i]);
  EXPECT_EQ(result_file_bytes(read), result_file_bytes(written));
}

TEST(ResultFile, ColumnsOfEveryTypeAreReadBack) {
  const TemporaryFolder folder;
  RunResult written = sample_result();
  written.states.push_back({.state = "untrained", .step = 0, .tasks = {sample_geometry()}});
  written.states[1].tasks.push_back(sample_geometry());
  std::get<VectorRows>(written.states[1].tasks[1].columns[5].values).values.clear();
  write_result(folder / "result.h5", written);
  const RunResult read = read_result(folder / "result.h5");
  ASSERT_EQ(read.states.size(), 3u);
  const StateResult* untrained = find_state(read, "untrained");
  ASSERT_EQ(untrained, &read.states[2]);
  EXPECT_EQ(untrained->step, 0);
  expect_equal(untrained->tasks.at(0), sample_geometry());
  expect_equal(read.states[1].tasks.at(1), written.states[1].tasks[1]);
  EXPECT_EQ(find_state(read, "first"), nullptr);
  const auto* vectors = find_column<VectorRows>(untrained->tasks[0], "sentence_vector");
  ASSERT_TRUE(vectors);
  EXPECT_EQ(vectors->width, 2);
  EXPECT_EQ(find_column<std::vector<float>>(untrained->tasks[0], "self_similarity"), nullptr) << "of another type";
}

TEST(ResultFile, VectorsOfNoWholeRowAreRefused) {
  RunResult result = sample_result();
  result.states[0].tasks[0].columns = {{"sentence_vector", VectorRows{2, {1, 2, 3}}}};
  EXPECT_THROW(result_file_bytes(result), std::logic_error);
}

TEST(ResultFile, RecordsWhatARunContinues) {
  RunResult written = sample_result();
  const std::string without = result_file_bytes(written);
  EXPECT_FALSE(result_of_bytes(without, "a result").provenance.continued.has_value());
  EXPECT_FALSE(open_hdf5_image(without).nameExists("/provenance/continued"));
  written.provenance.continued = sample_continued();
  EXPECT_EQ(result_of_bytes(result_file_bytes(written), "a result").provenance, written.provenance);
  written.provenance.continued->changes.clear();
  EXPECT_EQ(result_of_bytes(result_file_bytes(written), "a result").provenance, written.provenance);
}

TEST(ResultFile, RecordsTheMemoryOfAGpu) {
  RunResult written = sample_result();
  EXPECT_FALSE(open_hdf5_image(result_file_bytes(written)).openGroup("/provenance").attrExists("gpu_memory"));
  written.provenance.gpu_memory_taken = 30;
  written.provenance.gpu_memory = 80;
  const std::string bytes = result_file_bytes(written);
  EXPECT_EQ(result_of_bytes(bytes, "a result").provenance, written.provenance);
  const H5::Group group = open_hdf5_image(bytes).openGroup("/provenance");
  EXPECT_EQ(read_attribute<std::int64_t>(group, "gpu_memory_taken"), 30);
  EXPECT_EQ(read_attribute<std::int64_t>(group, "gpu_memory"), 80);
}

TEST(ResultFile, RecordsThatMemoryWasRefused) {
  RunResult written = sample_result();
  const std::string without = result_file_bytes(written);
  EXPECT_EQ(result_of_bytes(without, "a result").halved_micro_batch, "");
  written.halved_micro_batch = "to 4 examples from step 3 on: why";
  const std::string bytes = result_file_bytes(written);
  EXPECT_EQ(result_of_bytes(bytes, "a result").halved_micro_batch, written.halved_micro_batch);
  EXPECT_EQ(read_text_attribute(open_hdf5_image(bytes).openGroup("/"), "halved_micro_batch"),
            written.halved_micro_batch);
  EXPECT_FALSE(open_hdf5_image(without).openGroup("/").attrExists("halved_micro_batch"));
}

TEST(ResultFile, RecordsThatATrainingEndedEarly) {
  RunResult written = sample_result();
  const std::string without = result_file_bytes(written);
  EXPECT_EQ(result_of_bytes(without, "a result").ended_early, "");
  written.ended_early = "after step 3 of 9: why";
  const std::string bytes = result_file_bytes(written);
  EXPECT_EQ(result_of_bytes(bytes, "a result").ended_early, written.ended_early);
  EXPECT_EQ(read_text_attribute(open_hdf5_image(bytes).openGroup("/"), "ended_early"), written.ended_early);
  EXPECT_FALSE(open_hdf5_image(without).openGroup("/").attrExists("ended_early"));
}

/// Files of the format before have the same layout, without the parts that came with this one.
TEST(ResultFile, OfTheFormatBeforeIsRead) {
  std::string bytes = result_file_bytes(sample_result());
  const std::size_t at = bytes.find(result_format);
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, std::strlen(result_format), result_format_before);
  const RunResult read = result_of_bytes(resealed(bytes), "an older file");
  expect_equal(read.states.at(0).tasks.at(1), sample_result().states[0].tasks[1]);
  bytes.replace(at, std::strlen(result_format), "gausscse-result/1");
  try {
    result_of_bytes(resealed(bytes), "an older file");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "an older file: its format is \"gausscse-result/1\", this program reads \"gausscse-result/3\" and "
              "\"gausscse-result/2\"");
  }
}

TEST(ResultFile, OfTheTimeBeforeDevicesWereToldIsRead) {
  const TemporaryFolder folder;
  write_result(folder / "result.h5", sample_result());
  H5::H5File((folder / "result.h5").string(), H5F_ACC_RDWR).unlink("/provenance/devices");
  write_bytes(folder / "result.h5", resealed(bytes_of(folder / "result.h5")));
  const Provenance read = read_result(folder / "result.h5").provenance;
  EXPECT_TRUE(read.devices.empty());
  EXPECT_EQ(read.hosts, sample_result().provenance.hosts);
}

/// Measurements of two whole sets of STS in the state `best`.
RunResult result_with_average() {
  RunResult result = sample_result();
  Measurement& sts12 = result.states[0].tasks[3];
  sts12.metrics = {{"spearman", 0.75}, {"missing_subsets", 0, Unit::count}};
  Measurement sts13 = sts12;
  sts13.task = "sts13";
  sts13.metrics[0].value = 0.5;
  sts13.remark.clear();
  result.states[0].tasks.push_back(sts13);
  return result;
}

TEST(ResultFile, HasTheAverageOfTwoTasksOfSts) {
  const std::string bytes = result_file_bytes(result_with_average());
  const H5::H5File file = open_hdf5_image(bytes);
  const H5::Group average = file.openGroup("/states/best/average/sts/figures");
  EXPECT_EQ(read_attribute<double>(average, "spearman"), 0.625);
  EXPECT_FALSE(average.attrExists("missing_subsets"));
  EXPECT_FALSE(file.nameExists("/states/best/average/nli"));
  EXPECT_FALSE(file.nameExists("/states/last/average/sts"));
}

TEST(ResultFile, AnAverageSaysWhichTaskIsPartial) {
  RunResult result = result_with_average();
  result.states[0].tasks[3].metrics[1].value = 1;
  const std::string bytes = result_file_bytes(result);
  const H5::H5File file = open_hdf5_image(bytes);
  const H5::Group average = file.openGroup("/states/best/average/sts");
  EXPECT_EQ(read_text_attribute(average, "remark"), "sts12 is partial, without MSRvid");
  EXPECT_TRUE(std::isnan(read_attribute<double>(average.openGroup("figures"), "spearman")));
}

TEST(ResultFile, MetricsAndColumnsLieWhereTheDocumentationSays) {
  const std::string bytes = result_file_bytes(sample_result());
  const H5::H5File file = open_hdf5_image(bytes);
  const H5::Group sts = file.openGroup("/states/best/tasks/sts12");
  EXPECT_EQ(read_text_attribute(sts, "kind"), "sts");
  EXPECT_EQ(read_text_attribute(sts, "remark"), "partial, without MSRvid");
  EXPECT_EQ(read_attribute<std::int64_t>(sts, "development"), 0);
  EXPECT_EQ(read_attribute<std::int64_t>(file.openGroup("/states/best/tasks/dev"), "development"), 1);
  EXPECT_EQ(read_attribute<double>(sts.openGroup("figures"), "spearman.MSRpar"), 0.5);
  EXPECT_EQ(read_texts(sts, "figure_units"), (std::vector<std::string>{"fraction", "fraction", "count"}));
  const H5::Group columns = file.openGroup("/states/best/tasks/snli/columns");
  EXPECT_EQ(read_values<float>(columns, "sim_hypothesis_premise"), (std::vector<float>{0.25f, 0.5f}));
  EXPECT_EQ(read_values<double>(file.openGroup("/curves/tokens"), "norm.1"), (std::vector<double>{1, 2, 3}));
}

TEST(ResultFile, AResultWithoutStepsOrTasksIsOne) {
  const TemporaryFolder folder;
  write_result(folder / "result.h5", RunResult{});
  const RunResult read = read_result(folder / "result.h5");
  EXPECT_TRUE(read.training.step.empty());
  EXPECT_TRUE(read.states.empty());
  EXPECT_EQ(read.provenance.ranks, 1);
}

/// Returns whether four bytes in a row are a little-endian time from `begin` to `end`, as HDF5 stores times.
bool holds_time(std::string_view bytes, std::time_t begin, std::time_t end) {
  for (std::size_t i = 0; i + 4 <= bytes.size(); ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    if (word >= begin && word <= end) return true;
  }
  return false;
}

TEST(ResultFile, EqualResultsAreEqualBytesWithoutTimeStamps) {
  const std::time_t begin = std::time(nullptr);
  const std::string bytes = result_file_bytes(sample_result());
  const std::time_t end = std::time(nullptr);
  EXPECT_EQ(bytes, result_file_bytes(sample_result()));
  EXPECT_FALSE(holds_time(bytes, begin, end));
  RunResult other = sample_result();
  other.training.loss[1] += 1e-12;
  EXPECT_NE(bytes, result_file_bytes(other));
}

TEST(ResultFile, NamesThatWouldClashOrNestAreRefused) {
  for (const char* name : {"", "a/b", ".", "..", "two words"}) {
    RunResult result = sample_result();
    result.states[0].tasks[0].task = name;
    EXPECT_THROW(result_file_bytes(result), InputError) << name;
  }
  RunResult result = sample_result();
  result.states[0].tasks[0].task = "mnli";
  EXPECT_THROW(result_file_bytes(result), InputError);
  result = sample_result();
  result.states[1].state = "best";
  EXPECT_THROW(result_file_bytes(result), std::logic_error);
}

TEST(ResultFile, UnevenSeriesAreRefused) {
  RunResult result = sample_result();
  result.training.loss.pop_back();
  EXPECT_THROW(result_file_bytes(result), std::logic_error);
  result = sample_result();
  result.curves[0].lines[1].values.pop_back();
  EXPECT_THROW(result_file_bytes(result), std::logic_error);
}

TEST(ResultFile, EveryPrefixOfAFileIsRefused) {
  const TemporaryFolder folder;
  const std::string bytes = result_file_bytes(sample_result());
  std::size_t refused = 0;
  for (std::size_t length = 0; length < bytes.size(); length += 499) {
    write_bytes(folder / "cut.h5", std::string_view(bytes).substr(0, length));
    EXPECT_THROW(read_result(folder / "cut.h5"), InputError) << length;
    ++refused;
  }
  count_disturbance("files cut short", refused);
  EXPECT_GT(refused, 20u);
}

TEST(ResultFile, OtherFilesAreRefusedByName) {
  const TemporaryFolder folder;
  write_bytes(folder / "text.h5", "not HDF5 at all");
  H5::H5File other = create_hdf5_image();
  write_bytes(folder / "other.h5", hdf5_image_bytes(other));
  for (const char* name : {"text.h5", "other.h5", "missing.h5"}) {
    try {
      read_result(folder / name);
      FAIL() << name;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
}

TEST(ResultFile, IsKnownByItsFormat) {
  const TemporaryFolder folder;
  const std::string bytes = result_file_bytes(sample_result());
  write_bytes(folder / "result.h5", bytes);
  EXPECT_TRUE(is_result_file(folder / "result.h5", false));
  EXPECT_TRUE(is_result_file(folder / "result.h5", true));
  std::string of_another_version = bytes;
  of_another_version.replace(of_another_version.find(result_format), std::strlen(result_format), "gausscse-result/7");
  write_bytes(folder / "newer.h5", resealed(of_another_version));
  EXPECT_TRUE(is_result_file(folder / "newer.h5", false));
  write_bytes(folder / "cut.h5", std::string_view(bytes).substr(0, bytes.size() / 2));
  H5::H5File other = create_hdf5_image();
  write_bytes(folder / "other.h5", hdf5_image_bytes(other));
  for (const char* name : {"cut.h5", "other.h5"}) {
    EXPECT_FALSE(is_result_file(folder / name, false)) << name;
    EXPECT_TRUE(is_result_file(folder / name, true)) << name;
  }
  write_bytes(folder / "text.h5", "not HDF5 at all");
  write_bytes(folder / "empty.h5", "");
  for (const char* name : {"text.h5", "empty.h5"}) EXPECT_FALSE(is_result_file(folder / name, true)) << name;
  EXPECT_THROW(is_result_file(folder / "missing.h5", true), InputError);
}

TEST(ResultFile, StatesAreFoundByName) {
  const RunResult result = sample_result();
  EXPECT_EQ(find_state(result, "best"), &result.states[0]);
  EXPECT_EQ(find_state(result, "last"), &result.states[1]);
  EXPECT_EQ(&kept_state(result), &result.states[0]);
  EXPECT_THROW(kept_state(RunResult{}), InputError);
}

TEST(ResultFile, TheStateThatIsKeptIsReadAlone) {
  const TemporaryFolder folder;
  RunResult written = sample_result();
  ASSERT_GT(written.states.size(), 1u);
  write_result(folder / "result.h5", written);
  const StateResult kept = read_kept_state(folder / "result.h5");
  EXPECT_EQ(kept.state, "best");
  EXPECT_EQ(kept.step, written.states[0].step);
  ASSERT_EQ(kept.tasks.size(), written.states[0].tasks.size());
  for (std::size_t i = 0; i < kept.tasks.size(); ++i) expect_equal(kept.tasks[i], written.states[0].tasks[i]);
  written.states.clear();
  write_result(folder / "none.h5", written);
  EXPECT_THROW(read_kept_state(folder / "none.h5"), InputError);
  write_bytes(folder / "no.h5", "no result");
  EXPECT_THROW(read_kept_state(folder / "no.h5"), InputError);
}

TEST(ResultFile, PartsOfItAreWhatIsWanted) {
  const TemporaryFolder folder;
  RunResult written = sample_result();
  written.states.insert(written.states.begin() + 1,
                        {.state = "untrained", .step = 0, .tasks = written.states[0].tasks});
  write_result(folder / "result.h5", written);
  ASSERT_GT(written.curves.at(0).lines.size(), 1u);
  const std::string task = "snli", column = written.states[0].tasks.at(1).columns.at(0).name,
                    line = written.curves[0].lines[1].metric;
  const RunResult read = read_result(
      folder / "result.h5", Links::followed,
      {.kept_metrics = false,
       .line = [&](const std::string& metric,
                   Unit unit) { return metric == line && unit == written.curves[0].lines[1].unit; },
       .state = [&](std::string_view state) { return state == written.states.back().state; },
       .column = [&](const Measurement& of, std::string_view name) { return of.task == task && name == column; }});
  EXPECT_EQ(read.configuration, written.configuration);
  EXPECT_EQ(read.training.loss, written.training.loss);
  ASSERT_EQ(read.curves.at(0).lines.size(), 1u);
  EXPECT_EQ(read.curves[0].lines[0].values, written.curves[0].lines[1].values);
  ASSERT_EQ(read.states.size(), 2u) << "the first one is always read";
  EXPECT_EQ(read.states[0].state, written.states[0].state);
  EXPECT_EQ(read.states[1].state, written.states.back().state);
  for (const bool is_kept : {true, false}) {
    const StateResult &state = read.states[is_kept ? 0 : 1],
                      &whole = is_kept ? written.states[0] : written.states.back();
    ASSERT_EQ(state.tasks.size(), whole.tasks.size());
    for (std::size_t i = 0; i < state.tasks.size(); ++i) {
      EXPECT_EQ(state.tasks[i].metrics.size(), is_kept ? 0 : whole.tasks[i].metrics.size());
      EXPECT_EQ(state.tasks[i].columns.size(), state.tasks[i].task == task ? 1u : 0u) << state.state << i;
    }
  }
  EXPECT_EQ(read.states[0].tasks[1].columns.at(0).values, written.states[0].tasks[1].columns[0].values);
}

TEST(ResultFile, AFailedWriteLeavesTheOldFile) {
  const TemporaryFolder folder;
  write_bytes(folder / "result.h5", "old");
  RunResult result = sample_result();
  result.states[0].tasks[0].task = "a/b";
  EXPECT_THROW(write_result(folder / "result.h5", result), InputError);
  EXPECT_EQ(bytes_of(folder / "result.h5"), "old");
  EXPECT_THROW(write_result(folder / "missing" / "result.h5", sample_result()), SystemError);
}

}  // namespace
}  // namespace gausscse
