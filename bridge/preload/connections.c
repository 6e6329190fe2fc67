// Connections of a program: to the contract, to the servers of the scenario, and to nothing else.
//
// A connection to a server opens when the simulated network says so. Until then the socket is not connected at all: the wish is
// told at the end of the turn ("connect NUMBER PORT"), polls leave the socket out, and what epoll shall know of it is put off.
// The answer to a later turn says "open NUMBER", and the socket is connected to the loopback; or "refuse NUMBER", and it is sent
// to a port where nothing listens, so that the kernel itself has the error. A socket that is closed before is told as "drop".
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "virtual.h"

typedef struct Opening {
  struct Opening* next;
  int fd;
  unsigned long number;
  int refused;
  struct sockaddr_in to;
  int epoll;  // which shall know of it, or -1
  struct epoll_event event;
} Opening;

static Opening* openings;
static unsigned long opened;  // number of the last one

static Opening* opening_of(int fd) {
  Opening* o = openings;
  while (o && o->fd != fd) o = o->next;
  return o;
}
static void unlink_opening(Opening* gone) {
  Opening** at = &openings;
  while (*at && *at != gone) at = &(*at)->next;
  if (*at) *at = gone->next;
}

// --- where a program may connect to

static int is_among(const char* variable, int port) {
  const char* list = getenv(variable);
  while (list && *list) {
    char* end;
    const long one = strtol(list, &end, 10);
    if (end == list) break;
    if (one == port) return 1;
    list = *end ? end + 1 : end;
  }
  return 0;
}
static int is_loopback(const struct sockaddr* to) {
  if (to->sa_family == AF_INET) return ntohl(((const struct sockaddr_in*)to)->sin_addr.s_addr) >> 24 == 127;
  return to->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6*)to)->sin6_addr);
}
static int port_of(const struct sockaddr* to) {
  if (to->sa_family == AF_INET) return ntohs(((const struct sockaddr_in*)to)->sin_port);
  return to->sa_family == AF_INET6 ? ntohs(((const struct sockaddr_in6*)to)->sin6_port) : 0;
}
static int refuse_address(const struct sockaddr* to) {
  char host[INET6_ADDRSTRLEN] = "an address of another kind";
  if (to->sa_family == AF_INET) inet_ntop(AF_INET, &((const struct sockaddr_in*)to)->sin_addr, host, sizeof host);
  if (to->sa_family == AF_INET6) inet_ntop(AF_INET6, &((const struct sockaddr_in6*)to)->sin6_addr, host, sizeof host);
  if (to->sa_family == AF_UNIX) return refuse("it connected to the socket %s", ((const struct sockaddr_un*)to)->sun_path);
  return refuse("it connected to %s port %d, which is no server of the scenario", host, port_of(to));
}

static int open_in_turn(int fd, const struct sockaddr_in* to) {
  if (opening_of(fd)) {
    errno = EALREADY;
    return -1;
  }
  Opening* const o = calloc(1, sizeof *o);
  o->fd = fd;
  o->number = ++opened;
  o->to = *to;
  o->epoll = -1;
  o->next = openings;
  openings = o;
  tell(" connect %lu %d", o->number, ntohs(to->sin_port));
  if (fcntl(fd, F_GETFL) & O_NONBLOCK) {
    errno = EINPROGRESS;
    return -1;
  }
  struct timeval limit = {0, 0};
  socklen_t size = sizeof limit;
  getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, &size);
  const long ms = limit.tv_sec * 1000 + (limit.tv_usec + 999) / 1000;
  const int late = wait_for(o, ms > 0 ? in_ms((int)ms) : FOREVER);
  const int refused = o->refused;
  if (late) {
    tell(" drop %lu", o->number);
    unlink_opening(o);
  }
  free(o);
  if (!late && !refused) return 0;
  errno = late ? EINPROGRESS : ECONNREFUSED;
  return -1;
}

int connect(int fd, const struct sockaddr* to, socklen_t size) {
  if (!is_virtual() || to->sa_family == AF_UNSPEC) return (int)kernel(SYS_connect, fd, to, size);
  int type = 0;
  socklen_t type_size = sizeof type;
  getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_size);
  if (type != SOCK_STREAM || !is_loopback(to)) return refuse_address(to);
  if (is_among("PICKLOCK_CONTROL", port_of(to))) return (int)kernel(SYS_connect, fd, to, size);
  if (!is_among("PICKLOCK_SERVERS", port_of(to))) return refuse_address(to);
  if (to->sa_family == AF_INET) return open_in_turn(fd, (const struct sockaddr_in*)to);
  errno = ECONNREFUSED;  // "localhost" by version 6, where no server listens: libraries try the other one next
  return -1;
}

// Within the answer to a turn: no thread of the program runs.
void hear_of_connection(const char* what, unsigned long number) {
  Opening* o = openings;
  while (o && o->number != number) o = o->next;
  if (!o) return;  // closed meanwhile
  unlink_opening(o);
  o->refused = strcmp(what, "open") != 0;
  struct sockaddr_in to = o->to;
  if (o->refused) to.sin_port = htons((uint16_t)atoi(getenv("PICKLOCK_NOWHERE")));
  const int flags = fcntl(o->fd, F_GETFL);
  const int blocking = (flags & O_NONBLOCK) == 0;
  if (!o->refused && !blocking) fcntl(o->fd, F_SETFL, flags & ~O_NONBLOCK);  // the loopback answers at once
  if (!(o->refused && blocking)) kernel(SYS_connect, o->fd, &to, sizeof to);
  if (!o->refused && !blocking) fcntl(o->fd, F_SETFL, flags);
  if (o->epoll >= 0) kernel(SYS_epoll_ctl, o->epoll, EPOLL_CTL_ADD, o->fd, &o->event);
  wake_in_turn(o);
  if (!blocking) free(o);  // else the thread that waits for it does so
}

int close(int fd) {
  Opening* const o = is_virtual() ? opening_of(fd) : NULL;
  if (o) {
    tell(" drop %lu", o->number);
    unlink_opening(o);
    free(o);
  }
  return (int)kernel(SYS_close, fd);
}

// --- polls

int poll_now(struct pollfd* fds, nfds_t count) {
  if (!openings) return (int)kernel(SYS_poll, fds, count, 0);
  int hidden[64];
  nfds_t places[64], hiding = 0;
  for (nfds_t i = 0; i < count && hiding < 64; ++i) {
    if (fds[i].fd < 0 || !opening_of(fds[i].fd)) continue;
    hidden[hiding] = fds[i].fd;
    places[hiding++] = i;
    fds[i].fd = -1;
  }
  const int found = (int)kernel(SYS_poll, fds, count, 0);
  for (nfds_t i = 0; i < hiding; ++i) fds[places[i]].fd = hidden[i];
  return found;
}

int epoll_ctl(int epoll, int operation, int fd, struct epoll_event* event) {
  Opening* const o = is_virtual() ? opening_of(fd) : NULL;
  if (!o) return (int)kernel(SYS_epoll_ctl, epoll, operation, fd, event);
  o->epoll = operation == EPOLL_CTL_DEL ? -1 : epoll;
  if (event) o->event = *event;
  return 0;
}

// --- names, datagrams and listening

int getaddrinfo(const char* host, const char* service, const struct addrinfo* hints, struct addrinfo** found) {
  if (is_virtual() && host) {
    struct in6_addr any;
    const int is_known = strcmp(host, "localhost") == 0 || inet_pton(AF_INET, host, &any) || inet_pton(AF_INET6, host, &any);
    if (!is_known) {
      refuse("it looked up the address of %s", host);
      return EAI_FAIL;
    }
  }
  return NEXT(getaddrinfo)(host, service, hints, found);
}
ssize_t sendto(int fd, const void* bytes, size_t size, int flags, const struct sockaddr* to, socklen_t to_size) {
  if (is_virtual() && to) return refuse_address(to);
  return kernel(SYS_sendto, fd, bytes, size, flags, to, to_size);
}
int listen(int fd, int most) {
  if (is_virtual()) return refuse("it listens on a socket");
  return (int)kernel(SYS_listen, fd, most);
}
