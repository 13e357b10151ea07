#include "model/hub/given_folder.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

const std::string weights_header = "\x10\0\0\0\0\0\0\0{\"a\":{}}"s;
const std::string hdf5_signature = "\x89HDF\r\n\x1A\n"s;

/// A run that has its model, another that has not, a study, and an encoder's folder.
class ModelArgument : public testing::Test {
 protected:
  ModelArgument() {
    for (const char* folder :
         {"run/model", "run/checkpoints", "half/checkpoints", "encoder", "study/trials", "elsewhere"})
      fs::create_directories(folder_ / folder);
    write_bytes(folder_ / "run/model/config.json", "{\"model_type\": \"bert\"}");
    write_bytes(folder_ / "encoder/config.json", "{\"model_type\": \"bert\"}");
    for (const char* file : {"study/plan.json", "study/manifest.yaml"}) write_bytes(folder_ / file, "{}");
  }

  std::string message_of(const std::string& name) const { return other_than_model(folder_ / name); }
  std::string message_of(const std::string& name, const std::string& bytes) const {
    write_bytes(folder_ / name, bytes);
    return message_of(name);
  }
  std::string path(const char* name) const { return (folder_ / name).string(); }

  TemporaryFolder folder_;
};

TEST_F(ModelArgument, WhatARunLeavesLeadsToItsModel) {
  const std::string remedy = concat(": give ", path("run"), " or ", path("run/model"));
  EXPECT_EQ(message_of("run/result.h5", "gausscse-seal/1\n"), "this is a result of a run" + remedy);
  EXPECT_EQ(message_of("run/renamed.h5", hdf5_signature + "\0configuration\0"s), "this is a result of a run" + remedy);
  EXPECT_EQ(message_of("run/checkpoints/step-7.safetensors", weights_header),
            "this is a checkpoint of a training" + remedy);
  EXPECT_EQ(message_of("run/checkpoints"), "this is a folder of checkpoints" + remedy);
  EXPECT_EQ(message_of("run/checkpoints/"), "this is a folder of checkpoints" + remedy);
  EXPECT_EQ(message_of("run"), "");
  EXPECT_EQ(message_of("run/model"), "");
  EXPECT_EQ(message_of("half/checkpoints/step-7.safetensors", weights_header),
            "this is a checkpoint of a training: give the folder `model` of a finished run");
  EXPECT_EQ(message_of("half"), "this is the folder of a run without its folder `model`: run the trial to its end");
  EXPECT_EQ(message_of("study"), "this is the results folder of a study: give the folder of one of its trials, " +
                                     path("study/trials/IDENTITY"));
  EXPECT_EQ(message_of("study/index.h5", hdf5_signature),
            "this is the index of a study: give the folder of one of its trials");
  EXPECT_EQ(message_of("elsewhere/vectors.h5", hdf5_signature + "\0embedding\0"s),
            "this is a file of embeddings, as `encode` writes it: give the model that made them");
  EXPECT_EQ(message_of("elsewhere"), "");
  fs::create_directories(folder_ / "elsewhere/snapshots");
  EXPECT_EQ(message_of("elsewhere"), "");
  fs::create_directories(folder_ / "elsewhere/snapshots/1a2b");
  EXPECT_EQ(message_of("elsewhere"), "this is a folder of the Hugging Face hub's cache: give a snapshot in it, " +
                                         path("elsewhere/snapshots/1a2b"));
  EXPECT_EQ(message_of("elsewhere/other.h5", hdf5_signature), "this is an HDF5 file: give the folder of a model");
}

TEST_F(ModelArgument, AFileOfAModelFolderLeadsToTheFolder) {
  const std::string expected = "this is a file of a model folder: give the folder, " + path("encoder");
  EXPECT_EQ(message_of("encoder/config.json"), expected);
  EXPECT_EQ(message_of("encoder/model.safetensors", weights_header), expected);
  EXPECT_EQ(message_of("encoder/modules.json", "[\n  {\"idx\": 0}]"), expected);
  EXPECT_EQ(message_of("encoder/vocab.txt", "[PAD]\n"), expected);
  EXPECT_EQ(message_of("encoder/tokenizer.json", ""), expected);
  EXPECT_EQ(message_of("encoder"), "");
  EXPECT_EQ(message_of("elsewhere/model.safetensors", weights_header),
            "this is a file of safetensors: give the folder with it and its config.json");
  EXPECT_EQ(message_of("elsewhere/lines.jsonl", "{ \"sentence1\" : \"a\"}\n"),
            "this is JSON: give the folder of a model, or a text file of word vectors");
  EXPECT_EQ(message_of("elsewhere/trial.yaml", "format: gausscse-trial/2\n"),
            "this is a file of settings (YAML): give the folder `model` that its training wrote");
  EXPECT_EQ(message_of("elsewhere/glove.txt.gz", "\x1F\x8B\x08"), "this is gzip data: unpack it first (gunzip)");
}

/// GloVe has words of such characters.
TEST_F(ModelArgument, LinesOfWordVectorsAreNone) {
  for (const char* line : {"the 0.25 1\n", "{ 0.25 1\n", "{\" 0.25 1\n", "[ 0.25 1\n", "\" 0.25 1\n", "[{ 1\n", ""})
    EXPECT_EQ(message_of("encoder/glove.txt", line),
              std::string(line) == "[{ 1\n" ? message_of("encoder/config.json") : "")
        << line;
  EXPECT_EQ(message_of("none"), "");
}

TEST_F(ModelArgument, AModelFolderIsCheckedByIt) {
  write_bytes(folder_ / "run/result.h5", hdf5_signature);
  EXPECT_EQ(
      refusal_of([&] { check_model_folder(folder_ / "run/result.h5"); }),
      concat(path("run/result.h5"), ": this is a result of a run: give ", path("run"), " or ", path("run/model")));
  EXPECT_EQ(refusal_of([&] { check_model_folder("/dev/fd/963"); }),
            "/dev/fd/963: no such folder: this pipe, such as that of <(...), belongs to one process, and the ranks of "
            "mpirun cannot read it: copy its content into a file, or use one process");
}

}  // namespace
}  // namespace gausscse
