// Process trees: who belongs to an instance, and signalling one process.
//
// Asked by the supervisor when it kills a tree or sweeps what a dead leader left behind. The daemon is a
// child subreaper, so whoever loses its parent becomes the daemon's child and is found by adopted_of().
// Source of all answers is /proc; they are snapshots, so a killer repeats until the answer is empty. Zombies
// are not living, unless other threads of theirs still run. Never waits for a process: that is the reaper's.
#pragma once

#include <sys/types.h>

#include <string>
#include <unordered_set>
#include <vector>

#include "common/result.h"

namespace clusterd {

struct ProcessTag {
  pid_t leader = 0;    // pid of the process that was launched, dead or alive; also its session
  std::string marker;  // value of CLUSTERD_INSTANCE in the environment of the tree; empty: do not look
};

// Living descendants, without root itself, parents before children.
std::vector<pid_t> descendants(pid_t root);

// Living orphans of that instance which were reparented to this process, plus their descendants.
// known_leaders are the leaders of all instances, which are children of ours but nobody's leftovers. An
// orphan is recognised by its session or, if it made one of its own, by the marker in its initial
// environment.
// `children` are those of this process: own_children(), read anew since the leader has ended.
std::vector<pid_t> adopted_of(const ProcessTag& tag, const std::unordered_set<pid_t>& known_leaders,
                              const std::vector<pid_t>& children);

// Every child of this process, dead or alive. With thousands of them this takes a while.
std::vector<pid_t> own_children();

// SIGKILL to a process we started and to all that stayed in its group; for helpers of ours, not for apps.
void kill_group(pid_t leader);

// A process that is already gone is a success; pids below 2 are refused, for they mean whole groups.
Result<void> signal_process(pid_t pid, int signal);

}  // namespace clusterd
