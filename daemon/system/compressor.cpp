#include "daemon/system/compressor.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <vector>

#include "daemon/system/system_error.h"

namespace clusterd {
namespace {

constexpr std::size_t kBlockBytes = 64 * 1024;
constexpr int kGzipWindow = 15 + 16;  // the largest one, with the header of gzip: deflateInit2 in zlib.h
constexpr int kGzipMemory = 8;
constexpr int kZstdLevel = 3;
constexpr int kZstdWindowLog = 20;  // 1 MiB: the memory of the daemon stays small
// ioprio_set(2); the kernel's own header is no C++.
constexpr int kIoprioWhoProcess = 1;
constexpr int kIoprioIdle = 3 << 13;
constexpr std::string_view kStopped = "the daemon ends";

// A block in, what is compressed so far out.
class Codec {
 public:
  using Sink = std::function<bool(const char* data, std::size_t size)>;
  virtual ~Codec() = default;
  virtual bool add(std::string_view block, bool last, const Sink& sink) = 0;
};

class GzipCodec final : public Codec {
 public:
  GzipCodec() {
    ok_ = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kGzipMemory,
                       Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~GzipCodec() override { deflateEnd(&stream_); }

  bool add(std::string_view block, bool last, const Sink& sink) override {
    if (!ok_) return false;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(block.data()));  // zlib reads it only
    stream_.avail_in = static_cast<uInt>(block.size());
    std::array<char, kBlockBytes> out;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out.data());
      stream_.avail_out = out.size();
      deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      if (!sink(out.data(), out.size() - stream_.avail_out)) return false;
    } while (stream_.avail_out == 0);
    return true;
  }

 private:
  z_stream stream_{};
  bool ok_ = false;
};

class ZstdCodec final : public Codec {
 public:
  ZstdCodec() : context_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kZstdLevel);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_windowLog, kZstdWindowLog);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  bool add(std::string_view block, bool last, const Sink& sink) override {
    ZSTD_inBuffer in{block.data(), block.size(), 0};
    std::array<char, kBlockBytes> out;
    for (;;) {
      ZSTD_outBuffer taken{out.data(), out.size(), 0};
      const std::size_t left =
          ZSTD_compressStream2(context_.get(), &taken, &in, last ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(left) != 0 || !sink(out.data(), taken.pos)) return false;
      if (last ? left == 0 : in.pos == in.size) return true;
    }
  }

 private:
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context_;
};

bool write_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t count = ::write(fd, data, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    data += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

std::string compress_into(int from, int to, Codec& codec, const std::stop_token& stop) {
  std::vector<char> block(kBlockBytes);
  for (;;) {
    if (stop.stop_requested()) return std::string(kStopped);
    const ssize_t count = ::read(from, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno_text(errno);
    errno = 0;
    const std::string_view bytes(block.data(), static_cast<std::size_t>(count));
    const auto sink = [to](const char* data, std::size_t size) { return write_all(to, data, size); };
    if (!codec.add(bytes, count == 0, sink)) return errno != 0 ? errno_text(errno) : "the compressor failed";
    if (count == 0) return "";
  }
}

// To the program it is still the same file.
bool take_over_facts(int to, const struct stat& facts) {
  const std::array<timespec, 2> times{facts.st_atim, facts.st_mtim};
  const bool is_ours = facts.st_uid == ::geteuid() && facts.st_gid == ::getegid();
  return (is_ours || ::fchown(to, facts.st_uid, facts.st_gid) == 0) &&
         ::fchmod(to, facts.st_mode & 07777) == 0 && ::futimens(to, times.data()) == 0;
}

void step_back() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  pthread_setname_np(pthread_self(), "log-compress");
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 19);
  const sched_param none{};
  ::sched_setscheduler(0, SCHED_IDLE, &none);
  ::syscall(SYS_ioprio_set, kIoprioWhoProcess, 0, kIoprioIdle);
}

}  // namespace

std::string compress_file(const Compressor::Job& job, const std::stop_token& stop) {
  const auto folder = LogFolder::open(job.folder);
  if (!folder) return folder.error().message;
  const bool gzip = job.how == LogRotation::Compression::gzip;
  const std::string result = job.name + (gzip ? ".gz" : ".zst");
  const std::string part = result + ".part";
  const UniqueFd from(
      ::openat(folder->fd(), job.name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!from) return errno == ENOENT ? "" : errno_text(errno);  // retention was quicker
  struct stat facts{};
  if (::fstat(from.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return "is no regular file";

  folder->remove(part);
  const UniqueFd to(
      ::openat(folder->fd(), part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!to) return errno_text(errno);
  const std::unique_ptr<Codec> codec =
      gzip ? std::unique_ptr<Codec>(std::make_unique<GzipCodec>()) : std::make_unique<ZstdCodec>();
  std::string trouble = compress_into(from.get(), to.get(), *codec, stop);
  if (trouble.empty() && !take_over_facts(to.get(), facts)) trouble = errno_text(errno);
  // On disk before the original goes: a power failure must not cost both.
  if (trouble.empty() && ::fsync(to.get()) != 0) trouble = errno_text(errno);
  if (trouble.empty() && ::renameat(folder->fd(), part.c_str(), folder->fd(), result.c_str()) != 0)
    trouble = errno_text(errno);
  folder->remove(trouble.empty() ? job.name : part);
  return trouble;
}

Compressor::~Compressor() {
  thread_.request_stop();
  wake_.notify_all();
}

void Compressor::submit(Job job) {
  {
    const std::scoped_lock lock(mutex_);
    if (queue_.size() >= kCompressionQueueMax || !known_.insert(job).second) return;
    queue_.push_back(std::move(job));
  }
  if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  wake_.notify_one();
}

void Compressor::run(const std::stop_token& stop) {
  step_back();
  for (;;) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, stop, [this] { return !queue_.empty(); })) return;
      job = std::move(queue_.front());
      queue_.pop_front();
    }
    const std::string trouble = compress_file(job, stop);
    {
      const std::scoped_lock lock(mutex_);
      known_.erase(job);
    }
    if (stop.stop_requested()) return;
    done_(job, trouble);
  }
}

}  // namespace clusterd
