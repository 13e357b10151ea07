#include "results/mteb_folder.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/testing.hpp"

namespace gausscse::mteb {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const ModelDescription model{.name = "our-lab/tiny.v1",
                             .revision = "abc123",
                             .parameters = 3 << 20,
                             .embedding_parameters = 1000,
                             .width = 7,
                             .max_tokens = 32};
const std::vector<TaskScores> results{{"STS13", "files-1", {{"pearson", 1.0 / 3}, {"main_score", 0.12345678}}, 1.5},
                                      {"SICK-R", "files-2", {{"main_score", std::nan("")}}, 0.25}};
const std::vector<std::string> tasks{"STS13", "SICK-R"};

class MtebFolderTest : public testing::Test {
 protected:
  ResultFolder open(const ModelDescription& described = model, ExistingFile existing = ExistingFile::replace) const {
    return {folder_.path(), described, tasks, "0.1.0", existing};
  }
  std::string text(const char* name) const { return read_whole_file(path_ / name, 1 << 20); }

  TemporaryFolder folder_;
  fs::path path_ = folder_ / "our-lab__tiny.v1/abc123";
};

TEST_F(MtebFolderTest, HoldsAResultForEachTask) {
  const ResultFolder folder = open();
  EXPECT_EQ(folder.path(), path_);
  folder.write(results, 1'700'000'000);
  const json sts = json::parse(text("STS13.json"));
  EXPECT_EQ(sts, (json{{"dataset_revision", "files-1"},
                       {"task_name", "STS13"},
                       {"mteb_version", followed_version},
                       {"scores",
                        {{"test", json::array({{{"pearson", 0.333333},
                                                {"main_score", 0.123457},
                                                {"hf_subset", "default"},
                                                {"languages", json::array({"eng-Latn"})},
                                                {"mteb_version", followed_version}}})}}},
                       {"evaluation_time", 1.5},
                       {"kg_co2_emissions", nullptr},
                       {"date", 1.7e9},
                       {"evaluation_phases", nullptr},
                       {"gausscse_version", "0.1.0"}}));
  EXPECT_EQ(text("STS13.json").substr(0, 24), "{\n  \"dataset_revision\": ");
  EXPECT_TRUE(json::parse(text("SICK-R.json")).at("scores").at("test").at(0).at("main_score").is_null());
  const json meta = json::parse(text("model_meta.json"));
  EXPECT_EQ(meta.at("name"), "our-lab/tiny.v1");
  EXPECT_EQ(meta.at("revision"), "abc123");
  EXPECT_EQ(meta.at("n_parameters"), 3 << 20);
  EXPECT_EQ(meta.at("n_embedding_parameters"), 1000);
  EXPECT_EQ(meta.at("memory_usage_mb"), 12);
  EXPECT_EQ(meta.at("embed_dim"), 7);
  EXPECT_EQ(meta.at("max_tokens"), 32);
  EXPECT_EQ(meta.at("similarity_fn_name"), "cosine");
  EXPECT_TRUE(meta.at("license").is_null());
  EXPECT_EQ(text("run_settings.jsonl"),
            "{\"task\":\"STS13\",\"splits\":[\"test\"],\"version\":{\"gausscse\":\"0.1.0\"},\"encode_kwargs\":{},"
            "\"subsets\":[\"default\"]}\n"
            "{\"task\":\"SICK-R\",\"splits\":[\"test\"],\"version\":{\"gausscse\":\"0.1.0\"},\"encode_kwargs\":{},"
            "\"subsets\":[\"default\"]}\n");
}

TEST_F(MtebFolderTest, OfAGaussianModelWithoutALimitOfTokens) {
  ModelDescription gaussian = model;
  gaussian.max_tokens = {};
  gaussian.cosine = false;
  open(gaussian).write(results, 0);
  const json meta = json::parse(text("model_meta.json"));
  EXPECT_EQ(meta.at("similarity_fn_name"), "custom");
  EXPECT_TRUE(meta.at("max_tokens").is_null());
}

TEST_F(MtebFolderTest, ItsOwnResultsAreReplaced) {
  open().write(results, 1);
  open().write(std::span(results).first(1), 2);
  EXPECT_EQ(json::parse(text("STS13.json")).at("date"), 2);
  EXPECT_EQ(json::parse(text("SICK-R.json")).at("date"), 1);
  const std::string settings = text("run_settings.jsonl");
  EXPECT_EQ(std::count(settings.begin(), settings.end(), '\n'), 2);
  EXPECT_LT(settings.find("SICK-R"), settings.find("STS13"));
}

TEST_F(MtebFolderTest, WhatOthersWroteStays) {
  fs::create_directories(path_);
  const std::string meta = R"({"name": "our-lab/tiny.v1", "revision": "abc123", "license": "mit"})";
  const std::string line = R"({"task": "Other", "splits": ["test"], "version": {"mteb": "2.26.24"}})";
  write_bytes(path_ / "model_meta.json", meta);
  write_bytes(path_ / "run_settings.jsonl", line);  // no newline at its end
  write_bytes(path_ / "Other.json", "{}");
  open().write(results, 1);
  EXPECT_EQ(text("model_meta.json"), meta);
  EXPECT_EQ(text("Other.json"), "{}");
  EXPECT_EQ(text("run_settings.jsonl").substr(0, line.size() + 1), line + "\n");
  EXPECT_TRUE(says(text("run_settings.jsonl"), "\"SICK-R\""));
}

TEST_F(MtebFolderTest, FilesInTheWayAreRefused) {
  fs::create_directories(path_);
  write_bytes(path_ / "SICK-R.json", "mine");
  EXPECT_TRUE(says(refusal_of([&] { open(model, ExistingFile::refuse); }), "SICK-R.json is there already"));
  EXPECT_EQ(text("SICK-R.json"), "mine");
  EXPECT_EQ(refusal_of([&] { open(); }), "accepted");
  for (const char* foreign : {R"({"name": "our-lab/other", "revision": "abc123"})",
                              R"({"name": "our-lab/tiny.v1", "revision": "abc124"})", "{}", "no JSON"}) {
    write_bytes(path_ / "model_meta.json", foreign);
    EXPECT_TRUE(says(refusal_of([&] { open(); }), "model_meta.json: the file describes another model"));
  }
  fs::remove(path_ / "model_meta.json");
  fs::create_directory(path_ / "run_settings.jsonl");
  EXPECT_TRUE(says(refusal_of([&] { open(); }), "run_settings.jsonl is a folder"));
  fs::remove_all(folder_ / "our-lab__tiny.v1");
  write_bytes(folder_ / "our-lab__tiny.v1", "a file");
  EXPECT_TRUE(says(refusal_of([&] { open(); }), "our-lab__tiny.v1 is a file"));
}

TEST_F(MtebFolderTest, IsLookedAtWithoutBeingMade) {
  const auto refusal = [&](const fs::path& root, const std::optional<std::string>& revision) {
    return refusal_of([&] { check_results(root, model.name, revision, tasks, ExistingFile::refuse); });
  };
  EXPECT_EQ(refusal(folder_ / "a/b", model.revision), "accepted");
  EXPECT_EQ(refusal(folder_ / "a/b", std::nullopt), "accepted");
  EXPECT_TRUE(fs::is_empty(folder_.path()));
  fs::create_directories(path_);
  write_bytes(path_ / "STS13.json", "mine");
  EXPECT_EQ(refusal(folder_.path(), std::nullopt), "accepted") << "nobody knows whether it is in the way";
  const auto found = [&](ExistingFile existing) {
    return refusal_of([&] { check_results(folder_.path(), model.name, model.revision, tasks, existing); });
  };
  EXPECT_TRUE(says(found(ExistingFile::refuse), "STS13.json is there already: give another path, or --overwrite"));
  EXPECT_EQ(found(ExistingFile::replace), "accepted");
  EXPECT_TRUE(says(refusal(path_ / "STS13.json", std::nullopt), "STS13.json is a file: give another path"));
  EXPECT_TRUE(says(refusal("/proc/results", std::nullopt), "cannot be written"));
}

TEST_F(MtebFolderTest, NamesThatNameNoFilesAreRefused) {
  const auto refused = [&](const std::string& name, const std::string& revision, const std::string& task) {
    ModelDescription other = model;
    other.name = name;
    other.revision = revision;
    return refusal_of([&] { ResultFolder(folder_.path(), other, std::vector{task}, "1", ExistingFile::replace); });
  };
  EXPECT_EQ(refused("a/b", "c", "STS22.v2"), "accepted");
  for (const char* name : {"tiny", "a/b/c", "/b", "a/", "../x", "a b/c", ""})
    EXPECT_TRUE(says(refused(name, "c", "d"), "give ORGANIZATION/MODEL")) << name;
  for (const char* text : {"", "..", "a/b", ".hidden", "a b"}) {
    EXPECT_TRUE(says(refused("a/b", text, "d"), "the model's revision for MTEB is")) << text;
    EXPECT_TRUE(says(refused("a/b", "c", text), "MTEB's name of a task is")) << text;
  }
}

}  // namespace
}  // namespace gausscse::mteb
