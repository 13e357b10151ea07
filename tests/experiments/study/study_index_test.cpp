#include "experiments/study/study_index.hpp"

#include "experiments/study/study_layout.hpp"
#include "results/hdf5_image.hpp"
#include "results/hdf5_values.hpp"
#include "results/result_file.hpp"
#include "tests/experiments/study/sample_study.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Texts = std::vector<std::string>;

std::string bytes_of(const std::filesystem::path& path) {
  return read_whole_file(path, 1 << 24);
}

/// Returns the index of the sample study, written to its place in `results`.
std::filesystem::path write_sample_index(const std::filesystem::path& results) {
  write_sample_study(results);
  write_index(read_study(results), results / study_layout::index);
  return results / study_layout::index;
}

/// HDF5 that says no more than its format.
std::string image_with_format(const std::string& format) {
  H5::H5File image = create_hdf5_image();
  H5::Group root = image.openGroup("/");
  write_text_attribute(root, "format", format);
  return hdf5_image_bytes(image);
}

void expect_values(const std::vector<double>& values, const std::vector<double>& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(expected[i]))
      EXPECT_TRUE(std::isnan(values[i])) << i;
    else
      EXPECT_EQ(values[i], expected[i]) << i;
  }
}

constexpr double none = std::numeric_limits<double>::quiet_NaN();

TEST(StudyIndex, HasARowForEveryTrial) {
  const TemporaryFolder folder;
  const H5::H5File file(write_sample_index(folder.path()).string(), H5F_ACC_RDONLY);
  EXPECT_EQ(read_text_attribute(file.openGroup("/"), "format"), "gausscse-index/1");
  EXPECT_EQ(read_text_attribute(file.openGroup("/"), "study"), "sample");
  const H5::Group trials = file.openGroup("trials");
  EXPECT_EQ(read_texts(trials, "identity"), (Texts{"a0", "a1", "a0", "b1", "c0", "c1", "c2", "c3", ""}));
  EXPECT_EQ(read_texts(trials, "stage"),
            (Texts{"choose", "choose", "final", "final", "final", "final", "final", "final", "last"}));
  EXPECT_EQ(read_texts(trials, "status"),
            (Texts{"done", "failed", "done", "done", "running", "interrupted", "damaged", "planned", "waiting"}));
  EXPECT_EQ(read_values<std::int64_t>(trials, "seed"), (std::vector<std::int64_t>{0, 0, 0, 1, 0, 1, 2, 3, 7}));
  expect_values(read_values<double>(trials, "seconds"), {10.5, none, 10.5, 20, none, none, none, none, none});
  EXPECT_EQ(read_texts(trials, "axis_names"), (Texts{"training.batch_size", "system"}));
  EXPECT_EQ(read_texts(trials.openGroup("axes"), "system"),
            (Texts{"", "", "ent", "ent", "simcse", "simcse", "simcse", "simcse", ""}));
  EXPECT_EQ(read_texts(trials.openGroup("axes"), "training.batch_size"),
            (Texts{"16", "32", "16", "16", "16", "16", "16", "16", ""}));
}

TEST(StudyIndex, MarksTrialsThatKeptTheUntrainedState) {
  const TemporaryFolder folder;
  {
    const H5::H5File file(write_sample_index(folder.path()).string(), H5F_ACC_RDONLY);
    EXPECT_EQ(read_values<std::int64_t>(file.openGroup("trials"), "untrained"), std::vector<std::int64_t>(9, 0));
  }
  RunResult result = result_of({nli_measurement("snli", {1, 0})});
  result.states[0].step = 0;
  write_done_trial(folder.path(), "b1", result, 20);
  write_index(read_study(folder.path()), folder / study_layout::index);
  const H5::H5File file((folder / study_layout::index).string(), H5F_ACC_RDONLY);
  EXPECT_EQ(read_values<std::int64_t>(file.openGroup("trials"), "untrained"),
            (std::vector<std::int64_t>{0, 0, 0, 1, 0, 0, 0, 0, 0}));
}

TEST(StudyIndex, HasAColumnForEveryMetric) {
  const TemporaryFolder folder;
  const H5::H5File file(write_sample_index(folder.path()).string(), H5F_ACC_RDONLY);
  const H5::Group snli = file.openGroup("figures/snli");
  expect_values(read_values<double>(snli, "accuracy"), {0.75, none, 0.75, 0.5, none, none, none, none, none});
  expect_values(read_values<double>(file.openGroup("figures/mnli"), "accuracy"),
                {0.5, none, 0.5, none, none, none, none, none, none});
  const H5::Group sts = file.openGroup("figures/sts12");
  expect_values(read_values<double>(sts, "spearman"), {0.75, none, 0.75, none, none, none, none, none, none});
  expect_values(read_values<double>(sts, "spearman.MSRpar"), {0.5, none, 0.5, 0.5, none, none, none, none, none});
  EXPECT_EQ(file.openGroup("averages").getNumObjs(), 0u) << "there is one task of STS";
  EXPECT_EQ(read_text_attribute(sts, "kind"), "sts");
  EXPECT_EQ(read_attribute<std::int64_t>(sts, "position"), 3);
  EXPECT_EQ(read_text_attribute(snli.openDataSet("pairs"), "unit"), "count");
  EXPECT_EQ(read_text_attribute(snli.openDataSet("accuracy"), "unit"), "fraction");
  EXPECT_EQ(read_attribute<std::int64_t>(snli.openDataSet("accuracy"), "position"), 1);
}

TEST(StudyIndex, HasTheAverageOfATrialsTasksOfSts) {
  const TemporaryFolder folder;
  write_sample_study(folder.path());
  StudyResults study = read_study(folder.path());
  std::vector<Measurement>& tasks = study.trials.at(2).kept.tasks;
  Measurement other = *find_measurement(tasks, "sts12");
  other.task = "sts13";
  other.metrics = {{"spearman", 0.25}, {"pairs", 3, Unit::count}};
  tasks.push_back(other);
  const std::vector<IndexColumns> averages = columns_of_averages(study);
  ASSERT_EQ(averages.size(), 1u);
  EXPECT_EQ(averages[0].name, "sts");
  ASSERT_EQ(averages[0].columns.size(), 1u);
  EXPECT_EQ(averages[0].columns[0].metric, "spearman");
  expect_values(averages[0].columns[0].values, {none, none, 0.5, none, none, none, none, none, none});
}

TEST(StudyIndex, LeadsToEveryResultWhereverTheFolderIs) {
  const TemporaryFolder folder;
  write_sample_index(folder / "before");
  std::filesystem::rename(folder / "before", folder / "after");
  const H5::H5File file((folder / "after/index.h5").string(), H5F_ACC_RDONLY);
  const H5::Group links = file.openGroup("results");
  EXPECT_EQ(links.getNumObjs(), 2u);
  EXPECT_EQ(read_values<float>(links.openGroup("b1/states/best/tasks/snli/columns"), "sim_hypothesis_premise"),
            (std::vector<float>{0.75f, 0.75f, 0.25f, 0.25f}));
  EXPECT_EQ(read_text_attribute(links.openGroup("a0"), "format"), "gausscse-result/3");
}

TEST(StudyIndex, IsTheSameForTheSameStudy) {
  const TemporaryFolder first, second;
  const std::string bytes = bytes_of(write_sample_index(first.path()));
  EXPECT_EQ(bytes_of(write_sample_index(second / "other")), bytes);
  const StudyResults study = read_study(first.path());
  EXPECT_EQ(index_bytes(study, (first / "trials/..")), bytes);
  StudyResults other = study;
  other.trials[7].planned.seed = 4;
  EXPECT_NE(index_bytes(other, first.path()), bytes);

  // No object has a time stamp.
  const H5::H5File file = open_hdf5_image(bytes);
  const auto time_of = [](hid_t, const char*, const H5O_info_t* info, void* sum) {
    *static_cast<long*>(sum) += static_cast<long>(info->ctime + info->mtime + info->atime + info->btime);
    return herr_t{0};
  };
  long sum = 0;
  H5Ovisit2(file.getId(), H5_INDEX_NAME, H5_ITER_INC, time_of, &sum, H5O_INFO_TIME);
  EXPECT_EQ(sum, 0);
}

TEST(StudyIndex, TakesThePlaceOfAnIndexOnly) {
  const TemporaryFolder folder;
  const std::filesystem::path index = write_sample_index(folder.path());
  const std::string bytes = bytes_of(index);
  const StudyResults study = read_study(folder.path());

  write_bytes(index, image_with_format("gausscse-index/0"));
  write_index(study, index);
  EXPECT_EQ(bytes_of(index), bytes) << "one of another version is replaced";

  std::filesystem::create_hard_link(index, folder / "before");
  write_index(study, index);
  EXPECT_TRUE(std::filesystem::equivalent(index, folder / "before")) << "it was the same";

  const std::string result = bytes_of(folder / "trials/b1/result.h5");
  for (const std::string& other : {std::string("my words"), std::string(), result}) {
    write_bytes(index, other);
    EXPECT_TRUE(says(refusal_of([&] { write_index(study, index); }), "is there already and is no index of gausscse"));
    EXPECT_EQ(bytes_of(index), other);
  }
}

TEST(StudyIndex, IsThereOfAStudyWithoutTrials) {
  const TemporaryFolder folder;
  write_index({folder.path(), "empty", {}}, folder / "index.h5");
  const H5::H5File file((folder / "index.h5").string(), H5F_ACC_RDONLY);
  EXPECT_TRUE(read_texts(file.openGroup("trials"), "identity").empty());
}

}  // namespace
}  // namespace gausscse
