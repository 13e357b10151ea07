#include <sys/stat.h>

#include "tests/launcher/jobs_at_once.hpp"
#include "tests/launcher/program.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// A command that one of two ranks is held in as it opens a file.
struct HeldRank {
  std::vector<std::string> arguments;
  const char* rank;
  const char* file;
  const char* open = "1";  ///< the how many-th of that file
};

/// One that stands still while it reads or writes a file, for longer than a collective may last, is waited for.
TEST(SlowReading, IsWaitedFor) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const auto path = [&](const char* name) { return (folder / name).string(); };
  save_tiny_model(project, folder / "saved", {});
  write_bytes(folder / "in.txt", "w1 w2\nw3\n");
  write_bytes(folder / "queries.txt", "w2\n");
  write_bytes(folder / "pairs.tsv", "w1\tw2\n");
  write_bytes(folder / "vectors.txt", "w1 1 0\nw2 0 1\n");
  const HeldRank runs[] = {
      {{"encode", path("saved"), path("in.txt"), path("a.h5")}, "1", "saved/model.safetensors"},
      {{"encode", path("saved"), path("in.txt"), path("b.h5")}, "0", "b.h5.tmp-", "2"},
      {{"score", path("saved"), path("pairs.tsv")}, "1", "pairs.tsv"},
      {{"search", path("saved"), path("in.txt"), path("queries.txt")}, "1", "in.txt"},
      {{"similarity", path("saved"), path("in.txt"), path("queries.txt"), path("m.h5")}, "0", "m.h5.tmp-"},
      {{"geometry", path("saved"), path("in.txt")}, "1", "in.txt"},
      {{"eval", path("saved"), "--test", "a=" + project.test().string()}, "1", "test.jsonl"},
      {{"encode", path("vectors.txt"), path("in.txt"), path("c.h5")}, "0", "vectors.txt"},
  };
  run_jobs_at_once(std::size(runs), 8, [&](std::size_t i) {
    const HeldRank& held = runs[i];
    SCOPED_TRACE(held.arguments.front() + ", held at " + held.file);
    const std::string gate = path(("gate" + std::to_string(i)).c_str());
    ASSERT_EQ(::mkfifo(gate.c_str(), 0600), 0);
    std::vector<std::string> arguments = held.arguments;
    arguments.insert(arguments.end(), {"--timeout", "5"});
    run_expecting(0, arguments, {std::string("but rank ") + held.rank + " reads or writes files that others wait for"},
                  {.ranks = 2,
                   .environment = {{"LD_PRELOAD", GAUSSCSE_HOLD_AT_OPEN},
                                   {"GAUSSCSE_TEST_GATE", gate},
                                   {"GAUSSCSE_TEST_HELD_RANK", held.rank},
                                   {"GAUSSCSE_TEST_HELD_FILE", held.file},
                                   {"GAUSSCSE_TEST_HELD_OPEN", held.open},
                                   {"GAUSSCSE_CACHE", path("cache")}}});
  });
}

}  // namespace
}  // namespace gausscse
