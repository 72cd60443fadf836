// Unmodified programs behind one port: what bind() and listen() of real processes turn into.
#include "daemon/system/bind_takeover.h"

#include <grp.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "daemon/system/process_tree.h"
#include "daemon/system/procfs.h"
#include "daemon/system/socket_address.h"
#include "takeover_host.h"
#include "temp_folder.h"

namespace clusterd::test {
namespace {

ListenAddress loopback(std::uint16_t port) {
  return {.family = AddressFamily::tcp4, .ip = {127, 0, 0, 1}, .port = port, .path = {}};
}

// A port that was free a moment ago.
std::uint16_t free_port() {
  const auto fd = open_listening_socket(loopback(0));
  REQUIRE(fd);
  return local_address(fd->get())->port;
}

LaunchPlan server_plan(std::uint16_t port, std::vector<std::string> words = {}) {
  std::vector<std::string> argv{program_path("t-sys-server"), std::to_string(port)};
  argv.insert(argv.end(), words.begin(), words.end());
  LaunchPlan plan = program_plan(std::move(argv));
  plan.take_over_bind = true;
  return plan;
}

// An interval timer whose handler interrupts system calls, as SIGCHLD may interrupt the daemon's.
class SignalStorm {
 public:
  SignalStorm() {
    struct sigaction interrupt{};
    interrupt.sa_handler = [](int) {};
    sigaction(SIGALRM, &interrupt, &before_);
    set_interval(kIntervalUs);
  }
  ~SignalStorm() {
    set_interval(0);
    sigaction(SIGALRM, &before_, nullptr);
  }
  SignalStorm(const SignalStorm&) = delete;
  SignalStorm& operator=(const SignalStorm&) = delete;

 private:
  static constexpr suseconds_t kIntervalUs = 100;
  static void set_interval(suseconds_t us) {
    const itimerval timer{{0, us}, {0, us}};
    setitimer(ITIMER_REAL, &timer, nullptr);
  }
  struct sigaction before_{};
};

// What a client reads from the server on that port.
std::string ask(std::uint16_t port) {
  const auto where = to_socket_address(loopback(port));
  const UniqueFd client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(connect(client.get(), where->get(), where->length) == 0);
  const std::string_view request = "GET / HTTP/1.0\r\n\r\n";
  send(client.get(), request.data(), request.size(), MSG_NOSIGNAL);
  return read_text(client.get(), Until::line);
}

void wait_for_state(pid_t pid, char state) {
  const auto end = std::chrono::steady_clock::now() + kDeadline;
  while (read_process_stat(pid)->state != state) REQUIRE(std::chrono::steady_clock::now() < end);
}

// Every process of the tree, stopped or continued.
void signal_tree(const Launched& launched, int signal) {
  auto pids = descendants(launched.pid());
  pids.push_back(launched.pid());
  for (const pid_t pid : pids) {
    kill(pid, signal);
    if (signal == SIGSTOP) wait_for_state(pid, 'T');
  }
}

// Each of them answers while the others are stopped.
void require_each_answers(std::deque<Launched>& instances, std::uint16_t port) {
  for (Launched& one : instances) {
    for (Launched& other : instances) {
      if (&other != &one) signal_tree(other, SIGSTOP);
    }
    REQUIRE_FALSE(ask(port).empty());
    for (Launched& other : instances) signal_tree(other, SIGCONT);
  }
}

struct Served {
  TakeoverHost host;
  std::deque<Launched> instances;
};

// Starts `count` of them and waits until each has called listen().
void start_and_serve(Served& served, int count, const LaunchPlan& plan,
                     const std::string& launcher = launcher_path()) {
  for (int i = 0; i < count; ++i) {
    Launched& launched = served.instances.emplace_back(plan, launcher);
    served.host.add(launched);
  }
  served.host.serve_until([&] { return served.host.listens >= count; });
}

TEST_CASE("a static program gets the shared socket in place of its own") {
  TakeoverHost host;
  const std::uint16_t port = free_port();
  Launched server(server_plan(port));
  host.add(server);
  CHECK(host.line_of(server) ==
        "port=" + std::to_string(port) + " nonblock=0 cloexec=0 nodelay=0 second=0\n");
  REQUIRE(host.calls.size() == 2);
  const SocketCall& bind_call = host.calls[0];
  CHECK(bind_call.kind == SocketCall::Kind::bind);
  CHECK(bind_call.pid == server.pid());
  CHECK(bind_call.address == loopback(port));
  CHECK_FALSE(bind_call.reuse_port);
  CHECK(bind_call.privileged_port_allowed);
  const ino_t ours = inode_of(host.socket_of(loopback(port)));
  CHECK(bind_call.socket_inode != ours);
  CHECK(host.calls[1].kind == SocketCall::Kind::listen);
  CHECK(host.calls[1].socket_inode == ours);
  CHECK(ask(port) == std::to_string(server.pid()) + "\n");
  const std::vector<pid_t> tree{server.pid()};
  CHECK(tree_holds_socket(tree, ours));
  CHECK_FALSE(tree_holds_socket(tree, ours + 1'000'000));
  CHECK_FALSE(tree_holds_socket({}, ours));
}

TEST_CASE("signals to the daemon at the worst moments cut no answer short") {
  TakeoverHost host;
  const std::uint16_t port = free_port();
  for (int round = 0; round < 10; ++round) {
    Launched server(server_plan(port));
    host.add(server);
    const SignalStorm storm;
    CHECK(host.line_of(server).starts_with("port=" + std::to_string(port) + " "));
  }
}

TEST_CASE("flags and options that were set before bind are on the shared socket") {
  TakeoverHost host;
  const std::uint16_t port = free_port();
  Launched first(server_plan(port, {"nonblock", "cloexec", "nodelay", "reuseport"}));
  host.add(first);
  CHECK(host.line_of(first) == "port=" + std::to_string(port) + " nonblock=1 cloexec=1 nodelay=1 second=0\n");
  CHECK(host.calls[0].reuse_port);
  // Another instance without them does not take them away from the first.
  Launched second(server_plan(port));
  host.add(second);
  CHECK(host.line_of(second) ==
        "port=" + std::to_string(port) + " nonblock=1 cloexec=0 nodelay=1 second=0\n");
}

TEST_CASE("bind from another thread, of an MPTCP socket and by AF_UNSPEC is taken over") {
  const std::string word = GENERATE("thread", "mptcp", "any");
  if (word == "mptcp" && !UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_MPTCP))) return;
  TakeoverHost host;
  const std::uint16_t port = free_port();
  Launched server(server_plan(port, {word}));
  host.add(server);
  CHECK_THAT(host.line_of(server), Catch::StartsWith("port=" + std::to_string(port)));
  CHECK(host.calls[0].pid == server.pid());
  CHECK(host.calls[0].address.has_value());
  CHECK(host.listens == 1);
  CHECK(ask(port) == std::to_string(server.pid()) + "\n");
}

TEST_CASE("IPv6 is taken over as the program has set IPV6_V6ONLY") {
  if (!UniqueFd(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0))) return;
  const bool dual_stack = GENERATE(true, false);
  TakeoverHost host;
  const std::uint16_t port = free_port();
  Launched server(server_plan(port, {dual_stack ? "v6" : "v6only"}));
  host.add(server);
  CHECK_THAT(host.line_of(server), Catch::StartsWith("port=" + std::to_string(port)));
  REQUIRE(host.calls[0].address);
  CHECK(host.calls[0].address->family == AddressFamily::tcp6);
  CHECK(host.calls[0].address->dual_stack == dual_stack);
}

TEST_CASE("port 0, UDP and a second bind of one socket are passed on") {
  TakeoverHost host;
  SECTION("port 0") {
    Launched server(server_plan(0));
    host.add(server);
    CHECK_THAT(host.line_of(server), !Catch::StartsWith("port=0 "));
    CHECK_FALSE(host.calls[0].address);
  }
  SECTION("UDP") {
    const std::uint16_t port = free_port();
    Launched server(server_plan(port, {"udp"}));
    host.add(server);
    CHECK_THAT(host.line_of(server), Catch::StartsWith("port=" + std::to_string(port)));
    CHECK_FALSE(host.calls[0].address);
  }
  SECTION("second bind") {
    Launched server(server_plan(free_port(), {"twice"}));
    host.add(server);
    CHECK_THAT(host.line_of(server), Catch::EndsWith("second=" + std::to_string(EINVAL) + "\n"));
    REQUIRE(host.calls.size() >= 2);
    CHECK_FALSE(host.calls[1].address);
  }
  CHECK(host.listens <= 1);
}

TEST_CASE("a refused bind fails in the program with our errno") {
  TakeoverHost host;
  host.before_policy = [](BindTakeover& tree, const SocketCall& call) {
    tree.refuse(call, EADDRINUSE);
    return true;
  };
  Launched server(server_plan(free_port()));
  host.add(server);
  CHECK(host.line_of(server) == "bind=" + std::to_string(EADDRINUSE) + "\n");
}

TEST_CASE("a privileged port is allowed only to those who might bind it themselves") {
  if (geteuid() != 0) {
    WARN("skipped: needs root");
    return;
  }
  const bool as_root = GENERATE(true, false);
  TakeoverHost host;
  host.before_policy = [](BindTakeover& tree, const SocketCall& call) {
    tree.refuse(call, EACCES);
    return true;
  };
  LaunchPlan plan = server_plan(80);
  if (!as_root) plan.identity = Identity{65534, 65534, {}};
  Launched server(plan);
  host.add(server);
  host.line_of(server);
  REQUIRE_FALSE(host.calls.empty());
  REQUIRE(host.calls[0].address);
  CHECK(host.calls[0].privileged_port_allowed == as_root);
}

TEST_CASE("a program in a network of its own binds there, not here") {
  if (geteuid() != 0 || access("/usr/bin/unshare", X_OK) != 0) {
    WARN("skipped: needs root and unshare");
    return;
  }
  TakeoverHost host;
  LaunchPlan plan = server_plan(free_port(), {"any"});
  plan.argv.insert(plan.argv.begin(), {"/usr/bin/unshare", "-n"});
  Launched server(plan);
  host.add(server);
  CHECK_THAT(host.line_of(server), Catch::StartsWith("port="));
  for (const SocketCall& call : host.calls) CHECK_FALSE(call.address);
  CHECK(host.listens == 0);
}

TEST_CASE("a caller that dies before it is answered disturbs nobody, and the end of the tree is seen") {
  TakeoverHost host;
  Launched server(server_plan(free_port()));
  host.before_policy = [&](BindTakeover& tree, const SocketCall& call) {
    kill(server.pid(), SIGKILL);
    CHECK(WTERMSIG(server.wait_status()) == SIGKILL);
    CHECK_FALSE(tree.substitute(call, STDIN_FILENO));
    tree.pass(call);
    tree.refuse(call, EPERM);
    tree.succeed(call);
    return true;
  };
  host.add(server);
  host.serve_until([&] { return host.closed() == 1; });
  CHECK(host.calls.size() == 1);
}

std::vector<std::string> http_server(const std::string& kind, const std::string& port) {
  if (kind == "Python") return {"/usr/bin/python3", "-m", "http.server", port};
  if (kind == "Node")
    return {"node", "-e", "require('http').createServer((q,s)=>s.end('hi')).listen(" + port + ")"};
  if (kind == "static C") return {program_path("t-sys-server"), port};
  return {"/bin/sh", "-c", "true; " + program_path("t-sys-server") + " " + port + " nonblock; true"};
}

TEST_CASE("four instances on one port each answer, for every kind of program, as root and as nobody") {
  const std::string kind = GENERATE("static C", "through a shell", "Python", "Node");
  const bool as_nobody = GENERATE(false, true);
  if (as_nobody && geteuid() != 0) return;
  CAPTURE(kind, as_nobody);
  const std::uint16_t port = free_port();
  LaunchPlan plan = program_plan(http_server(kind, std::to_string(port)));
  plan.cwd = "/";
  plan.take_over_bind = true;
  if (as_nobody) plan.identity = Identity{65534, 65534, {}};
  Served served;
  start_and_serve(served, 4, plan);
  require_each_answers(served.instances, port);
}

// Runs `body` in a child that is nobody, as an unprivileged daemon would be.
bool succeeds_as_nobody(const std::function<void()>& body) {
  std::cout.flush();
  const pid_t child = fork();
  if (child == 0) {
    bool fine = false;
    try {
      if (setgroups(0, nullptr) != 0 || setgid(65534) != 0 || setuid(65534) != 0) _exit(2);
      prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);  // an executed daemon is; a child that changed its user is not
      body();
      fine = true;
    } catch (...) {  // a failed REQUIRE
    }
    std::cout.flush();
    _exit(fine ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

TEST_CASE("an unprivileged daemon takes over as well, with no_new_privs") {
  if (geteuid() != 0) {
    WARN("skipped: needs root to become somebody else");
    return;
  }
  const TempFolder folder;  // the build folder may be closed to others
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  for (const char* name : {"clusterd-exec", "t-sys-server"}) {
    const std::string source = name == std::string("clusterd-exec") ? launcher_path() : program_path(name);
    std::filesystem::copy_file(source, folder / name);
    std::filesystem::permissions(folder / name, std::filesystem::perms(0755));
  }
  const std::uint16_t port = free_port();
  LaunchPlan plan = program_plan({folder / "t-sys-server", std::to_string(port)});
  plan.take_over_bind = true;
  plan.identity = Identity{65534, 65534, {}};  // who it already is
  CHECK(succeeds_as_nobody([&] {
    Served served;
    start_and_serve(served, 4, plan, folder / "clusterd-exec");
    require_each_answers(served.instances, port);
    const std::string status =
        read_proc_file("/proc/" + std::to_string(served.instances[0].pid()) + "/status");
    REQUIRE(status.find("NoNewPrivs:\t1") != status.npos);
  }));
}

TEST_CASE("inside a sandbox that listens itself the launch goes on without takeover") {
  const std::uint16_t port = free_port();
  TakeoverHost host;
  // The outer tree plays the sandbox; the inner launch is one of this test program, found by its hidden tag.
  LaunchPlan plan =
      program_plan({"/proc/" + std::to_string(getpid()) + "/exe", "[.inner-launch]", "-o", "/dev/null"});
  plan.environment.push_back("INNER_PORT=" + std::to_string(port));
  plan.take_over_bind = true;
  Launched outer(plan);
  host.add(outer);
  CHECK_THAT(host.line_of(outer), Catch::StartsWith("takeover_error=" + std::to_string(EBUSY)));
  CHECK(host.closed() == 0);
}

TEST_CASE("inner launch of the sandbox test", "[.inner-launch]") {
  Launched inner(server_plan(static_cast<std::uint16_t>(std::stoi(getenv("INNER_PORT")))));
  REQUIRE(inner.outcome() == LaunchChannel::State::executed);
  REQUIRE_FALSE(inner.channel().take_takeover_fd());
  std::cout << "takeover_error=" << inner.channel().takeover_error() << std::endl;
  std::cout << read_text(inner.output(), Until::line);
}

}  // namespace
}  // namespace clusterd::test
