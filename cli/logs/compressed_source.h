// CompressedSource: what is in a .gz or .zst file, in one stream.
//
// Used by `logs` for rotated files. Memory: two blocks and the window of the compressor (32 KiB, 1 MiB with
// what the daemon writes), whatever the file's size. Of a file that is damaged or cut off, what can be read.
#pragma once

#include <functional>
#include <memory>

#include "cli/logs/byte_source.h"

namespace clusterd::cli {

// By the name of the file. `on_damage` is called once, where nothing more can be read.
std::unique_ptr<ByteSource> decompress(FileTail file, std::function<void()> on_damage);

// The part [begin, end) of another one; what stands before is read and forgotten.
std::unique_ptr<ByteSource> part_of(std::unique_ptr<ByteSource> whole, std::int64_t begin, std::int64_t end);

}  // namespace clusterd::cli
