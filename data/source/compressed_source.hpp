#pragma once

#include <memory>
#include <string>

#include "data/source/byte_source.hpp"

namespace gausscse {

/// Returns the unpacked bytes of `compressed`, data of gzip: all of its members, one after another. `name` is the
/// file's, for messages. A read throws InputError where the data are damaged, cut short, or followed by something else.
std::unique_ptr<ByteSource> open_gzip(std::unique_ptr<ByteSource> compressed, std::string name);

/// Returns the unpacked bytes of the frames of zstd. A read also throws InputError for a frame whose window is over 128
/// MiB.
std::unique_ptr<ByteSource> open_zstd(std::unique_ptr<ByteSource> compressed, std::string name);

}  // namespace gausscse
