/*
 * The balancer: which instance gets a new connection, and how many each one has.
 *
 * Two programs. `choose` runs when a SYN finds a group of SO_REUSEPORT listeners, or when a listener goes
 * away and its waiting connections have to move; it names the lane. `count` is told by TCP when a connection
 * is established and when its state changes. A connection inherits its listener's mark (socket-local storage
 * with the clone flag), so counting needs no table and costs nothing per request.
 *
 * Facts from the kernel: net/core/sock_reuseport.c (reuseport_select_sock, reuseport_migrate_sock),
 * net/ipv4/tcp.c (tcp_set_state calls the state callback), Documentation/bpf/map_sk_storage.rst.
 */
#include <linux/bpf.h>
#include <linux/types.h>

#include <bpf/bpf_helpers.h>

#include "balancer_abi.h"

/* States of a TCP socket, <net/tcp_states.h>. */
enum { STATE_FIN_WAIT1 = 4, STATE_CLOSE = 7, STATE_LAST_ACK = 9, STATE_NEW_SYN_RECV = 12 };
enum { TCP_HEADER_FLAGS = 13, TCP_FLAG_SYN = 0x02, TCP_FLAG_ACK = 0x10 };
enum { TRIES_MAX = 8 };

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __uint(map_flags, BPF_F_MMAPABLE);
  __type(key, __u32);
  __type(value, struct balancer_shared);
} shared SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_REUSEPORT_SOCKARRAY);
  __uint(max_entries, BALANCER_LANES_MAX);
  __type(key, __u32);
  __type(value, __u64);
} listeners SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, BALANCER_LANES_MAX);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, __u32);
  __type(value, struct balancer_group);
} groups SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, BALANCER_LANES_MAX);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, __u64);
  __type(value, struct balancer_member);
} members SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_SK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC | BPF_F_CLONE);
  __type(key, int);
  __type(value, struct balancer_mark);
} marks SEC(".maps");

/* By cookie: connections that were accepted by nobody when their listener went away. */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 16384);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, __u64);
  __type(value, struct balancer_mark);
} moved SEC(".maps");

/* By the client's port, network order: connections that the daemon itself makes to look at one instance. */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, BALANCER_DIRECTED_MAX);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, __u32);
  __type(value, __u32);
} directed SEC(".maps");

static __always_inline struct balancer_lane* lane_at(struct balancer_shared* all, __u32 number) {
  return &all->lanes[number & (BALANCER_LANES_MAX - 1)];
}

static __always_inline struct balancer_shared* all_lanes(void) {
  __u32 only = 0;
  return bpf_map_lookup_elem(&shared, &only);
}

/* Handshakes that never end (a flood, a client that has gone) stop counting after one to two windows. Window
 * n counts in slot n % 2, so the slot of a new window still holds the one before last. */
static __always_inline void age(struct balancer_lane* lane, __u32 window) {
  const __u32 seen = lane->window;
  if ((__s32)(window - seen) <= 0) return; /* another CPU may have read the clock after us */
  if (__sync_val_compare_and_swap(&lane->window, seen, window) != seen) return; /* another CPU does it */
  __s64 expired = __sync_lock_test_and_set(&lane->handshakes[window & 1], 0);
  if (window - seen > 1) expired += __sync_lock_test_and_set(&lane->handshakes[(window + 1) & 1], 0);
  if (expired != 0) __sync_fetch_and_add(&lane->load, -expired);
}

static __always_inline __u32 present_window(void) {
  return (__u32)(bpf_ktime_get_ns() >> BALANCER_WINDOW_SHIFT);
}

static __always_inline void add_handshake(struct balancer_lane* lane) {
  __sync_fetch_and_add(&lane->handshakes[lane->window & 1], 1);
}

/* 1 if a handshake was still being counted: the connection takes over its part of the load. */
static __always_inline int take_handshake(struct balancer_lane* lane) {
  const __u32 slot = lane->window & 1;
  if (lane->handshakes[slot] > 0) {
    __sync_fetch_and_add(&lane->handshakes[slot], -1);
    return 1;
  }
  if (lane->handshakes[slot ^ 1] > 0) {
    __sync_fetch_and_add(&lane->handshakes[slot ^ 1], -1);
    return 1;
  }
  return 0;
}

/* load_a / weight_a < load_b / weight_b without a division. */
static __always_inline int lighter(__s64 load, __u32 weight, __s64 best, __u32 best_weight) {
  return load * best_weight < best * weight;
}

struct choice {
  __u32 lane;
  __u32 position;
  __s64 load;
};

/* Of a group's list: the canaries, or all but them. */
struct part {
  __u32 begin;
  __u32 count;
};

struct search {
  struct balancer_shared* all;
  struct balancer_group* group;
  struct part part;
  struct choice best;
  __u32 best_weight;
  __u32 position;
  __u32 window;
  __u32 by_open; /* compare open connections, without handshakes */
};

static long look_at_next(__u32 index, void* data) {
  struct search* search = data;
  struct balancer_group* group = search->group;
  const __u32 end = search->part.begin + search->part.count;
  if (search->position < search->part.begin || search->position >= end) search->position = search->part.begin;
  const __u32 position = search->position++;
  const __u32 number = group->lanes[position & (BALANCER_LANES_MAX - 1)];
  struct balancer_lane* lane = lane_at(search->all, number);
  age(lane, search->window);
  const __s64 load = search->by_open ? lane->open : lane->load;
  if (search->best.lane < BALANCER_LANES_MAX &&
      !lighter(load, lane->weight, search->best.load, search->best_weight)) {
    return 0;
  }
  search->best.lane = number;
  search->best.load = load;
  search->best.position = position;
  search->best_weight = lane->weight;
  return load <= 0; /* nobody can be lighter: end the search */
}

/* Two CPUs that choose at the same time must not both take the last free place: whoever finds the load
 * changed since it looked, looks again. */
static long try_to_take(__u32 attempt, void* data) {
  struct search* search = data;
  search->best.lane = BALANCER_LANES_MAX;
  search->position = search->group->cursor;
  bpf_loop(search->part.count, look_at_next, search, 0);
  if (search->best.lane >= BALANCER_LANES_MAX) return 1; /* the group has just lost its last lane */
  struct balancer_lane* lane = lane_at(search->all, search->best.lane);
  const __s64 seen = search->best.load;
  if (attempt == TRIES_MAX - 1 || search->by_open) {
    __sync_fetch_and_add(&lane->load, 1);
    return 1;
  }
  return __sync_val_compare_and_swap(&lane->load, seen, seen + 1) == seen;
}

static __always_inline struct part choose_part(const struct balancer_group* group) {
  struct part part = {.begin = 0, .count = group->count};
  const __u32 canaries = group->canaries;
  if (canaries == 0 || canaries >= part.count) return part;
  part.count -= canaries;
  if (bpf_get_prandom_u32() % 1000 >= group->canary_permille) return part;
  part.begin = part.count;
  part.count = canaries;
  return part;
}

static __always_inline __u32 choose_lane(struct balancer_shared* all, struct balancer_group* group,
                                         __u32 hash, int begins) {
  const struct part part = choose_part(group);
  __u32 position = 0;
  __u32 policy = group->policy;
  /* With SYN cookies each connection is chosen for twice, and only the second choice counts: in strict turns,
   * or with the handshakes of the first, every second lane would get nothing. */
  if (policy == BALANCER_ROUND_ROBIN && !begins) policy = BALANCER_RANDOM;
  switch (policy) {
    case BALANCER_ROUND_ROBIN:
      position = __sync_fetch_and_add(&group->cursor, 1) % part.count;
      break;
    case BALANCER_RANDOM:
      position = bpf_get_prandom_u32() % part.count;
      break;
    case BALANCER_HASH:
      position = hash % part.count;
      break;
    default: {
      struct search search = {
          .all = all, .group = group, .part = part, .window = present_window(), .by_open = !begins};
      bpf_loop(TRIES_MAX, try_to_take, &search, 0);
      /* A canary's turn leaves the turns of the others as they are. */
      if (part.begin == 0) group->cursor = search.best.position + 1;
      return search.best.lane;
    }
  }
  const __u32 chosen = group->lanes[(part.begin + position) & (BALANCER_LANES_MAX - 1)];
  struct balancer_lane* lane = lane_at(all, chosen);
  age(lane, present_window());
  __sync_fetch_and_add(&lane->load, 1);
  return chosen;
}

struct segment {
  __u32 source; /* port, network order */
  int begins;   /* a handshake */
};

static __always_inline struct segment read_segment(const struct sk_reuseport_md* context) {
  struct segment segment = {};
  const __u8* header = context->data;
  const __u8* end = context->data_end;
  if (header + TCP_HEADER_FLAGS + 1 > end) return segment;
  segment.source = *(const __u16*)header;
  segment.begins = (header[TCP_HEADER_FLAGS] & (TCP_FLAG_SYN | TCP_FLAG_ACK)) == TCP_FLAG_SYN;
  return segment;
}

/* The server has said all it had to say: what is left is the kernel's, however long the client takes to take
 * it. (A server that ends only its sending side and goes on reading is counted out, too: telling the two
 * apart would need the kernel's type information, 5 MiB of it, at every start.) */
static __always_inline int is_over(__u32 state) {
  return state == STATE_CLOSE || state == STATE_FIN_WAIT1 || state == STATE_LAST_ACK;
}

/* A connection that nobody has accepted, or a handshake, leaves the lane of a closed listener. The new lane's
 * load has it already. */
static __always_inline void move(struct balancer_shared* all, struct bpf_sock* migrating, __u32 from,
                                 __u32 to) {
  struct balancer_lane* old = lane_at(all, from);
  struct balancer_lane* new = lane_at(all, to);
  if (migrating->state == STATE_NEW_SYN_RECV) {
    if (take_handshake(old)) __sync_fetch_and_add(&old->load, -1);
    add_handshake(new);
    return; /* the connection will be cloned from the new listener and carry its mark */
  }
  __u64 cookie = bpf_get_socket_cookie(migrating);
  struct balancer_mark mark = {.lane = to, .incarnation = new->incarnation, .counted = 1};
  /* Reset by the client while it waited: it counts nowhere any more. The map is full: it counts where it was.
   */
  if (is_over(migrating->state) || bpf_map_update_elem(&moved, &cookie, &mark, BPF_ANY) != 0) {
    __sync_fetch_and_add(&new->load, -1);
    return;
  }
  __sync_fetch_and_add(&all->moves, 1);
  __sync_fetch_and_add(&old->load, -1);
  __sync_fetch_and_add(&old->open, -1);
  __sync_fetch_and_add(&new->open, 1);
  __sync_fetch_and_add(&new->total, 1);
}

SEC("sk_reuseport/migrate")
int choose(struct sk_reuseport_md* context) {
  if (!context->sk) return SK_PASS;
  __u64 cookie = bpf_get_socket_cookie(context->sk);
  struct balancer_member* member = bpf_map_lookup_elem(&members, &cookie);
  if (!member) return SK_PASS;
  __u32 number = member->group;
  struct balancer_group* group = bpf_map_lookup_elem(&groups, &number);
  if (!group) return SK_PASS;
  struct bpf_sock* migrating = context->migrating_sk;
  struct balancer_shared* all = all_lanes();
  if (!all) return SK_PASS;
  const struct segment segment = read_segment(context);
  if (all->directed != 0 && !migrating) {
    __u32 source = segment.source;
    __u32* aim = bpf_map_lookup_elem(&directed, &source);
    /* It counts when it is established. A lane of another group is refused by the kernel. */
    if (aim && bpf_sk_select_reuseport(context, &listeners, aim, 0) == 0) return SK_PASS;
  }
  if (group->refuse && !migrating) return SK_DROP;
  if (group->count == 0) return SK_PASS; /* nobody is ready: the kernel picks any that listens */

  __u32 lane = choose_lane(all, group, context->hash, segment.begins || migrating);
  if (lane >= BALANCER_LANES_MAX) return SK_PASS;
  if (bpf_sk_select_reuseport(context, &listeners, &lane, 0) != 0) {
    __sync_fetch_and_add(&lane_at(all, lane)->load, -1); /* just being closed */
    return SK_PASS;
  }
  if (migrating) {
    move(all, migrating, member->lane, lane);
  } else if (segment.begins) {
    add_handshake(lane_at(all, lane));
  } else {
    /* The answer to a SYN cookie counts when it is established; a stray segment never. */
    __sync_fetch_and_add(&lane_at(all, lane)->load, -1);
  }
  return SK_PASS;
}

static __always_inline void established(struct balancer_shared* all, struct bpf_sock_ops* context,
                                        struct balancer_mark* mark) {
  struct balancer_lane* lane = lane_at(all, mark->lane);
  if (mark->counted || lane->incarnation != mark->incarnation) return;
  mark->counted = 1;
  __sync_fetch_and_add(&lane->open, 1);
  __sync_fetch_and_add(&lane->total, 1);
  if (!take_handshake(lane)) __sync_fetch_and_add(&lane->load, 1);
  bpf_sock_ops_cb_flags_set(context, context->bpf_sock_ops_cb_flags | BPF_SOCK_OPS_STATE_CB_FLAG);
}

static __always_inline void closed(struct balancer_shared* all, struct bpf_sock_ops* context,
                                   struct balancer_mark* mark) {
  if (!mark->counted) return;
  mark->counted = 0;
  struct balancer_mark counted_on = *mark;
  if (all->moves != 0) {
    __u64 cookie = bpf_get_socket_cookie(context);
    struct balancer_mark* elsewhere = bpf_map_lookup_elem(&moved, &cookie);
    if (elsewhere) {
      counted_on = *elsewhere;
      bpf_map_delete_elem(&moved, &cookie);
    }
  }
  struct balancer_lane* lane = lane_at(all, counted_on.lane);
  if (lane->incarnation != counted_on.incarnation) return;
  __sync_fetch_and_add(&lane->open, -1);
  __sync_fetch_and_add(&lane->load, -1);
}

SEC("sockops")
int count(struct bpf_sock_ops* context) {
  const __u32 event = context->op;
  if (event != BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB && event != BPF_SOCK_OPS_STATE_CB) return 1;
  struct bpf_sock* connection = context->sk;
  if (!connection) return 1;
  struct balancer_mark* mark = bpf_sk_storage_get(&marks, connection, 0, 0);
  struct balancer_shared* all = all_lanes();
  if (!mark || !all) return 1;
  if (event == BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB) {
    established(all, context, mark);
  } else if (is_over(context->args[1])) {
    closed(all, context, mark);
  }
  return 1;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
