// What the in-kernel balancer and the daemon share: the layout of its maps.
//
// Plain C, included by balancer.bpf.c (compiled for the kernel's BPF machine) and by
// daemon/system/kernel_balancer. A lane is one listening SO_REUSEPORT socket; a group is all lanes of one
// address of one app. Lane numbers are reused, so everything that outlives a lane carries the number's
// incarnation as well.
#pragma once

#include <linux/types.h>

enum {
  BALANCER_LANES_MAX = 4096,    /* of all groups together; a power of two */
  BALANCER_DIRECTED_MAX = 1024, /* connections that are on their way to a lane of the daemon's choice */
  BALANCER_WINDOW_SHIFT =
      31 /* 2^31 ns: a handshake counts for one to two such windows, then it is given up */
};

enum balancer_policy {
  BALANCER_LEAST_CONN = 0,
  BALANCER_ROUND_ROBIN = 1,
  BALANCER_RANDOM = 2,
  BALANCER_HASH = 3,
};

/* Changed by both sides without a lock: every counter is changed by atomic operations only. One cache line,
 * because the counters of different lanes are changed by different CPUs. */
struct balancer_lane {
  __s64 load;          /* open connections and handshakes under way: what least_conn compares */
  __s64 open;          /* connections from the end of the handshake until the server has closed them */
  __u64 total;         /* connections ever */
  __s64 handshakes[2]; /* of the present and the previous window */
  __u32 window;        /* number of the present window */
  __u32 weight;        /* share of the connections relative to the other lanes; at least 1 */
  __u32 incarnation;
  __u32 unused;
} __attribute__((aligned(64)));

struct balancer_shared {
  struct balancer_lane lanes[BALANCER_LANES_MAX];
  __u64 moves;    /* connections that have changed lanes since the start */
  __u64 directed; /* entries of the map `directed` */
};

/* Replaced as a whole at every change, so the kernel sees either the old or the new list. */
struct balancer_group {
  __u32 policy;
  __u32 refuse; /* new connections are refused: the app is stopping */
  __u32 cursor; /* where the next search begins */
  __u32 count;
  __u32 canaries;                  /* of these, at the end of the list */
  __u32 canary_permille;           /* of the connections go to them */
  __u16 lanes[BALANCER_LANES_MAX]; /* that get new connections; one app may have them all */
};

/* By the cookie of the listening socket. */
struct balancer_member {
  __u32 group;
  __u32 lane;
};

/* Kept in the socket: of a listener its own lane, of a connection the one it is counted on. */
struct balancer_mark {
  __u32 lane;
  __u32 incarnation;
  __u32 counted;
};
