#include <dlfcn.h>
#include <sys/statvfs.h>

#include "tests/support/testing.hpp"
#include "tests/training/trial_training_fixture.hpp"

namespace gausscse {
namespace {

/// Bytes that file systems claim to have left while it is set, and of how many in all.
struct PretendedRoom {
  std::uint64_t left = 0;
  std::uint64_t in_all = 0;
};
std::optional<PretendedRoom> pretended_room;

}  // namespace
}  // namespace gausscse

/// In place of the C library's.
extern "C" int statvfs(const char* path, struct statvfs* room) noexcept {
  using Call = int (*)(const char*, struct statvfs*);
  static const Call real = reinterpret_cast<Call>(::dlsym(RTLD_NEXT, "statvfs"));
  const int result = real(path, room);
  if (gausscse::pretended_room) {
    room->f_frsize = 1;
    room->f_blocks = gausscse::pretended_room->in_all;
    room->f_bavail = gausscse::pretended_room->left;
    // Blocks that root alone may take.
    room->f_bfree = room->f_bavail + (1 << 30);
  }
  return result;
}

namespace gausscse {
namespace {

/// Bytes of the tensors in a safetensors file: those behind its header, whose size stands in the first eight bytes.
std::uint64_t tensor_bytes(const std::filesystem::path& file) {
  const std::string bytes = read_whole_file(file, 1 << 26);
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), 8);
  return bytes.size() - 8 - header;
}

class RoomForModel : public TrialTraining {
 protected:
  ~RoomForModel() override { pretended_room.reset(); }

  /// Returns the message of the WriteError that ends a training with this room, or "trained".
  std::string end_of_training(PretendedRoom room) {
    pretended_room = room;
    try {
      train({});
    } catch (const WriteError& error) {
      return error.what();
    }
    return "trained";
  }
};

TEST_F(RoomForModel, IsAskedForBeforeTheTraining) {
  const TinyRun run = train({});
  const std::uint64_t model =
      tensor_bytes(run.model / "model.safetensors") + tensor_bytes(run.model / "gausscse.safetensors");
  ASSERT_GT(model, 1000u);
  ASSERT_LT(model, 1u << 20);
  const std::string output = (training_.folder / "run1").string();
  EXPECT_EQ(end_of_training({.left = model - 1, .in_all = 1 << 30}),
            "the file system of " + output + " has 0 MiB left, and the model takes 1 MiB: make room there, or give " +
                "another `output`");
  EXPECT_FALSE(std::filesystem::exists(output)) << "nothing was begun in it";
  EXPECT_EQ(end_of_training({.left = model, .in_all = 1 << 30}), "trained");
  EXPECT_EQ(end_of_training({.left = 0, .in_all = 0}), "trained") << "a file system that does not know its room";
}

}  // namespace
}  // namespace gausscse
