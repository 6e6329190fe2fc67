// Virtual time for a program that knows nothing of it: a library that is loaded before the program (LD_PRELOAD).
//
// Clocks, sleeps, waits for conditions, semaphores, futexes and descriptors are virtual. One thread runs at a time, from one wait to
// the next, in a fixed order. When all of them wait, the process tells over its descriptor PICKLOCK_TURNS when its earliest deadline
// is, and is told what time it is:
//
//   process -> picklock   idle NEXT [connect NUMBER PORT | drop NUMBER …]\n      nanoseconds since the run began, or - for none
//                         refused WORDS\n                                        it did what it may not do
//   picklock -> process   NOW WALL [open NUMBER | refuse NUMBER …]\n             nanoseconds since the run began, and since 1970
//
// The sockets are real ones. Whoever answers puts bytes into them before the answer, while no thread of the process runs: so what
// each thread finds is the same each time. Randomness of the kernel is drawn from PICKLOCK_SEED.
//
// Left out: futexes that a program waits on by hand-written assembly, spinning on atomics without any wait, signals and timers of
// signals, io_uring, processes other than this one and its forks. They hang or are not repeatable, and picklock's watchdog of wall
// time finds the former.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "virtual.h"

// --- the kernel, past whatever this library replaces

long kernel_call(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long fourth __asm__("r10") = d;
  register long fifth __asm__("r8") = e;
  register long sixth __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "rcx", "r11", "memory");
  if (result < 0 && result > -4096) {
    errno = (int)-result;
    return -1;
  }
  return result;
}

#define SECOND INT64_C(1000000000)

// --- time

int64_t now_ns;                                       // since the run began
static int64_t wall_ns = INT64_C(1767225600) * SECOND;  // of the wall clock, at that instant
static const int64_t kMonotonicStart = SECOND;          // no program expects a monotonic clock at zero
static int readings;                                  // of a clock, in this turn
int turns_fd = -2;                                    // -2: not looked for yet; -1: this process keeps real time

static int64_t ns_of(const struct timespec* t) { return t->tv_sec * SECOND + t->tv_nsec; }

// A command may be a script that starts the interpreter: the shell, and what it runs on the way, keep real time.
static int is_shell(void) {
  static const char* const kShells[] = {"sh", "bash", "dash", "zsh", "ksh", "busybox"};
  char path[PATH_MAX] = "";
  if (kernel(SYS_readlink, "/proc/self/exe", path, sizeof path - 1) <= 0) return 0;
  const char* const slash = strrchr(path, '/');
  for (size_t i = 0; i < sizeof kShells / sizeof *kShells; ++i) {
    if (slash && strcmp(slash + 1, kShells[i]) == 0) return 1;
  }
  return 0;
}

int is_virtual(void) {
  if (turns_fd == -2) {
    const char *const given = getenv("PICKLOCK_TURNS"), *const process = getenv("PICKLOCK_PROCESS");
    const int is_it = given && process && atol(process) == kernel(SYS_getpid) && !is_shell();
    turns_fd = is_it ? atoi(given) : -1;
  }
  return turns_fd >= 0;
}

// --- threads: one has the baton, the others wait for something or for the baton

typedef struct Thread {
  struct Thread* next;
  const void* key;  // of what it waits for: a condition, a semaphore, a futex's address
  int64_t deadline;
  int baton;  // a futex: 1 once it may go on
  int late;   // its deadline came first
  struct pollfd* fds;
  nfds_t fd_count;
  int epoll;  // or -1
} Thread;

static Thread *first_waiting, *last_waiting;  // in the order in which they began to wait
static Thread *first_ready, *last_ready;
static int guard;  // a lock around these lists
static __thread Thread* own_record;
static Thread main_record;

static Thread* self(void) {
  if (!own_record) own_record = &main_record;
  return own_record;
}

static void enter(void) {
  while (__sync_lock_test_and_set(&guard, 1)) kernel(SYS_futex, &guard, FUTEX_WAIT, 1);
}
static void leave(void) {
  __sync_lock_release(&guard);
  kernel(SYS_futex, &guard, FUTEX_WAKE, 1);
}

static void make_ready(Thread* t) {
  t->next = NULL;
  if (last_ready) {
    last_ready->next = t;
  } else {
    first_ready = t;
  }
  last_ready = t;
}

static void end_wait(Thread* t, int late) {
  Thread *before = NULL, *at = first_waiting;
  while (at && at != t) before = at, at = at->next;
  if (!at) return;
  if (before) {
    before->next = t->next;
  } else {
    first_waiting = t->next;
  }
  if (last_waiting == t) last_waiting = before;
  t->late = late;
  make_ready(t);
}

static int has_news(const Thread* t) {
  if (t->fds) return poll_now(t->fds, t->fd_count) > 0;
  if (t->epoll < 0) return 0;
  struct pollfd f = {t->epoll, POLLIN, 0};
  return kernel(SYS_poll, &f, 1, 0) > 0;
}

// --- turns

static char told[4096];  // words for the end of this turn
static size_t told_size;

void tell(const char* format, ...) {
  va_list list;
  va_start(list, format);
  const size_t room = sizeof told - 1 - told_size;
  const int size = vsnprintf(told + told_size, room, format, list);
  va_end(list);
  if (size > 0 && (size_t)size < room) told_size += (size_t)size;
}

static void write_turns(const char* text, size_t size) {
  while (size > 0) {
    const long done = kernel(SYS_write, turns_fd, text, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) kernel(SYS_exit_group, 0);  // picklock is gone, and so is this process
    text += done;
    size -= (size_t)done;
  }
}

int refuse(const char* format, ...) {
  char line[512] = "refused ";
  const size_t begin = strlen(line);
  va_list list;
  va_start(list, format);
  int size = vsnprintf(line + begin, sizeof line - begin - 1, format, list);
  va_end(list);
  if (size > (int)(sizeof line - begin - 2)) size = (int)(sizeof line - begin - 2);
  for (int i = 0; i < size; ++i) {
    if (line[begin + (size_t)i] == '\n') line[begin + (size_t)i] = ' ';
  }
  line[begin + (size_t)size] = '\n';
  write_turns(line, begin + (size_t)size + 1);
  errno = EACCES;
  return -1;
}

// All threads wait: asks for the time.
static void take_turn(void) {
  int64_t due = FOREVER;
  for (Thread* t = first_waiting; t; t = t->next) {
    if (t->deadline < due) due = t->deadline;
  }
  char line[256] = "idle -";
  if (due != FOREVER) snprintf(line, sizeof line, "idle %ld", due);
  write_turns(line, strlen(line));
  told[told_size] = '\n';
  write_turns(told, told_size + 1);
  told_size = 0;
  size_t size = 0;
  while (size == 0 || line[size - 1] != '\n') {
    const long got = size < sizeof line - 1 ? kernel(SYS_read, turns_fd, line + size, sizeof line - 1 - size) : 0;
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) kernel(SYS_exit_group, 0);
    size += (size_t)got;
  }
  line[size] = 0;
  char* end = line;
  now_ns = strtoll(line, &end, 10);
  wall_ns = strtoll(end, &end, 10);
  readings = 0;
  char what[16];
  unsigned long number;
  for (int length = 0; sscanf(end, " %15s %lu%n", what, &number, &length) == 2; end += length) hear_of_connection(what, number);
}

// The caller does not go on: another thread gets the baton. Called with the guard.
static void pass_on(void) {
  while (!first_ready) {
    for (Thread* t = first_waiting; t;) {  // a pipe of the process's own may have news
      Thread* const one = t;
      t = t->next;
      if (has_news(one)) end_wait(one, 0);
    }
    if (first_ready) break;
    take_turn();
    for (Thread* t = first_waiting; t;) {
      Thread* const one = t;
      t = t->next;
      if (has_news(one)) {
        end_wait(one, 0);
      } else if (one->deadline <= now_ns) {
        end_wait(one, 1);
      }
    }
  }
  Thread* const t = first_ready;
  first_ready = t->next;
  if (!first_ready) last_ready = NULL;
  __atomic_store_n(&t->baton, 1, __ATOMIC_RELEASE);
  kernel(SYS_futex, &t->baton, FUTEX_WAKE, 1);
}

static void await_baton(void) {
  Thread* const me = self();
  while (!__atomic_load_n(&me->baton, __ATOMIC_ACQUIRE)) kernel(SYS_futex, &me->baton, FUTEX_WAIT, 0);
}

static void begin_wait(const void* key, int64_t deadline) {
  Thread* const me = self();
  me->next = NULL;
  me->key = key;
  me->deadline = deadline;
  me->baton = 0;
  if (last_waiting) {
    last_waiting->next = me;
  } else {
    first_waiting = me;
  }
  last_waiting = me;
}
static int end_of_wait(void) {
  pass_on();
  leave();
  await_baton();
  return self()->late;
}

int wait_for(const void* key, int64_t deadline) {
  enter();
  self()->fds = NULL;
  self()->epoll = -1;
  begin_wait(key, deadline);
  return end_of_wait();
}
int wake(const void* key, int most) {
  int woken = 0;
  enter();
  for (Thread* t = first_waiting; t && woken < most;) {
    Thread* const one = t;
    t = t->next;
    if (one->key != key) continue;
    end_wait(one, 0);
    ++woken;
  }
  leave();
  return woken;
}
void wake_in_turn(const void* key) {
  for (Thread* t = first_waiting; t;) {
    Thread* const one = t;
    t = t->next;
    if (one->key == key) end_wait(one, 0);
  }
}

// --- mutexes and conditions

int pthread_mutex_lock(pthread_mutex_t* m) {
  if (!is_virtual()) return NEXT(pthread_mutex_lock)(m);
  int got;
  while ((got = NEXT(pthread_mutex_trylock)(m)) == EBUSY) wait_for(m, FOREVER);  // a thread without the baton has it
  return got;
}
int pthread_mutex_unlock(pthread_mutex_t* m) {
  const int done = NEXT(pthread_mutex_unlock)(m);
  if (is_virtual() && first_waiting) wake(m, INT_MAX);
  return done;
}

static int wait_for_condition(pthread_cond_t* c, pthread_mutex_t* m, int64_t deadline) {
  enter();
  self()->fds = NULL;
  self()->epoll = -1;
  begin_wait(c, deadline);
  NEXT(pthread_mutex_unlock)(m);
  wake_in_turn(m);
  const int late = end_of_wait();
  pthread_mutex_lock(m);
  return late ? ETIMEDOUT : 0;
}
// Which clock a condition has does not show: times of the wall clock are the large ones.
static int64_t deadline_of(const struct timespec* t) {
  const int64_t due = ns_of(t);
  return due >= wall_ns / 2 ? due - (wall_ns - now_ns) : due - kMonotonicStart;
}
int pthread_cond_wait(pthread_cond_t* c, pthread_mutex_t* m) {
  return is_virtual() ? wait_for_condition(c, m, FOREVER) : NEXT(pthread_cond_wait)(c, m);
}
int pthread_cond_timedwait(pthread_cond_t* c, pthread_mutex_t* m, const struct timespec* t) {
  return is_virtual() ? wait_for_condition(c, m, deadline_of(t)) : NEXT(pthread_cond_timedwait)(c, m, t);
}
int pthread_cond_clockwait(pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock, const struct timespec* t) {
  return is_virtual() ? wait_for_condition(c, m, deadline_of(t)) : NEXT(pthread_cond_clockwait)(c, m, clock, t);
}
int pthread_cond_signal(pthread_cond_t* c) {
  if (!is_virtual()) return NEXT(pthread_cond_signal)(c);
  wake(c, 1);
  return 0;
}
int pthread_cond_broadcast(pthread_cond_t* c) {
  if (!is_virtual()) return NEXT(pthread_cond_broadcast)(c);
  wake(c, INT_MAX);
  return 0;
}

// --- semaphores: a count in their first word, of processes in virtual time and others alike

static int* count_of(sem_t* s) { return (int*)s; }
int sem_init(sem_t* s, int shared, unsigned value) {
  if (!is_virtual()) return NEXT(sem_init)(s, shared, value);
  memset(s, 0, sizeof *s);
  *count_of(s) = (int)value;
  return 0;
}
int sem_destroy(sem_t* s) { return is_virtual() ? 0 : NEXT(sem_destroy)(s); }
int sem_post(sem_t* s) {
  if (!is_virtual()) return NEXT(sem_post)(s);
  if (wake(s, 1) == 0) ++*count_of(s);  // only the thread with the baton comes here
  return 0;
}
int sem_trywait(sem_t* s) {
  if (!is_virtual()) return NEXT(sem_trywait)(s);
  if (*count_of(s) > 0) {
    --*count_of(s);
    return 0;
  }
  errno = EAGAIN;
  return -1;
}
static int wait_for_semaphore(sem_t* s, int64_t deadline) {
  if (*count_of(s) > 0) {
    --*count_of(s);
    return 0;
  }
  if (!wait_for(s, deadline)) return 0;
  errno = ETIMEDOUT;
  return -1;
}
int sem_wait(sem_t* s) { return is_virtual() ? wait_for_semaphore(s, FOREVER) : NEXT(sem_wait)(s); }
int sem_timedwait(sem_t* s, const struct timespec* t) {
  return is_virtual() ? wait_for_semaphore(s, deadline_of(t)) : NEXT(sem_timedwait)(s, t);
}
int sem_clockwait(sem_t* s, clockid_t clock, const struct timespec* t) {
  return is_virtual() ? wait_for_semaphore(s, deadline_of(t)) : NEXT(sem_clockwait)(s, clock, t);
}

// --- descriptors

int64_t in_ms(int ms) { return ms < 0 ? FOREVER : now_ns + ms * INT64_C(1000000); }

int poll(struct pollfd* fds, nfds_t count, int ms) {
  if (!is_virtual()) return (int)kernel(SYS_poll, fds, count, ms);
  const int found = poll_now(fds, count);
  if (found != 0 || ms == 0) return found;
  enter();
  self()->fds = fds;
  self()->fd_count = count;
  self()->epoll = -1;
  begin_wait(self(), in_ms(ms));
  (void)end_of_wait();
  return poll_now(fds, count);
}
int ppoll(struct pollfd* fds, nfds_t count, const struct timespec* t, const sigset_t* mask) {
  if (!is_virtual()) return NEXT(ppoll)(fds, count, t, mask);
  return poll(fds, count, t ? (int)((ns_of(t) + 999999) / 1000000) : -1);
}
int epoll_wait(int epoll, struct epoll_event* events, int count, int ms) {
  const int found = (int)kernel(SYS_epoll_wait, epoll, events, count, is_virtual() ? 0 : ms);
  if (found != 0 || ms == 0 || !is_virtual()) return found;
  enter();
  self()->fds = NULL;
  self()->epoll = epoll;
  begin_wait(self(), in_ms(ms));
  (void)end_of_wait();
  return (int)kernel(SYS_epoll_wait, epoll, events, count, 0);
}
int epoll_pwait(int epoll, struct epoll_event* events, int count, int ms, const sigset_t* mask) {
  (void)mask;
  return epoll_wait(epoll, events, count, ms);
}
int select(int n, fd_set* reads, fd_set* writes, fd_set* errors, struct timeval* t) {
  if (!is_virtual()) return NEXT(select)(n, reads, writes, errors, t);
  struct pollfd fds[FD_SETSIZE];
  nfds_t count = 0;
  for (int fd = 0; fd < n && fd < FD_SETSIZE; ++fd) {
    const short wanted =
        (short)((reads && FD_ISSET(fd, reads) ? POLLIN : 0) | (writes && FD_ISSET(fd, writes) ? POLLOUT : 0));
    if (wanted) fds[count++] = (struct pollfd){fd, wanted, 0};
  }
  const int found = poll(fds, count, t ? (int)(t->tv_sec * 1000 + (t->tv_usec + 999) / 1000) : -1);
  if (reads) FD_ZERO(reads);
  if (writes) FD_ZERO(writes);
  if (errors) FD_ZERO(errors);
  int set = 0;
  for (nfds_t i = 0; i < count; ++i) {
    if (reads && fds[i].revents & (POLLIN | POLLHUP | POLLERR)) FD_SET(fds[i].fd, reads), ++set;
    if (writes && fds[i].revents & (POLLOUT | POLLERR)) FD_SET(fds[i].fd, writes), ++set;
  }
  return found < 0 ? found : set;
}

// A blocking read of a socket or pipe waits here.
static void await_bytes(int fd) {
  if (!is_virtual() || fd == turns_fd || (fcntl(fd, F_GETFL) & O_NONBLOCK)) return;
  int type;
  socklen_t size = sizeof type;
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0) return;
  struct timeval limit = {0, 0};
  socklen_t limit_size = sizeof limit;
  getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, &limit_size);
  const long ms = limit.tv_sec * 1000 + (limit.tv_usec + 999) / 1000;
  struct pollfd f = {fd, POLLIN, 0};
  poll(&f, 1, ms > 0 ? (int)ms : -1);
}
static int recv_flags(int fd, int flags) {  // after a wait that ended by its limit nothing may block in the kernel
  return is_virtual() && fd != turns_fd ? flags | MSG_DONTWAIT : flags;
}
ssize_t recv(int fd, void* to, size_t size, int flags) {
  if (!(flags & MSG_DONTWAIT)) await_bytes(fd);
  return kernel(SYS_recvfrom, fd, to, size, recv_flags(fd, flags), 0, 0);
}
ssize_t recvfrom(int fd, void* to, size_t size, int flags, struct sockaddr* from, socklen_t* from_size) {
  if (!(flags & MSG_DONTWAIT)) await_bytes(fd);
  return kernel(SYS_recvfrom, fd, to, size, recv_flags(fd, flags), from, from_size);
}
static int is_random_file(int fd);
ssize_t read(int fd, void* to, size_t size) {
  if (is_random_file(fd)) return getrandom(to, size, 0);
  await_bytes(fd);
  return kernel(SYS_read, fd, to, size);
}

// --- clocks and sleeps

// Clocks of processor time show the time since the run began: computing takes none.
int clock_gettime(clockid_t clock, struct timespec* t) {
  if (!is_virtual()) return (int)kernel(SYS_clock_gettime, clock, t);
  const int is_wall =
      clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_REALTIME_ALARM || clock == CLOCK_TAI;
  const int is_monotonic = clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE ||
                           clock == CLOCK_BOOTTIME || clock == CLOCK_BOOTTIME_ALARM;
  const int is_of_processor = clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock < 0;
  if (!is_wall && !is_monotonic && !is_of_processor) {
    return refuse("it read the clock %d, whose time is not picklock's: the run could not be repeated", (int)clock);
  }
  if (++readings > 10000) now_ns += 1000, wall_ns += 1000;  // a loop that spins on the clock gets out of it
  const int64_t v = is_wall ? wall_ns : is_monotonic ? kMonotonicStart + now_ns : now_ns;
  t->tv_sec = v / SECOND;
  t->tv_nsec = v % SECOND;
  return 0;
}
int gettimeofday(struct timeval* t, void* zone) {
  (void)zone;
  struct timespec s;
  clock_gettime(CLOCK_REALTIME, &s);
  t->tv_sec = s.tv_sec;
  t->tv_usec = s.tv_nsec / 1000;
  return 0;
}
time_t time(time_t* t) {
  struct timespec s;
  clock_gettime(CLOCK_REALTIME, &s);
  if (t) *t = s.tv_sec;
  return s.tv_sec;
}
clock_t clock(void) {
  struct timespec s;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &s);
  return (clock_t)(ns_of(&s) / (SECOND / CLOCKS_PER_SEC));
}
clock_t times(struct tms* all) {
  const long a_second = sysconf(_SC_CLK_TCK);
  if (!is_virtual()) return (clock_t)kernel(SYS_times, all);
  if (all) *all = (struct tms){.tms_utime = now_ns / (SECOND / a_second)};
  return (kMonotonicStart + now_ns) / (SECOND / a_second);
}
int getrusage(__rusage_who_t who, struct rusage* usage) {
  if (!is_virtual()) return (int)kernel(SYS_getrusage, who, usage);
  memset(usage, 0, sizeof *usage);
  usage->ru_utime = (struct timeval){now_ns / SECOND, now_ns % SECOND / 1000};
  return 0;
}
int nanosleep(const struct timespec* t, struct timespec* left) {
  if (!is_virtual()) return (int)kernel(SYS_nanosleep, t, left);
  wait_for(self(), now_ns + ns_of(t));
  return 0;
}
int clock_nanosleep(clockid_t clock, int flags, const struct timespec* t, struct timespec* left) {
  if (!is_virtual()) return NEXT(clock_nanosleep)(clock, flags, t, left);
  int64_t due = ns_of(t);
  if (!(flags & TIMER_ABSTIME)) {
    due += now_ns;
  } else if (clock == CLOCK_REALTIME) {
    due -= wall_ns - now_ns;
  } else {
    due -= kMonotonicStart;
  }
  if (due > now_ns) wait_for(self(), due);
  return 0;
}
int usleep(useconds_t us) {
  const struct timespec t = {us / 1000000, us % 1000000 * 1000};
  return nanosleep(&t, NULL);
}
unsigned sleep(unsigned seconds) {
  const struct timespec t = {seconds, 0};
  nanosleep(&t, NULL);
  return 0;
}
int sched_yield(void) {
  if (!is_virtual()) return (int)kernel(SYS_sched_yield);
  enter();
  self()->baton = 0;
  make_ready(self());
  pass_on();
  leave();
  await_baton();
  return 0;
}

// --- randomness, and what some libraries seed theirs from

static uint64_t random_state;

static uint64_t next_random(void) {
  if (random_state == 0) {
    const char* const given = getenv("PICKLOCK_SEED");
    random_state = UINT64_C(0x9e3779b97f4a7c15) ^ (given ? strtoull(given, NULL, 10) << 20 : 0);
  }
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}
// For packages of a language: the run's own seed.
void picklock_seed(uint64_t seed) { random_state = UINT64_C(0x9e3779b97f4a7c15) ^ (seed * 2 + 1); }

ssize_t getrandom(void* to, size_t size, unsigned flags) {
  if (!is_virtual()) return kernel(SYS_getrandom, to, size, flags);
  for (size_t i = 0; i < size; ++i) ((unsigned char*)to)[i] = (unsigned char)(next_random() >> 32);
  return (ssize_t)size;
}
// The devices of randomness, as a file with as much of it as programs seed themselves from; reads past its copy in a buffer of the C
// library get fresh bytes.
static char random_files[1024];
static int is_random_file(int fd) { return fd >= 0 && fd < (int)sizeof random_files && random_files[fd]; }
static int open_random_file(const char* path, int flags) {
  const int is_device = strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0;
  if (!is_virtual() || !is_device || (flags & O_ACCMODE) != O_RDONLY) return -1;
  unsigned char bytes[16 * 1024];
  getrandom(bytes, sizeof bytes, 0);
  const int fd = (int)kernel(SYS_memfd_create, "random", flags & O_CLOEXEC ? 1 : 0);
  if (fd < 0) return -1;
  kernel(SYS_pwrite64, fd, bytes, sizeof bytes, 0);
  if (fd < (int)sizeof random_files) random_files[fd] = 1;
  return fd;
}
void forget_random_file(int fd) {
  if (is_random_file(fd)) random_files[fd] = 0;
}
int openat(int folder, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, unsigned) : 0;
  va_end(list);
  const int random = open_random_file(path, flags);
  return random >= 0 ? random : (int)kernel(SYS_openat, folder, path, flags, mode);
}
int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, unsigned) : 0;
  va_end(list);
  return openat(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) __attribute__((alias("open")));
int openat64(int folder, const char* path, int flags, ...) __attribute__((alias("openat")));

int getentropy(void* to, size_t size) {
  getrandom(to, size, 0);
  return 0;
}
// UUIDs of the time: libuuid's own are made of the machine's address, of a file, and of a daemon.
int uuid_generate_time_safe(unsigned char uuid[16]) {
  static uint64_t last;
  if (!is_virtual()) return NEXT(uuid_generate_time_safe)(uuid);
  static const uint64_t kFrom1582To1970 = UINT64_C(0x01b21dd213814000);
  uint64_t ticks = (uint64_t)(wall_ns / 100) + kFrom1582To1970;
  if (ticks <= last) ticks = last + 1;
  last = ticks;
  const uint64_t node = next_random();
  for (int i = 0; i < 4; ++i) uuid[i] = (unsigned char)(ticks >> (24 - 8 * i));
  uuid[4] = (unsigned char)(ticks >> 40), uuid[5] = (unsigned char)(ticks >> 32);
  uuid[6] = (unsigned char)(0x10 | (ticks >> 56 & 0x0f)), uuid[7] = (unsigned char)(ticks >> 48);
  for (int i = 8; i < 16; ++i) uuid[i] = (unsigned char)(node >> (8 * (i - 8)));
  uuid[8] = (unsigned char)(0x80 | (uuid[8] & 0x3f));
  uuid[10] |= 1;  // the address of no card
  return 0;
}
void uuid_generate_time(unsigned char uuid[16]) { uuid_generate_time_safe(uuid); }

pid_t getpid(void) { return is_virtual() ? 1000 : (pid_t)kernel(SYS_getpid); }
pid_t getppid(void) { return is_virtual() ? 999 : (pid_t)kernel(SYS_getppid); }

// --- futexes of programs that ask the kernel by hand

static int wait_on_futex(int* word, int operation, int value, const struct timespec* t) {
  enter();
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value) {
    leave();
    errno = EAGAIN;
    return -1;
  }
  const int relative = (operation & FUTEX_CMD_MASK) == FUTEX_WAIT;
  int64_t due = FOREVER;
  if (t && relative) due = now_ns + ns_of(t);
  if (t && !relative) due = operation & FUTEX_CLOCK_REALTIME ? ns_of(t) - (wall_ns - now_ns) : ns_of(t) - kMonotonicStart;
  self()->fds = NULL;
  self()->epoll = -1;
  begin_wait(word, due);
  if (!end_of_wait()) return 0;
  errno = ETIMEDOUT;
  return -1;
}
long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a[6];
  for (int i = 0; i < 6; ++i) a[i] = va_arg(list, long);
  va_end(list);
  if (is_virtual() && number == SYS_getrandom) return getrandom((void*)a[0], (size_t)a[1], (unsigned)a[2]);
  if (is_virtual() && number == SYS_futex) {
    const int operation = (int)a[1] & FUTEX_CMD_MASK;
    if (operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET) return wake((void*)a[0], (int)a[2]);
    if (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) {
      return wait_on_futex((int*)a[0], (int)a[1], (int)a[2], (const struct timespec*)a[3]);
    }
  }
  return kernel(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

// --- threads begin and end, and processes fork

typedef struct Start {
  struct Start* next;
  pthread_t thread;
  int over;  // its body has returned
  void* (*body)(void*);
  void* argument;
  Thread record;
} Start;

static Start* starts;  // kept: a record is still read at its thread's end
static pthread_key_t end_key;
static pthread_once_t end_key_once = PTHREAD_ONCE_INIT;

static void at_end(void* given) {
  Start* const start = given;
  enter();
  start->over = 1;
  wake_in_turn(start);  // a thread that joins this one
  pass_on();
  leave();
}
static void make_end_key(void) { pthread_key_create(&end_key, at_end); }
static void* run_thread(void* given) {
  Start* const start = given;
  own_record = &start->record;
  await_baton();
  pthread_setspecific(end_key, start);
  return start->body(start->argument);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*), void* argument) {
  if (!is_virtual()) return NEXT(pthread_create)(thread, attributes, body, argument);
  pthread_once(&end_key_once, make_end_key);
  Start* const start = calloc(1, sizeof *start);
  start->body = body;
  start->argument = argument;
  start->record.epoll = -1;
  const int failed = NEXT(pthread_create)(thread, attributes, run_thread, start);
  if (failed) return failed;
  enter();
  start->thread = *thread;
  start->next = starts;
  starts = start;
  make_ready(&start->record);
  leave();
  return 0;
}
int pthread_join(pthread_t thread, void** value) {
  if (is_virtual()) {
    Start* start = starts;
    while (start && !pthread_equal(start->thread, thread)) start = start->next;
    if (start && !start->over) wait_for(start, FOREVER);
  }
  return NEXT(pthread_join)(thread, value);
}

static void in_child(void) {  // only the thread that forked goes on
  guard = 0;
  first_waiting = last_waiting = first_ready = last_ready = NULL;
  starts = NULL;
  if (!own_record) own_record = &main_record;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (is_virtual()) renew_shared_descriptors();
}
__attribute__((constructor)) static void prepare(void) {
  main_record.epoll = -1;
  pthread_atfork(NULL, NULL, in_child);
}
