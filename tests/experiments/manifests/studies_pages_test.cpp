#include "base/content_hash.hpp"
#include "experiments/manifest/manifest.hpp"
#include "tests/experiments/manifests/study_files.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

std::string text_of_page(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(source_folder(name)).rdbuf();
  return text.str();
}

/// Returns the text between "```yaml" and "```".
std::string only_yaml_block(const std::string& page) {
  const std::string begin = "```yaml\n";
  const std::size_t first = page.find(begin) + begin.size();
  EXPECT_EQ(page.find(begin, first), std::string::npos) << "there are several blocks";
  return page.substr(first, page.find("```\n", first) - first);
}

TEST(StudiesPage, HasTheReference) {
  EXPECT_NE(text_of_page("docs/manifest_keys.md").find(manifest_reference()), std::string::npos)
      << "docs/manifest_keys.md lacks these tables, put them there:\n"
      << manifest_reference();
}

TEST(StudiesPage, ItsManifestCanBePlanned) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "models/minilm");
  for (const char* file : {"models/minilm/config.json", "models/minilm/model.safetensors", "snli_1.0_train.jsonl",
                           "snli_1.0_dev.jsonl", "snli_1.0_test.jsonl"})
    write_bytes(folder / file, file);
  const Manifest manifest =
      parse_manifest(only_yaml_block(text_of_page("docs/studies.md")), "studies.md", folder.path());
  const EarlierTrials earlier{[](const PlannedTrial&, const std::string&) { return 0.5; },
                              [](const PlannedTrial&) { return false; }};
  std::size_t choose = 0, final = 0;
  const ContentHash hash = [](const std::filesystem::path& file) { return content_hash(file); };
  for (const StudyPlanEntry& entry : plan_study(manifest, earlier, hash)) {
    EXPECT_TRUE(entry.trial);
    ++(entry.planned.stage == "choose" ? choose : final);
  }
  // 2 x 3 less two, and SimCSE; two losses and SimCSE with three seeds.
  EXPECT_EQ(choose, 2u * 3 - 2 + 1);
  EXPECT_EQ(final, (2u + 1) * 3);
}

/// experiments/manifests/README.md lists every manifest with the trials of its stages: "2 + 4".
TEST(StudiesPage, ReportsHowManyTrialsManifestsHave) {
  const StudyFiles files;
  const std::string page = text_of_page("experiments/manifests/README.md");
  for (const std::string& name : files.manifests()) {
    const Manifest manifest = read_manifest(files.path(name));
    std::string trials;
    for (const Stage& stage : manifest.stages)
      trials += (trials.empty() ? "" : " + ") + std::to_string(stage.points.size() * stage.seeds.size());
    const std::size_t row = page.find("| `" + name + ".yaml` | ");
    ASSERT_NE(row, std::string::npos) << name;
    EXPECT_NE(page.substr(row, page.find('\n', row) - row).find(" | " + trials + " | "), std::string::npos)
        << name << " has " << trials;
  }
}

}  // namespace
}  // namespace gausscse
