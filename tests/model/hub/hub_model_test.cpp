#include "model/hub/hub_model.hpp"

#include "model/hub/given_folder.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

class HubModel : public testing::Test {
 protected:
  std::string name_in_folder(const std::string& path) const { return hub_name_of(folder_ / path).value_or("none"); }

  TemporaryFolder folder_;
};

/// A trial's paths are absolute: they begin with the trial's folder, which is there.
TEST_F(HubModel, AnOrganizationAndANameAreOne) {
  EXPECT_EQ(name_in_folder("sentence-transformers/all-MiniLM-L6-v2"), "sentence-transformers/all-MiniLM-L6-v2");
  EXPECT_EQ(name_in_folder("princeton-nlp/sup-simcse-bert-base-uncased/"),
            "princeton-nlp/sup-simcse-bert-base-uncased");
  EXPECT_EQ(name_in_folder("BAAI/bge-small-en-v1.5"), "BAAI/bge-small-en-v1.5");
  EXPECT_EQ(hub_name_of("no-such-organization/some_model"), "no-such-organization/some_model");
}

TEST_F(HubModel, AKnownNameHasItsOrganizationInAnyFolder) {
  EXPECT_EQ(name_in_folder("bert-base-uncased"), "google-bert/bert-base-uncased");
  EXPECT_EQ(name_in_folder("models/roberta-large"), "FacebookAI/roberta-large");
  EXPECT_EQ(hub_name_of("distilbert-base-uncased/"), "distilbert/distilbert-base-uncased");
  EXPECT_EQ(hub_name_of("mpnet-base"), "microsoft/mpnet-base");
  EXPECT_EQ(hub_name_of("/no/such/folder/all-mpnet-base-v2"), "sentence-transformers/all-mpnet-base-v2");
}

TEST_F(HubModel, OtherPathsAreNone) {
  fs::create_directories(folder_ / "there");
  for (const char* path : {"there/model", "mine", "models/mine", "runs/first", "no/such/folder", "a b/c", "org/na me",
                           "org/-name", "org/name.", "org/caf\u00e9"})
    EXPECT_EQ(name_in_folder(path), "none") << path;
  for (const char* path : {"", "/", "mine", "./org/name", "../org/name", "/no-such-folder/mine", "no/such/folder",
                           "../no-such/mine", "/dev/fd/963"})
    EXPECT_EQ(hub_name_of(path), std::nullopt) << path;
}

TEST_F(HubModel, TheAdviceIsACommandThatPutsTheModelWhereItIsLookedFor) {
  const fs::path of_organization = folder_ / "microsoft/mpnet-small", own = folder_ / "bert-base-uncased";
  EXPECT_EQ(refusal_of([&] { check_model_folder(of_organization); }),
            concat(of_organization.string(), ": no such folder: give the folder of a model; if ",
                   "\"microsoft/mpnet-small\" of the Hugging Face hub is meant, download it there: hf download ",
                   "microsoft/mpnet-small --include \"*.[jst]*\" --local-dir ", of_organization.string()));
  EXPECT_EQ(hub_advice(own.string() + "/"),
            concat("; if \"google-bert/bert-base-uncased\" of the Hugging Face hub is meant, download it there: ",
                   "hf download google-bert/bert-base-uncased --include \"*.[jst]*\" --local-dir ", own.string()));
  EXPECT_TRUE(hub_advice("it's here/roberta-base").ends_with(" --local-dir 'it'\\''s here/roberta-base'"));
  EXPECT_EQ(hub_advice("../models/minilm"), "; to download MiniLM there: scripts/fetch_minilm.sh ../models/minilm");
  const fs::path mine = folder_ / "mine";
  EXPECT_EQ(refusal_of([&] { check_model_folder(mine); }),
            mine.string() + ": no such folder: give the folder of a model");
}

}  // namespace
}  // namespace gausscse
