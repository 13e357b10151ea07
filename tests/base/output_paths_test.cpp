#include "base/output_paths.hpp"

#include <sys/stat.h>

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

class OutputPaths : public testing::Test {
 protected:
  OutputPaths() {
    write_bytes(folder_ / "in.txt", "one sentence");
    fs::create_directory(folder_ / "model");
    write_bytes(folder_ / "model" / "config.json", "{}");
    inputs_ = {{"IN", folder_ / "in.txt"}, {"MODEL_DIR", folder_ / "model"}, {"--dev", folder_ / "missing"}};
  }

  std::string refusal(const fs::path& path, ExistingFile existing = ExistingFile::replace) const {
    return refusal_of([&] { check_output_file("OUT", path, inputs_, existing); });
  }
  std::string folder_refusal(const fs::path& path) const {
    return refusal_of([&] { check_new_folder("DIR", path); });
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }

  TemporaryFolder folder_;
  std::vector<InputPath> inputs_;
};

TEST_F(OutputPaths, NewFileIsAcceptedAndNothingIsLeft) {
  EXPECT_EQ(refusal(folder_ / "new.h5", ExistingFile::refuse), "accepted");
  EXPECT_EQ(refusal(folder_ / "model" / "new.h5", ExistingFile::refuse), "accepted");
  EXPECT_EQ(entries(), 2u);
}

TEST_F(OutputPaths, InputIsRefusedByAnyPathToIt) {
  fs::create_symlink("in.txt", folder_ / "link");
  fs::create_symlink(folder_.path(), folder_ / "again");
  fs::create_hard_link(folder_ / "in.txt", folder_ / "hard");
  const std::vector<fs::path> names = {folder_ / "in.txt", folder_ / "model" / ".." / "in.txt", folder_ / "link",
                                       folder_ / "again" / "in.txt", folder_ / "hard"};
  for (const fs::path& name : names)
    for (const ExistingFile existing : {ExistingFile::replace, ExistingFile::refuse}) {
      const std::string message = refusal(name, existing);
      EXPECT_TRUE(says(message, "OUT " + name.string() + " is the file that is read as IN")) << name;
      EXPECT_TRUE(says(message, (folder_ / "in.txt").string())) << name;
    }
  EXPECT_EQ(read_whole_file(folder_ / "in.txt", 100), "one sentence");
}

TEST_F(OutputPaths, FileOfAnInputFolderIsRefused) {
  EXPECT_TRUE(says(refusal(folder_ / "model" / "config.json"), "is read as MODEL_DIR"));
  // As sentence-transformers' folders have it.
  fs::create_directories(folder_ / "model" / "0_Transformer" / "below");
  write_bytes(folder_ / "model" / "0_Transformer" / "model.safetensors", "");
  write_bytes(folder_ / "model" / "0_Transformer" / "below" / "vocab.txt", "");
  EXPECT_TRUE(says(refusal(folder_ / "model" / "0_Transformer" / "model.safetensors"), "is read as MODEL_DIR"));
  EXPECT_TRUE(says(refusal(folder_ / "model" / "0_Transformer" / "below" / "vocab.txt"), "is read as MODEL_DIR"));
  EXPECT_EQ(refusal(folder_ / "model" / "0_Transformer" / "below" / "new.h5"), "accepted");
}

TEST_F(OutputPaths, CopyOfAnInputIsAnotherFile) {
  write_bytes(folder_ / "copy.txt", "one sentence");
  EXPECT_EQ(refusal(folder_ / "copy.txt"), "accepted");
  EXPECT_EQ(input_at(folder_ / "copy.txt", inputs_), nullptr);
  EXPECT_EQ(input_at(folder_ / "in.txt", inputs_), inputs_.data());
  EXPECT_EQ(input_at(folder_ / "model", inputs_), inputs_.data() + 1);
  fs::create_directory(folder_ / "model" / "below");
  EXPECT_EQ(input_at(folder_ / "model" / "below", inputs_), nullptr);
  EXPECT_EQ(input_at(folder_ / "missing", inputs_), nullptr);
}

TEST_F(OutputPaths, ExistingFileNeedsToBeAskedFor) {
  write_bytes(folder_ / "old.h5", "old");
  const std::string message = refusal(folder_ / "old.h5", ExistingFile::refuse);
  EXPECT_TRUE(says(message, "old.h5 is there already"));
  EXPECT_TRUE(says(message, "--overwrite"));
  EXPECT_EQ(refusal(folder_ / "old.h5", ExistingFile::replace), "accepted");
  fs::create_symlink("nowhere", folder_ / "dangling");
  EXPECT_TRUE(says(refusal(folder_ / "dangling", ExistingFile::refuse), "is there already"));
  EXPECT_EQ(refusal(folder_ / "dangling", ExistingFile::replace), "accepted");
  EXPECT_EQ(read_whole_file(folder_ / "old.h5", 100), "old");
}

TEST_F(OutputPaths, FolderOrDeviceIsRefused) {
  EXPECT_TRUE(says(refusal(""), "OUT is empty"));
  fs::create_symlink("model", folder_ / "link");
  for (const fs::path& name : {folder_ / "model", folder_ / "link", folder_ / "new/", fs::path("."), fs::path("/")})
    EXPECT_TRUE(says(refusal(name), "is a folder")) << name;
  EXPECT_TRUE(says(refusal("/dev/null"), "a device"));
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(says(refusal(folder_ / "pipe"), "is a pipe"));
}

TEST_F(OutputPaths, FolderMustBeThereAndWritable) {
  EXPECT_TRUE(says(refusal(folder_ / "none" / "out.h5"), "there is no folder " + (folder_ / "none").string()));
  EXPECT_TRUE(says(refusal(folder_ / "in.txt" / "out.h5"), "there is no folder"));
  // Not even root makes files there.
  EXPECT_TRUE(says(refusal("/proc/out.h5"), "OUT /proc/out.h5 cannot be written"));
  // Its temporary name is too long, as that of the writer would be.
  EXPECT_TRUE(says(refusal(folder_ / std::string(250, 'x')), "cannot be written"));
}

TEST_F(OutputPaths, FolderToWriteInMayHaveToBeMade) {
  const auto answer = [](const fs::path& path) { return refusal_of([&] { check_folder_to_write_in("DIR", path); }); };
  for (const char* name : {"", "model", "new", "new/", "new/er/est"})
    EXPECT_EQ(answer(folder_ / name), "accepted") << name;
  EXPECT_EQ(answer("gausscse no such folder/a"), "accepted") << "below the folder that the program is in";
  EXPECT_EQ(entries(), 2u);
  EXPECT_TRUE(says(answer(folder_ / "in.txt"), "in.txt is a file: give another path"));
  EXPECT_TRUE(
      says(answer(folder_ / "in.txt/a/b"), concat("cannot be a folder: ", (folder_ / "in.txt").string(), " is")));
  fs::create_symlink("nothing", folder_ / "link");
  EXPECT_TRUE(says(answer(folder_ / "link/a"), "link is a file"));
  EXPECT_TRUE(says(answer("/proc/a/b"), "DIR /proc/a/b cannot be written"));
  EXPECT_TRUE(says(answer(""), "DIR is empty"));
}

TEST_F(OutputPaths, EachFileHasItsOwnPath) {
  const auto check = [](std::string_view name, const fs::path& path, std::span<const InputPath> inputs) {
    check_output_file(name, path, inputs, ExistingFile::replace);
  };
  const auto refusal_of_two = [&](const fs::path& one, const fs::path& other) {
    const std::vector<OutputFile> files{{"--one", one, check}, {"--other", other, check}};
    return refusal_of([&] { check_output_files(files, inputs_); });
  };
  EXPECT_EQ(refusal_of_two(folder_ / "a", folder_ / "b"), "accepted");
  EXPECT_EQ(refusal_of_two("", ""), "accepted");
  EXPECT_TRUE(
      says(refusal_of_two(folder_ / "a", folder_ / "model/../a"), "is the file of --one, too: give each its own"));
  fs::create_directory_symlink(folder_ / "model", folder_ / "link");
  EXPECT_TRUE(says(refusal_of_two(folder_ / "model/a", folder_ / "link/a"), "is the file of --one, too"));
  write_bytes(folder_ / "a", "one");
  fs::create_hard_link(folder_ / "a", folder_ / "b");
  EXPECT_TRUE(says(refusal_of_two(folder_ / "a", folder_ / "b"), "is the file of --one, too"));
  EXPECT_TRUE(says(refusal_of_two("", folder_ / "in.txt"), "is the file that is read as IN"));
  EXPECT_TRUE(says(refusal_of_two(folder_ / "in.txt", folder_ / "c"), "is the file that is read as IN"));
}

TEST_F(OutputPaths, LiesInAFolderByAnyPathToIt) {
  fs::create_symlink("model", folder_ / "link");
  const fs::path model = folder_ / "model";
  for (const fs::path& path : {model, folder_ / "model/", model / "new", folder_ / "link" / "new", folder_ / "link",
                               folder_ / "x" / ".." / "model" / "a" / "b", model / "..x"})
    EXPECT_TRUE(lies_in(path, model)) << path;
  for (const fs::path& path :
       {folder_.path(), folder_ / "models", folder_ / "in.txt", model / ".." / "new", folder_ / "link" / ".." / "new"})
    EXPECT_FALSE(lies_in(path, model)) << path;
  EXPECT_TRUE(lies_in("new/x", "./new"));
  EXPECT_TRUE(lies_in(fs::current_path() / "new", "new"));
}

TEST_F(OutputPaths, NewFolder) {
  EXPECT_EQ(folder_refusal(folder_ / "new"), "accepted");
  EXPECT_EQ(folder_refusal(folder_ / "new/"), "accepted");
  EXPECT_EQ(entries(), 2u);
  fs::create_directory(folder_ / "empty");
  fs::create_symlink("empty", folder_ / "link");
  EXPECT_EQ(folder_refusal(folder_ / "empty"), "accepted");
  EXPECT_EQ(folder_refusal(folder_ / "link"), "accepted");
  EXPECT_TRUE(says(folder_refusal(folder_ / "model"), "not an empty folder"));
  EXPECT_TRUE(says(folder_refusal(folder_ / "in.txt"), "is a file"));
  EXPECT_TRUE(says(folder_refusal(folder_ / "none" / "new"), "there is no folder"));
  EXPECT_TRUE(says(folder_refusal("/proc/new"), "DIR /proc/new cannot be written"));
  EXPECT_TRUE(says(folder_refusal(""), "DIR is empty"));
}

}  // namespace
}  // namespace gausscse
