#include "model/weights/tensor_files.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

std::string refusal_of_folder(const fs::path& folder) {
  return refusal_of([&] { TensorFiles::open(folder); });
}

std::string refusal_of_index(std::string_view text) {
  return refusal_of([&] { parse_shard_index(text, "index.json"); });
}

/// A copy of the sharded golden, and its index to change.
class ShardedFolder {
 public:
  ShardedFolder() {
    fs::copy(golden("weights/tiny-roberta-sharded"), folder_.path(), fs::copy_options::recursive);
    index_ = read_whole_file(index_path(), 1 << 20);
  }

  const fs::path& path() const { return folder_.path(); }
  fs::path index_path() const { return folder_ / "model.safetensors.index.json"; }

  /// Replaces the first `from` in the index.
  void edit_index(const std::string& from, const std::string& to) {
    const std::size_t at = index_.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    index_.replace(at, from.size(), to);
    write_bytes(index_path(), index_);
  }

 private:
  TemporaryFolder folder_;
  std::string index_;
};

TEST(TensorFiles, ShardsHoldWhatOneFileHolds) {
  const TensorFiles sharded = TensorFiles::open(golden("weights/tiny-roberta-sharded"));
  const TensorFiles single = TensorFiles::open(golden("weights/tiny-roberta"));
  EXPECT_EQ(sharded.tensors().size(), single.tensors().size() + 1) << "a language-model head";
  for (const auto& [name, tensor] : single.tensors()) {
    const auto found = sharded.tensors().find("roberta." + name);
    ASSERT_NE(found, sharded.tensors().end()) << name;
    EXPECT_EQ(found->second->shape, tensor->shape);
    EXPECT_TRUE(found->second->bytes == tensor->bytes) << name;
  }
}

TEST(TensorFiles, SaysWhatIsMissing) {
  const TemporaryFolder folder;
  EXPECT_TRUE(says(refusal_of_folder(folder.path()), "no weights"));
  EXPECT_TRUE(says(refusal_of_folder(folder / "missing"), "no such folder"));
  write_bytes(folder / "pytorch_model.bin", "x");
  const std::string pickle = refusal_of_folder(folder.path());
  EXPECT_TRUE(
      pickle.starts_with((folder / "pytorch_model.bin").string() + ": weights are read from safetensors files"));
  EXPECT_TRUE(says(pickle, "convert them, where torch and safetensors are installed: python3 -c 'import glob, sys, "));
  EXPECT_TRUE(pickle.ends_with("' " + folder.path().string())) << "the folder, for a line to paste";
  EXPECT_TRUE(says(refusal_of_folder(folder / "pytorch_model.bin"), "is a file where a model folder is needed"));
}

TEST(TensorFiles, RefusesShardsThatDisagreeWithTheIndex) {
  const std::string first = "model-00001-of-00003.safetensors", second = "model-00002-of-00003.safetensors";
  {
    const ShardedFolder folder;
    fs::remove(folder.path() / second);
    EXPECT_TRUE(says(refusal_of_folder(folder.path()), second + ": no such file"));
  }
  {
    const ShardedFolder folder;
    fs::copy_file(folder.path() / first, folder.path() / second, fs::copy_options::overwrite_existing);
    EXPECT_TRUE(says(refusal_of_folder(folder.path()), "should be in " + first)) << "a tensor in two shards";
  }
  {
    ShardedFolder folder;
    folder.edit_index("\"lm_head.bias\": \"" + first + "\"", "\"lm_head.bias\": \"" + second + "\"");
    EXPECT_TRUE(says(refusal_of_folder(folder.path()), "\"lm_head.bias\" should be in " + second));
  }
  {
    ShardedFolder folder;
    folder.edit_index("\"lm_head.bias\":", "\"lm_head.other\":");
    EXPECT_TRUE(says(refusal_of_folder(folder.path()), "\"lm_head.bias\" is not listed"));
  }
  {
    ShardedFolder folder;
    folder.edit_index("\"weight_map\": {", "\"weight_map\": {\"extra\": \"" + first + "\",");
    EXPECT_TRUE(says(refusal_of_folder(folder.path()), "\"extra\" is not in " + first));
  }
}

TEST(ShardIndex, RefusesPathsThatLeaveTheFolder) {
  const auto with_shard = [](const std::string& shard) {
    return refusal_of_index("{\"weight_map\": {\"a\": \"" + shard + "\"}}");
  };
  EXPECT_EQ(with_shard("model-1.safetensors"), "accepted");
  for (const char* bad :
       {"../model.safetensors", "/etc/model.safetensors", "sub/model.safetensors", "..\\\\m.safetensors",
        ".safetensors", "..safetensors", "model.bin", "", "m\\u0000.safetensors"}) {
    EXPECT_TRUE(says(with_shard(bad), "named without a path")) << bad;
  }
  EXPECT_TRUE(says(with_shard(std::string(300, 'm') + ".safetensors"), "named without a path"));
}

TEST(ShardIndex, RefusesWhatIsNoIndex) {
  EXPECT_TRUE(says(refusal_of_index("[]"), "not a JSON object"));
  EXPECT_TRUE(says(refusal_of_index("{}"), "no object weight_map"));
  EXPECT_TRUE(says(refusal_of_index(R"({"weight_map": []})"), "no object weight_map"));
  EXPECT_TRUE(says(refusal_of_index(R"({"weight_map": {}})"), "lists no tensors"));
  EXPECT_TRUE(says(refusal_of_index(R"({"weight_map": {"a": 1}})"), "named without a path"));
  EXPECT_TRUE(says(refusal_of_index(R"({"weigth_map": {}})"), "did you mean \"weight_map\"?"));
  EXPECT_TRUE(
      says(refusal_of_index(R"({"weight_map": {"a": "x.safetensors", "a": "y.safetensors"}})"), "appears twice"));
  EXPECT_EQ(parse_shard_index(R"({"metadata": 1, "weight_map": {"a": "x.safetensors"}})", "i"),
            (std::map<std::string, std::string>{{"a", "x.safetensors"}}));
}

}  // namespace
}  // namespace gausscse
