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

// A server: "NAME/ADDRESS/PORT/REAL", by which the program knows it, and the port of the loopback where picklock listens for it.
typedef struct Server {
  char name[64], address[16];
  int port, real;
} Server;

// The next one of the list; 0: there is none.
static int next_server(const char** list, Server* server) {
  if (!*list || sscanf(*list, "%63[^/]/%15[^/]/%d/%d", server->name, server->address, &server->port, &server->real) != 4) return 0;
  *list = strchr(*list, ',');
  if (*list) ++*list;
  return 1;
}
// Of this address and port; 0: of no server.
static int real_port_of(const struct sockaddr_in* to) {
  Server s;
  for (const char* list = getenv("PICKLOCK_SERVERS"); next_server(&list, &s);) {
    if (s.port == ntohs(to->sin_port) && inet_addr(s.address) == to->sin_addr.s_addr) return s.real;
  }
  return 0;
}
static const char* address_of(const char* name, char address[16]) {
  Server s;
  for (const char* list = getenv("PICKLOCK_SERVERS"); next_server(&list, &s);) {
    if (strcmp(s.name, name) == 0) return strcpy(address, s.address);
  }
  return NULL;
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
  if (port_of(to) == atoi(getenv("PICKLOCK_CONTROL"))) return (int)kernel(SYS_connect, fd, to, size);
  if (to->sa_family != AF_INET) return refuse_address(to);
  struct sockaddr_in real = *(const struct sockaddr_in*)to;
  const int port = real_port_of(&real);
  if (port == 0) return refuse_address(to);
  real.sin_port = htons((uint16_t)port);
  real.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return open_in_turn(fd, &real);
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
  forget_random_file(fd);
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
  char address[16];
  const char* const known = is_virtual() && host ? address_of(host, address) : NULL;
  if (known) return NEXT(getaddrinfo)(known, service, hints, found);
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
