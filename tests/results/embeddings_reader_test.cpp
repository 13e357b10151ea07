#include <H5Cpp.h>

#include "results/embeddings_file.hpp"
#include "tests/results/zip_archive.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

/// Values [3, 2] each.
const std::vector<float> three_means{1.0f, -2.5f, 3.0f, 4.0f, 5.5f, 6.0f}, three_log_vars{-1, -2, -3, -4, -5, -6};
/// The rows of both.
const std::vector<float> three_rows{1.0f, -2.5f, -1, -2, 3.0f, 4.0f, -3, -4, 5.5f, 6.0f, -5, -6};

std::string bytes_of_floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

std::string npy_of(const std::string& header, const std::vector<float>& values) {
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header +
         bytes_of_floats(values);
}

std::string safetensors_of(const std::string& header, const std::vector<float>& values) {
  return std::string(1, static_cast<char>(header.size())) + std::string(7, '\0') + header + bytes_of_floats(values);
}

void write_three(const fs::path& path) {
  EmbeddingsWriter writer(path, {"mean", "log_var"}, 3, 2);
  writer.append({three_means, three_log_vars});
  writer.commit();
}

std::string refusal_of(const fs::path& path) {
  try {
    const EmbeddingsReader file(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "read";
}

TEST(EmbeddingsReader, GivesTheRowsThatWereWritten) {
  const TemporaryFolder folder;
  for (const char* name : {"a.h5", "a.hdf5", "a", "a.safetensors", "a.npz"}) {
    SCOPED_TRACE(name);
    write_three(folder / name);
    EXPECT_TRUE(is_embeddings_file(folder / name));
    const EmbeddingsReader file(folder / name);
    EXPECT_EQ(file.rows(), 3u);
    EXPECT_EQ(file.dimension(), 2u);
    EXPECT_EQ(file.width(), 4u);
    EXPECT_TRUE(file.is_gaussian());
    EXPECT_EQ(file.datasets(), (std::vector<std::string>{"mean", "log_var"}));
    EXPECT_EQ(file.read(0, 3), three_rows);
    EXPECT_EQ(file.read(1, 1), std::vector<float>(three_rows.begin() + 4, three_rows.begin() + 8));
    EXPECT_EQ(file.read(1, 2), std::vector<float>(three_rows.begin() + 4, three_rows.end()));
    EXPECT_EQ(file.read(3, 0), std::vector<float>());
    EXPECT_THROW(file.read(1, 3), std::logic_error);
    EXPECT_THROW(file.read(4, 1), std::logic_error);
  }
}

TEST(EmbeddingsReader, GivesTheOneVectorOfOtherModels) {
  const TemporaryFolder folder;
  for (const char* name : {"a.h5", "a.safetensors", "a.npy", "a.npz"}) {
    SCOPED_TRACE(name);
    EmbeddingsWriter writer(folder / name, {"embedding"}, 3, 2);
    writer.append({three_means});
    writer.commit();
    const EmbeddingsReader file(folder / name);
    EXPECT_FALSE(file.is_gaussian());
    EXPECT_EQ(file.width(), 2u);
    EXPECT_EQ(file.datasets(), std::vector<std::string>{"embedding"});
    EXPECT_EQ(file.read(1, 2), std::vector<float>(three_means.begin() + 2, three_means.end()));
  }
}

/// A row's values are more than the MiB that is read at once.
TEST(EmbeddingsReader, GivesRowsOfAnyLength) {
  const TemporaryFolder folder;
  constexpr std::int64_t rows = 700, columns = 769;
  std::vector<float> mean, log_var;
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    mean.push_back(static_cast<float>(i));
    log_var.push_back(static_cast<float>(-i));
  }
  EmbeddingsWriter writer(folder / "a.h5", {"mean", "log_var"}, rows, columns);
  writer.append({mean, log_var});
  writer.commit();
  const EmbeddingsReader file(folder / "a.h5");
  const std::vector<float> values = file.read(1, rows - 1);
  ASSERT_EQ(values.size(), static_cast<std::size_t>((rows - 1) * 2 * columns));
  for (std::int64_t row = 1; row < rows; ++row)
    for (std::int64_t d = 0; d < columns; ++d) {
      const auto place = static_cast<std::size_t>((row - 1) * 2 * columns + d);
      ASSERT_EQ(values[place], static_cast<float>(row * columns + d)) << row << ", " << d;
      ASSERT_EQ(values[place + columns], static_cast<float>(-(row * columns + d))) << row << ", " << d;
    }
}

TEST(EmbeddingsReader, ReadsFilesOfOtherPrograms) {
  const TemporaryFolder folder;
  for (const char* header : {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }     \n",
                             "{'descr':'<f4','fortran_order':False,'shape':(3,2)}\n"}) {
    write_bytes(folder / "a.npy", npy_of(header, three_means));
    EXPECT_EQ(EmbeddingsReader(folder / "a.npy").read(0, 3), three_means) << header;
  }
  // Version 2.0 has the length in four bytes.
  const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }\n";
  write_bytes(folder / "two.npy", std::string("\x93NUMPY\x02\x00", 8) + static_cast<char>(text.size()) +
                                      std::string(3, '\0') + text + bytes_of_floats(three_means));
  EXPECT_EQ(EmbeddingsReader(folder / "two.npy").read(0, 3), three_means);

  // The order of tensors and those besides do not matter.
  std::vector<float> values = three_log_vars;
  values.push_back(7);
  values.insert(values.end(), three_means.begin(), three_means.end());
  write_bytes(folder / "a.safetensors",
              safetensors_of(R"({"log_var":{"dtype":"F32","shape":[3,2],"data_offsets":[0,24]},)"
                             R"("a":{"dtype":"F32","shape":[1],"data_offsets":[24,28]},)"
                             R"("mean":{"dtype":"F32","shape":[3,2],"data_offsets":[28,52]},)"
                             R"("__metadata__":{"model":"m","similarity":"joint"}})",
                             values));
  const EmbeddingsReader file(folder / "a.safetensors");
  EXPECT_EQ(file.read(0, 3), three_rows);
  EXPECT_EQ(file.attributes(), (std::map<std::string, std::string>{{"model", "m"}, {"similarity", "joint"}}));
}

TEST(EmbeddingsReader, ReadsArchivesOfNumpy) {
  const TemporaryFolder folder;
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }\n";
  const PlainMember mean{"mean.npy", npy_of(header, three_means)},
      log_var{"log_var.npy", npy_of(header, three_log_vars)}, other{"other.npy", "what"},
      attributes{"attributes.json", R"({"model": "m", "similarity": "joint"})"};
  write_bytes(folder / "a.npz", zip_of_members({other, log_var, attributes, mean}));
  EXPECT_TRUE(is_embeddings_file(folder / "a.npz"));
  const EmbeddingsReader file(folder / "a.npz");
  EXPECT_EQ(file.read(0, 3), three_rows);
  EXPECT_EQ(file.attributes(), (std::map<std::string, std::string>{{"model", "m"}, {"similarity", "joint"}}));

  const auto expect_refused = [&](const std::string& bytes, const std::string& words) {
    write_bytes(folder / "bad.npz", bytes);
    const std::string message = refusal_of(folder / "bad.npz");
    EXPECT_TRUE(message.starts_with((folder / "bad.npz").string())) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  PlainMember deflated = mean;
  deflated.method = 8;
  expect_refused(zip_of_members({deflated, log_var}), "\"mean.npy\" in the .npz archive is compressed");
  expect_refused(zip_of_members({mean}), "holds neither");
  // A matrix must not reach into the next member.
  const PlainMember longer{"mean.npy",
                           npy_of("{'descr': '<f4', 'fortran_order': False, 'shape': (4, 2), }\n", three_means)};
  expect_refused(zip_of_members({longer, log_var}), "ends before its last value");
  const std::string whole = zip_of_members({mean, log_var});
  expect_refused(whole.substr(0, whole.size() - 20), "the .npz archive has no directory");
}

TEST(EmbeddingsReader, RefusesWhatHoldsNoEmbeddings) {
  const TemporaryFolder folder;
  const auto expect_refused = [&](const std::string& name, const std::string& bytes, const std::string& words) {
    write_bytes(folder / name, bytes);
    const std::string message = refusal_of(folder / name);
    EXPECT_TRUE(message.starts_with((folder / name).string())) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  expect_refused("a.txt", "a sentence\nanother one\n", "this is no file of embeddings");
  expect_refused("empty.h5", "", "this is no file of embeddings");
  EXPECT_FALSE(is_embeddings_file(folder / "a.txt"));
  EXPECT_FALSE(is_embeddings_file(folder / "empty.h5"));
  for (const char* header : {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }\n",
                             "{'descr': '>f4', 'fortran_order': False, 'shape': (3, 2), }\n",
                             "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }\n",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }\n",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2, 1), }\n",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (-3, 2), }\n"})
    expect_refused("a.npy", npy_of(header, three_means), "holds another array");
  const std::string counted = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  expect_refused("a.npy", npy_of(counted + "4, 2), }\n", three_means), "ends before its last value");
  expect_refused("a.npy", npy_of(counted + "4611686018427387904, 2), }\n", three_means), "ends before its last value");
  expect_refused("a.npy", npy_of(counted + "0, 18446744073709551615), }\n", three_means), "no size of a matrix");
  expect_refused("a.npy", std::string("\x93NUMPY\x01\x00\xff\xff{", 11), "ends in its header");
  expect_refused("a.safetensors",
                 safetensors_of(R"({"mean":{"dtype":"F32","shape":[3,2],"data_offsets":[0,24]}})", three_means),
                 "holds neither");
  expect_refused("a.safetensors",
                 safetensors_of(R"({"mean":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)"
                                R"("log_var":{"dtype":"F32","shape":[1,2],"data_offsets":[16,24]}})",
                                three_means),
                 "mean is [2, 2], but log_var is [1, 2]");
  expect_refused("a.safetensors",
                 safetensors_of(R"({"embedding":{"dtype":"I32","shape":[3,2],"data_offsets":[0,24]}})", three_means),
                 "holds neither");
}

/// Makes an HDF5 file by its library alone.
void make_hdf5(const fs::path& path, const std::function<void(H5::H5File&)>& fill) {
  H5::H5File file(path.string(), H5F_ACC_TRUNC);
  fill(file);
}

TEST(EmbeddingsReader, ReadsOnlyValuesThatLieInTheHdf5File) {
  const TemporaryFolder folder;
  const hsize_t shape[2] = {3, 2};
  const H5::DataSpace space(2, shape);
  const auto write = [&](H5::H5File& file, const H5::DSetCreatPropList& properties, const H5::PredType& type) {
    const H5::DataSet data = file.createDataSet("embedding", type, space, properties);
    data.write(three_means.data(), H5::PredType::NATIVE_FLOAT);
  };
  make_hdf5(folder / "a.h5", [&](H5::H5File& file) {
    write(file, H5::DSetCreatPropList::DEFAULT, H5::PredType::IEEE_F32LE);
    const H5::StrType text(H5::PredType::C_S1, H5T_VARIABLE);
    file.openGroup("/").createAttribute("model", text, H5::DataSpace(H5S_SCALAR)).write(text, std::string("m"));
    const std::int64_t count = -12;
    file.openGroup("/")
        .createAttribute("tokens_cut", H5::PredType::STD_I64LE, H5::DataSpace(H5S_SCALAR))
        .write(H5::PredType::NATIVE_INT64, &count);
  });
  const EmbeddingsReader file(folder / "a.h5");
  EXPECT_EQ(file.read(0, 3), three_means);
  EXPECT_EQ(file.attributes(), (std::map<std::string, std::string>{{"model", "m"}, {"tokens_cut", "-12"}}));

  make_hdf5(folder / "double.h5",
            [&](H5::H5File& other) { write(other, H5::DSetCreatPropList::DEFAULT, H5::PredType::IEEE_F64LE); });
  H5::DSetCreatPropList chunked;
  chunked.setChunk(2, shape);
  make_hdf5(folder / "chunked.h5", [&](H5::H5File& other) { write(other, chunked, H5::PredType::IEEE_F32LE); });
  H5::DSetCreatPropList elsewhere;
  elsewhere.setExternal((folder / "values").c_str(), 0, 24);
  make_hdf5(folder / "external.h5", [&](H5::H5File& other) { write(other, elsewhere, H5::PredType::IEEE_F32LE); });
  for (const char* name : {"double.h5", "chunked.h5", "external.h5"})
    EXPECT_NE(refusal_of(folder / name).find("holds neither"), std::string::npos) << refusal_of(folder / name);
  make_hdf5(folder / "link.h5", [&](H5::H5File& other) {
    H5Lcreate_external((folder / "a.h5").c_str(), "/embedding", other.getId(), "embedding", H5P_DEFAULT, H5P_DEFAULT);
  });
  EXPECT_NE(refusal_of(folder / "link.h5").find("embedding leads elsewhere"), std::string::npos)
      << refusal_of(folder / "link.h5");
}

TEST(EmbeddingsReader, NoticesThatTheFileBecameShorter) {
  const TemporaryFolder folder;
  write_three(folder / "a.safetensors");
  const EmbeddingsReader file(folder / "a.safetensors");
  fs::resize_file(folder / "a.safetensors", fs::file_size(folder / "a.safetensors") - 4);
  EXPECT_THROW(file.read(0, 3), InputError);
  EXPECT_EQ(file.read(0, 2), std::vector<float>(three_rows.begin(), three_rows.begin() + 8));
}

/// Reads damaged bytes: the file is refused, or gives as many values as it says.
void read_damaged(const fs::path& path, const std::string& bytes) {
  write_bytes(path, bytes);
  try {
    const EmbeddingsReader file(path);
    ASSERT_LE(file.rows() * file.width(), bytes.size());
    EXPECT_EQ(file.read(0, file.rows()).size(), file.rows() * file.width());
  } catch (const InputError&) {
  }
}

TEST(EmbeddingsReader, SurvivesDamagedFiles) {
  const TemporaryFolder folder;
  write_three(folder / "a.h5");
  write_three(folder / "a.safetensors");
  write_three(folder / "a.npz");
  write_bytes(folder / "a.npy", npy_of("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }\n", three_means));
  // HDF5's are read by a process each.
  for (const auto& [name, stride] :
       {std::pair{"a.h5", std::size_t{29}}, {"a.safetensors", 1}, {"a.npz", 1}, {"a.npy", 1}}) {
    SCOPED_TRACE(name);
    std::ifstream file(folder / name, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(file), {}};
    for (std::size_t i = 0; i < whole.size(); i += stride) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ (1 << i % 8));
      read_damaged(folder / "damaged", changed);
      read_damaged(folder / "damaged", whole.substr(0, i));
    }
  }
}

}  // namespace
}  // namespace gausscse
