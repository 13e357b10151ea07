#include "base/folder_mark.hpp"

#include "base/option_name.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

class FolderMark : public testing::Test {
 protected:
  FolderMark() {
    fs::create_directories(path_ / "sub");
    write_bytes(path_ / "config.json", "{}");
    write_bytes(path_ / "sub" / "weights", "1234");
    write_bytes(path_ / folder_mark_name, whole_folder_mark(path_));
  }
  std::string refusal() const {
    return refusal_of([&] { check_replaceable(path_); });
  }

  TemporaryFolder folder_;
  fs::path path_ = folder_ / "model";
};

TEST_F(FolderMark, NamesEveryFileWithItsHash) {
  // XXH3-128 of {}, as `xxh128sum` prints it.
  const std::string mark = read_whole_file(path_ / folder_mark_name, 1000);
  EXPECT_TRUE(says(mark, "gausscse-folder/1 whole: "));
  EXPECT_TRUE(says(mark, "\ndc7048f8f8747f561349cde127705c16  config.json\n"));
  EXPECT_TRUE(says(mark, "  sub/weights\n"));
  EXPECT_EQ(mark.find(folder_mark_name), std::string::npos);
}

TEST_F(FolderMark, UnchangedFolderMayBeReplaced) {
  EXPECT_EQ(refusal(), "accepted");
  fs::remove(path_ / "config.json");
  EXPECT_EQ(refusal(), "accepted") << "nothing is lost with what is gone already";
  fs::rename(path_, folder_ / "moved");
  EXPECT_EQ(refusal(), "accepted") << "there is none";
  fs::create_symlink("moved", path_);
  EXPECT_EQ(refusal(), "accepted");
  fs::remove(path_);
  fs::create_directory(path_);
  EXPECT_EQ(refusal(), "accepted") << "an empty one";
}

TEST_F(FolderMark, UnchangedFolderCanBeRemoved) {
  EXPECT_TRUE(remove_whole_folder(path_));
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_TRUE(remove_whole_folder(path_)) << "there is none";
}

TEST_F(FolderMark, WhatHoldsAnythingElseIsNotRemoved) {
  write_bytes(path_ / "sub" / "mine.txt", "my own");
  EXPECT_FALSE(remove_whole_folder(path_));
  EXPECT_TRUE(fs::exists(path_ / "sub" / "mine.txt"));
  EXPECT_TRUE(fs::exists(path_ / "config.json"));
  fs::remove(path_ / "sub" / "mine.txt");
  fs::rename(path_, folder_ / "moved");
  fs::create_symlink("moved", path_);
  EXPECT_FALSE(remove_whole_folder(path_)) << "a link of somebody's";
  EXPECT_TRUE(fs::exists(path_ / "config.json"));
}

TEST_F(FolderMark, AddedEntriesAreNamed) {
  for (const char* name : {"mine.txt", "sub/mine.txt", "0", ".hidden"}) {
    write_bytes(path_ / name, "");
    EXPECT_TRUE(says(refusal(), std::string("did not write: ") + name + ": move that")) << name;
    EXPECT_TRUE(says(refusal(), path_.string()));
    fs::remove(path_ / name);
  }
  fs::create_directory(path_ / "mine");
  EXPECT_TRUE(says(refusal(), "did not write: mine:"));
  write_bytes(path_ / "mine" / "text", "");
  EXPECT_TRUE(says(refusal(), "did not write: mine/text:"));
  for (const char* name : {"n1", "n2", "n3"}) write_bytes(path_ / name, "");
  EXPECT_TRUE(says(refusal(), "did not write: mine/text, n1, n2 and 1 more:"));
}

TEST_F(FolderMark, TheOptionIsNamedOnACommandLineAlone) {
  write_bytes(path_ / "mine.txt", "");
  EXPECT_TRUE(refusal().ends_with("or write elsewhere (--overwrite does not lose it either)"));
  set_option_style(OptionStyle::arguments);
  EXPECT_TRUE(refusal().ends_with("or write elsewhere"));
  set_option_style(OptionStyle::command_line);
}

TEST_F(FolderMark, ChangedFilesAreNamed) {
  write_bytes(path_ / "sub" / "weights", "1235");
  EXPECT_TRUE(says(refusal(), "did not write: sub/weights (changed since):"));
  write_bytes(path_ / "sub" / "weights", "1234");
  EXPECT_EQ(refusal(), "accepted");
  // The same bytes, but elsewhere.
  write_bytes(folder_ / "elsewhere", "{}");
  fs::remove(path_ / "config.json");
  fs::create_symlink(folder_ / "elsewhere", path_ / "config.json");
  EXPECT_TRUE(says(refusal(), "did not write: config.json:"));
  fs::remove(path_ / "config.json");
  fs::create_directory(path_ / "config.json");
  EXPECT_TRUE(says(refusal(), "did not write: config.json:"));
}

TEST_F(FolderMark, WithoutAMarkOfItsKindNothingMayBeReplaced) {
  const std::string whole = read_whole_file(path_ / folder_mark_name, 1000);
  for (const std::string& mark : {std::string("gausscse-folder/1 output"), whole.substr(1), std::string()}) {
    write_bytes(path_ / folder_mark_name, mark);
    EXPECT_TRUE(says(refusal(), "gausscse did not write it; it holds .gausscse, config.json, sub:")) << mark;
  }
  write_bytes(folder_ / "mark", whole);
  fs::remove(path_ / folder_mark_name);
  EXPECT_TRUE(says(refusal(), "gausscse did not write it"));
  fs::create_symlink(folder_ / "mark", path_ / folder_mark_name);
  EXPECT_TRUE(says(refusal(), "gausscse did not write it"));
  fs::remove_all(path_);
  write_bytes(path_, "a file");
  EXPECT_TRUE(says(refusal(), "is a file"));
}

TEST_F(FolderMark, KindsAreDistinguished) {
  EXPECT_TRUE(has_folder_mark(path_, FolderKind::whole));
  for (const FolderKind kind : {FolderKind::output, FolderKind::checkpoints}) {
    EXPECT_FALSE(has_folder_mark(path_, kind));
    fs::remove(path_ / folder_mark_name);
    mark_folder(path_, kind);
    EXPECT_TRUE(has_folder_mark(path_, kind));
    EXPECT_FALSE(has_folder_mark(path_, FolderKind::whole));
    EXPECT_TRUE(says(refusal(), "gausscse did not write it"));
    fs::remove(path_ / folder_mark_name);
    write_bytes(path_ / folder_mark_name, whole_folder_mark(path_));
  }
  EXPECT_FALSE(has_folder_mark(folder_ / "missing", FolderKind::output));
}

TEST_F(FolderMark, KeepsANote) {
  const fs::path output = folder_.path();
  EXPECT_EQ(note_in_mark(output, FolderKind::output), "");
  mark_folder(output, FolderKind::output);
  EXPECT_TRUE(has_folder_mark(output, FolderKind::output));
  EXPECT_EQ(note_in_mark(output, FolderKind::output), "");
  for (const char* note : {"run 1", "run 2", "run 2"}) {
    mark_folder(output, FolderKind::output, note);
    EXPECT_EQ(note_in_mark(output, FolderKind::output), note);
    EXPECT_EQ(note_in_mark(output, FolderKind::checkpoints), "");
  }
}

TEST_F(FolderMark, TakesNoOtherFilesPlace) {
  const std::string whole = read_whole_file(path_ / folder_mark_name, 1000);
  for (const std::string& other : {whole, std::string("own words"), std::string()}) {
    write_bytes(path_ / folder_mark_name, other);
    for (const FolderKind kind : {FolderKind::output, FolderKind::checkpoints}) {
      EXPECT_TRUE(says(refusal_of([&] { check_markable(path_, kind); }), "is in the way"));
      EXPECT_TRUE(says(refusal_of([&] { mark_folder(path_, kind); }), (path_ / folder_mark_name).string()));
    }
    EXPECT_EQ(read_whole_file(path_ / folder_mark_name, 1000), other);
  }
  EXPECT_EQ(refusal_of([&] { check_markable(folder_.path(), FolderKind::output); }), "accepted");
}

}  // namespace
}  // namespace gausscse
