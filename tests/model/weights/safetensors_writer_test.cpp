#include "model/weights/safetensors_writer.hpp"

#include "base/atomic_file.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

std::string joined(const SafetensorsImage& image) {
  std::string bytes;
  for (const std::string_view part : image.parts()) bytes += part;
  return bytes;
}

TEST(SafetensorsWriter, MakesTheBytesOfTheReferenceWriter) {
  for (const char* name : {"weights/all-dtypes.safetensors", "weights/tiny-bert/model.safetensors",
                           "weights/tiny-roberta-sharded/model-00001-of-00003.safetensors"}) {
    const std::string expected = read_whole_file(golden(name), 1 << 20);
    SafetensorsContent content = parse_safetensors(expected, name);
    std::reverse(content.tensors.begin(), content.tensors.end());
    EXPECT_TRUE(joined(SafetensorsImage(content.tensors, content.metadata)) == expected) << name;
  }
}

TEST(SafetensorsWriter, WritesFloatsThatReadBack) {
  const TemporaryFolder folder;
  const std::array<float, 6> weight = {1, 2, 3, -4.5f, 1e-30f, 6};
  const std::array<float, 1> bias = {7};
  const SafetensorsImage image(
      {float32_tensor("w", {2, 3}, weight), float32_tensor("b", {1}, bias), float32_tensor("s", {}, bias)});
  write_file_atomically(folder / "f.safetensors", image.parts());
  const SafetensorsFile file = SafetensorsFile::open(folder / "f.safetensors");
  ASSERT_EQ(file.tensors().size(), 3u);
  EXPECT_EQ(file.tensors()[0].name, "b");
  EXPECT_EQ(file.find("w")->shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(file.find("w")->bytes, std::string_view(reinterpret_cast<const char*>(weight.data()), 24));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(file.tensors()[0].bytes.data()) % 8, 0u) << "the data begins aligned";
  EXPECT_TRUE(file.metadata().empty());
}

TEST(SafetensorsWriter, WritesNoTensors) {
  EXPECT_EQ(joined(SafetensorsImage({})), std::string("\x08\0\0\0\0\0\0\0{}      ", 16));
}

TEST(SafetensorsWriter, RefusesWhatIsNoFile) {
  const std::array<float, 2> values = {1, 2};
  EXPECT_THROW(SafetensorsImage({float32_tensor("w", {3}, values)}), std::logic_error);
  EXPECT_THROW(SafetensorsImage({float32_tensor("w", {-2}, values)}), std::logic_error);
  EXPECT_THROW(SafetensorsImage({float32_tensor("w", {2}, values), float32_tensor("w", {2}, values)}),
               std::logic_error);
}

}  // namespace
}  // namespace gausscse
