#include "cli/logs/compressed_source.h"

#include <zlib.h>
#include <zstd.h>

#include <vector>

#include "common/rotated_log.h"

namespace clusterd::cli {
namespace {

constexpr std::size_t kBlockBytes = 64 * 1024;
constexpr int kGzipWindow = 15 + 16;   // the largest one, with the header of gzip: inflateInit2 in zlib.h
constexpr int kZstdWindowLogMax = 24;  // 16 MiB; the daemon's own files need 1 MiB

// Several members or frames in one file are one stream, as for gzip(1) and zstd(1).
class CompressedSource : public ByteSource {
 public:
  CompressedSource(FileTail file, std::function<void()> on_damage)
      : file_(std::move(file)), on_damage_(std::move(on_damage)), block_(kBlockBytes) {}

  std::size_t read(char* buffer, std::size_t size) override {
    std::size_t count = 0;
    while (count == 0 && !ended_ && size > 0) {
      // Where the output was full there may be more of it without further input.
      if (in_at_ == in_size_ && !was_full_ && !fill()) {
        end(!at_border_);
        break;
      }
      const std::size_t room = std::min(size, kBlockBytes);
      const Step step = decode(block_.data() + in_at_, in_size_ - in_at_, buffer, room);
      if (step.taken > 0) at_border_ = false;
      in_at_ += step.taken;
      count = step.made;
      was_full_ = step.made == room;
      if (step.state == State::border) at_border_ = true;
      if (step.state == State::damaged) end(true);
    }
    return count;
  }

 protected:
  enum class State { goes_on, border, damaged };
  struct Step {
    std::size_t taken = 0;
    std::size_t made = 0;
    State state = State::goes_on;
  };
  virtual Step decode(const char* in, std::size_t in_size, char* out, std::size_t out_size) = 0;

 private:
  bool fill() {
    in_at_ = 0;
    in_size_ = file_.read_at(file_at_, block_.data(), block_.size()).value_or(0);
    file_at_ += static_cast<std::int64_t>(in_size_);
    return in_size_ > 0;
  }

  void end(bool damaged) {
    ended_ = true;
    if (damaged && on_damage_) on_damage_();
  }

  FileTail file_;
  std::function<void()> on_damage_;
  std::vector<char> block_;
  std::int64_t file_at_ = 0;
  std::size_t in_at_ = 0;
  std::size_t in_size_ = 0;
  bool at_border_ = true;  // of members
  bool was_full_ = false;
  bool ended_ = false;
};

class GzipSource final : public CompressedSource {
 public:
  GzipSource(FileTail file, std::function<void()> on_damage)
      : CompressedSource(std::move(file), std::move(on_damage)) {
    ok_ = inflateInit2(&stream_, kGzipWindow) == Z_OK;
  }
  ~GzipSource() override { inflateEnd(&stream_); }

 private:
  Step decode(const char* in, std::size_t in_size, char* out, std::size_t out_size) override {
    if (!ok_) return {0, 0, State::damaged};
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in));  // zlib reads it only
    stream_.avail_in = static_cast<uInt>(in_size);
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(out_size);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    Step step{in_size - stream_.avail_in, out_size - stream_.avail_out, State::goes_on};
    if (result == Z_STREAM_END) {
      step.state = State::border;
      ok_ = inflateReset(&stream_) == Z_OK;
    } else if (result != Z_OK && result != Z_BUF_ERROR) {  // the latter: nothing to do
      step.state = State::damaged;
    }
    return step;
  }

  z_stream stream_{};
  bool ok_ = false;
};

class ZstdSource final : public CompressedSource {
 public:
  ZstdSource(FileTail file, std::function<void()> on_damage)
      : CompressedSource(std::move(file), std::move(on_damage)), context_(ZSTD_createDCtx(), ZSTD_freeDCtx) {
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kZstdWindowLogMax);
  }

 private:
  Step decode(const char* in, std::size_t in_size, char* out, std::size_t out_size) override {
    ZSTD_inBuffer given{in, in_size, 0};
    ZSTD_outBuffer made{out, out_size, 0};
    const std::size_t result = ZSTD_decompressStream(context_.get(), &made, &given);
    const State state = ZSTD_isError(result) != 0 ? State::damaged
                        : result == 0             ? State::border
                                                  : State::goes_on;
    return {given.pos, made.pos, state};
  }

  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_;
};

class SourcePart final : public ByteSource {
 public:
  SourcePart(std::unique_ptr<ByteSource> whole, std::int64_t begin, std::int64_t end)
      : whole_(std::move(whole)), skip_(begin), left_(std::max<std::int64_t>(0, end - begin)) {}

  std::size_t read(char* buffer, std::size_t size) override {
    std::vector<char> skipped(skip_ > 0 ? kBlockBytes : 0);
    while (skip_ > 0) {
      const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(skip_, kBlockBytes));
      const std::size_t count = whole_->read(skipped.data(), wanted);
      if (count == 0) return 0;
      skip_ -= static_cast<std::int64_t>(count);
    }
    const auto wanted =
        static_cast<std::size_t>(std::min<std::int64_t>(left_, static_cast<std::int64_t>(size)));
    const std::size_t count = whole_->read(buffer, wanted);
    left_ -= static_cast<std::int64_t>(count);
    return count;
  }

 private:
  std::unique_ptr<ByteSource> whole_;
  std::int64_t skip_;
  std::int64_t left_;
};

}  // namespace

std::unique_ptr<ByteSource> decompress(FileTail file, std::function<void()> on_damage) {
  if (file.path().ends_with(kZstdSuffix))
    return std::make_unique<ZstdSource>(std::move(file), std::move(on_damage));
  return std::make_unique<GzipSource>(std::move(file), std::move(on_damage));
}

std::unique_ptr<ByteSource> part_of(std::unique_ptr<ByteSource> whole, std::int64_t begin, std::int64_t end) {
  return std::make_unique<SourcePart>(std::move(whole), begin, end);
}

}  // namespace clusterd::cli
