/* Both sides of docs/reference/protocol.md in C11 with POSIX sockets: clock lockstep, one actuator, one load cell, IPv4.
 * The host must be little endian, as the datagrams are. docs/guides/connect-your-controller.md explains this file.
 *   cc -std=c11 -O2 -o counterpart counterpart.c -lm        add counterpart_hmac.c for a key in RTHS_RIG_KEY
 *   counterpart slave HOST PORT RATE STIFFNESS WATCHDOG     the rig; Hz, N/m, s; port 0: a free one; Ctrl-C ends it
 *   counterpart master HOST PORT RATE N                     the loop: N commands; prints number, displacement, force */
#define _DEFAULT_SOURCE
#include <arpa/inet.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
enum { HELLO = 1, WELCOME, START, KEEP, COMMAND, READING, BYE, REFUSE };
enum { IDLE, RUNNING, HOLDING, RAMPING, TRIPPED, FREE }; /* states of the rig; FREE is never sent */
enum { CLIPPED = 16, WATCHDOG = 32, TRIGGER = 128 };
#define NONE UINT64_MAX
#define SECOND 1000000000LL /* ns */
struct channel { double range, rate; char unit[8]; };
static struct counts { uint64_t sent, received, repeated, old, bad, clipped; } counts;
struct hello { double rate; uint8_t clock, zero[7]; char name[32]; };
struct welcome { double rate, watchdog; uint8_t clock, virtual, zero[6]; char name[56]; struct channel channel[96]; };
typedef struct { /* the compiler leaves no gaps: each number stands at a multiple of its size */
    char magic[4]; uint8_t version, kind; uint16_t length;
    uint64_t session, number, acted;
    int64_t sent, echo, measured;
    uint8_t nx, nf, na, zero; uint16_t age, status;
    union { struct hello hello; struct welcome welcome; double value[96]; struct counts counts; char text[128]; } body;
    unsigned char room[40]; /* for crc32c and hmac behind the longest body */
} datagram;
_Static_assert(sizeof(datagram) == 64 + 80 + 96 * 24 + 40, "gaps");
typedef struct sockaddr_in address;
static int sock, takes, state = FREE, flags; /* takes: a bit for each kind; state: of the rig, also in the loop */
static uint64_t session, drawn, asked, next, acted; /* drawn: number of hello; next: of what is to come */
static int64_t echo, heard, fed; /* heard, fed: when a datagram, and a command that moves, came to the rig */
static double rate, x, ramp, stiffness, watchdog, range = 0.1; /* Hz, m, m where a ramp begins, N/m, s, m */
static datagram last; /* of the rig, to be sent again */
static address loop; /* that has the rig */
/* These stand for "no key". The functions of counterpart_hmac.c replace them when it is linked. */
__attribute__((weak)) size_t mac_length(void) { return 0; }
__attribute__((weak)) void mac_put(unsigned char *text, size_t n) { (void)text, (void)n; }
__attribute__((weak)) int mac_right(const unsigned char *text, size_t n) { return (void)text, (void)n, 1; }
static void fail(const char *why) { fprintf(stderr, "counterpart: %.128s\n", why); exit(1); }
static int64_t now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * SECOND + t.tv_nsec; }
static uint64_t draw(void) { uint64_t n; if (getentropy(&n, 8)) fail("no random number"); return n | 1; } /* not 0 */
static datagram make(uint8_t kind) { return (datagram){.kind = kind, .session = session, .acted = NONE, .echo = echo}; }
static uint32_t crc32c(const unsigned char *p, size_t n) { /* 0x82F63B78 is 0x1EDC6F41 reflected */
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < 8 * n; i++) crc = crc >> 1 ^ ((crc ^ p[i / 8] >> i % 8) & 1 ? 0x82F63B78u : 0);
    return ~crc;
}
static size_t content(const datagram *d) { /* bytes of header and body */
    size_t n = (size_t)d->nx + d->nf + d->na;
    return (size_t[]){0, 112, 144 + 24 * n, 64, 64, 64 + 8 * n, 64 + 8 * n, 112, 192}[d->kind];
}
static void put(datagram *d, const address *to) { /* sends; what has a length was sent before: the same bytes again */
    unsigned char *p = (unsigned char *)d;
    size_t n = content(d);
    if (d->length == 0) {
        memcpy(d->magic, "RTHS", 4), d->version = 1, d->length = (uint16_t)(n + 4 + mac_length()), d->sent = now();
        if (d->kind == BYE) d->body.counts = counts, d->body.counts.sent++; /* it counts itself */
        memcpy(p + n, &(uint32_t){crc32c(p, n)}, 4), mac_put(p, n + 4);
    }
    counts.sent++;
    sendto(sock, p, d->length, 0, (const struct sockaddr *)to, to ? sizeof *to : 0); /* an error is a lost datagram */
}
static int sound(const datagram *d, size_t size) { /* 0: what has come is bad */
    const unsigned char *p = (const unsigned char *)d;
    size_t n = size - 4 - mac_length();
    uint8_t kind = d->kind, channels[4] = {kind == COMMAND || kind == READING, kind == READING}; /* nx, nf, na, 0 */
    if (size < 68 + mac_length() || memcmp(p, "RTHS", 4) || memcmp(p + n, &(uint32_t){crc32c(p, n)}, 4)) return 0;
    if (!mac_right(p, n + 4) || kind > REFUSE || !(takes >> kind & 1)) return 0;
    if (d->version != 1) return kind == REFUSE || (kind == HELLO && state == FREE);
    if (d->length != size || n != content(d) || (kind == COMMAND && !isfinite(d->body.value[0]))) return 0;
    if (kind == HELLO || kind == WELCOME) return d->nx <= 32 && d->nf <= 32 && d->na <= 32 && d->zero == 0;
    return memcmp(&d->nx, channels, 4) == 0;
}
static int get(datagram *d, address *from) { /* 0: nothing sound came within 10 ms */
    ssize_t n = recvfrom(sock, d, sizeof *d, 0, (struct sockaddr *)from, &(socklen_t){sizeof *from});
    if (n >= 0) counts.received++;
    return n >= 0 && (sound(d, (size_t)n) || (counts.bad++, 0));
}
/* The rig: an ideal actuator, which is where its command is, and a spring. */
static int same(const address *a) { return a->sin_addr.s_addr == loop.sin_addr.s_addr && a->sin_port == loop.sin_port; }
static void measure(uint64_t number) {
    last = make(READING), last.number = number, last.acted = acted, last.measured = now();
    last.nx = last.nf = 1, last.body.value[0] = x, last.body.value[1] = stiffness * x;
    last.status = (uint16_t)(state | flags | (state != IDLE && number == 0 ? TRIGGER : 0));
    put(&last, &loop);
}
static void meet(const datagram *d, const address *from) { /* a hello */
    int mine = state != FREE && d->number == drawn && same(from);
    if (state == FREE && session != 0 && d->number == drawn) { counts.old++; return; } /* of the last session */
    uint16_t why = d->version != 1 ? 1 : mine ? 0 : state != FREE ? 2 : d->body.hello.rate != rate ? 3 :
        d->nx != 1 || d->nf != 1 || d->na != 0 ? 4 : d->body.hello.clock != 0 ? 5 : 0;
    datagram out = {.kind = why ? REFUSE : WELCOME, .number = d->number, .acted = NONE, .echo = d->sent, .status = why};
    snprintf(out.body.text, 128, "want version 1, %g Hz, 1 displacement, 1 force, lockstep; one loop at a time", rate);
    if (why != 0) { put(&out, from), counts.sent--, counts.received--; return; } /* hello and refuse are in no count */
    if (!mine) state = IDLE, session = draw(), drawn = d->number, loop = *from, echo = d->sent, flags = 0, asked = next = 0,
        acted = NONE, counts = (struct counts){.received = 1}; /* a session begins */
    heard = now(), counts.repeated += mine != 0, out.session = session, out.nx = out.nf = 1;
    out.body.welcome = (struct welcome){.rate = rate, .watchdog = watchdog, .virtual = 1, .name = "C counterpart",
        .channel = {{range, 0, "m"}, {0, 0, "N"}}};
    if (state == IDLE) put(&out, from);
}
static void move(const datagram *d) { /* a command; while some before it were lost, the actuator stood still */
    double to = fmax(-range, fmin(range, d->body.value[0])), most = fmax(1, watchdog * rate) + 1; /* samples ahead */
    if (state == IDLE || (d->number > next && (double)(d->number - next) > most)) { counts.bad++; return; }
    if (d->number + 1 == next) { counts.repeated++, put(&last, &loop); return; }
    if (d->number < next) { counts.old++; return; }
    next = d->number + 1;
    if (state == RUNNING) x = to, acted = d->number, fed = now(), flags = to != d->body.value[0] ? CLIPPED : 0;
    counts.clipped += state == RUNNING && flags == CLIPPED;
    measure(next);
}
static void answer(const datagram *d, const address *from) {
    int kind = d->kind, idle = state == IDLE, past = state == FREE;
    if (kind == HELLO) { meet(d, from); return; }
    if (session == 0 || d->session != session || (past ? kind != BYE : !same(from))) { counts.old++; return; }
    heard = now(), echo = d->sent > echo ? d->sent : echo;
    if (kind == COMMAND) move(d);
    else if (kind == BYE) counts.repeated += past, state = FREE, x = 0, last = make(BYE), put(&last, from);
    else if (kind == KEEP && idle) measure(asked++);
    else if (kind == KEEP) put(&last, from);
    else if (idle) state = RUNNING, fed = now(), measure(0); /* start */
    else if (counts.repeated++, next == 0) put(&last, from);
}
static void watch(void) { /* for commands, and for a loop that has gone */
    double unfed = (double)(now() - fed) / SECOND - watchdog, unheard = (double)(now() - heard) / SECOND;
    if (state == RUNNING && unfed > 0) state = RAMPING, flags = WATCHDOG, ramp = x;
    if (state == RAMPING && (x = ramp * fmax(0, 1 - unfed)) == 0) state = TRIPPED; /* 0 after a second */
    if ((state == IDLE && unheard > fmax(30, 10 * watchdog)) || (state == TRIPPED && unheard > 10 * watchdog)) state = FREE;
}
static int hear(datagram *d) { /* The loop from here on. The kind of what it takes, else 0 */
    int kind = get(d, &(address){0}) ? d->kind : 0, idle = (d->status & 15) == IDLE, mine = d->number == drawn;
    if (kind == 0) return 0;
    if (kind == REFUSE && mine) fail(d->body.text);
    if (kind == WELCOME && mine && state == FREE) session = d->session, state = IDLE, takes &= ~(1 << REFUSE);
    else if (state == FREE || d->session != session || (kind == WELCOME && !mine)) return counts.old++, 0;
    else if (kind == READING && ((state == RUNNING && idle) || d->number + 1 < next)) return counts.old++, 0;
    else if (kind == WELCOME || (kind == READING && d->number + 1 == next)) return counts.repeated++, 0;
    if (kind == READING) next = d->number + 1;
    echo = d->sent;
    return kind;
}
static void ask(datagram *d, int want, datagram *in) { /* sends d, five times in all, until the answer has come */
    int64_t begin = now();
    for (int sent = 0, kind = 0; kind != want; kind = hear(in)) {
        if (kind == BYE) fail("the rig has ended the session");
        if (now() < begin + sent * SECOND) continue;
        if (sent++ == 5) fail("the rig is silent: want a rig at HOST and PORT, and the same key on both sides, if any");
        put(d, NULL);
    }
}
static void run(uint64_t n) {
    datagram in = {0}, d = make(HELLO);
    const char *why = NULL; /* the loop gives up */
    d.number = drawn = draw(), d.nx = d.nf = 1, d.body.hello = (struct hello){.rate = rate, .name = "C counterpart"};
    ask(&d, WELCOME, &in);
    const struct welcome *w = &in.body.welcome;
    if (in.nx != 1 || in.nf != 1 || in.na != 0 || w->rate != rate || !(w->watchdog > 0) || w->clock != 0 ||
        strncmp(w->channel[0].unit, "m", 8) || strncmp(w->channel[1].unit, "N", 8))
        why = "the welcome: want the loop's rate, a watchdog, lockstep, one displacement in m, one force in N";
    else d = make(KEEP), ask(&d, READING, &in), d = make(START), state = RUNNING, next = 0;
    for (uint64_t k = 0; why == NULL && k <= n; k++) {
        ask(&d, READING, &in);
        printf("%"PRIu64" %.17g %.17g\n", in.number, in.body.value[0], in.body.value[1]);
        if (in.number != k) why = "a reading of another number than the answer's: the rig is not in lockstep";
        if ((in.status & 15) != RUNNING) why = "the rig takes no commands any more";
        d = make(COMMAND), d.number = d.acted = k, d.nx = 1;
        d.body.value[0] = 0.001 * sin(2 * M_PI * 2 * (double)k / rate); /* 1 mm, 2 Hz */
    }
    d = make(BYE), ask(&d, BYE, &in);
    for (struct counts *c = &counts; c != NULL; c = c == &counts ? &in.body.counts : NULL)
        printf("%s: sent %"PRIu64", received %"PRIu64", repeated %"PRIu64", old %"PRIu64", bad %"PRIu64
            ", clipped %"PRIu64"\n", c == &counts ? "loop" : "rig",
            c->sent, c->received, c->repeated, c->old, c->bad, c->clipped);
    if (why != NULL) fail(why);
}
int main(int argc, char **argv) {
    int slave = argc == 7 && !strcmp(argv[1], "slave") && (watchdog = atof(argv[6])) > 0;
    const char *key = getenv("RTHS_RIG_KEY");
    address at = {.sin_family = AF_INET}, from;
    datagram d;
    if (!slave && (argc != 6 || strcmp(argv[1], "master")))
        fail("want slave HOST PORT RATE STIFFNESS WATCHDOG, with a watchdog above 0 s, or master HOST PORT RATE N");
    at.sin_addr.s_addr = inet_addr(argv[2]), at.sin_port = htons((uint16_t)atoi(argv[3])), rate = atof(argv[4]);
    if (((key && *key) || ntohl(at.sin_addr.s_addr) >> 24 != 127) && !mac_length())
        fail("want HOST 127.0.0.1 and no key, or 16 bytes and more in RTHS_RIG_KEY and counterpart_hmac.c linked");
    sock = socket(AF_INET, SOCK_DGRAM, 0);
    setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_usec = 10000}, sizeof(struct timeval));
    if ((slave ? bind : connect)(sock, (struct sockaddr *)&at, sizeof at)) fail("want another HOST or PORT");
    takes = slave ? 0xBA : 0x1C4; /* hello, start, keep, command, bye; or welcome, reading, bye, refuse */
    if (!slave) { run(strtoull(argv[5], NULL, 10)); return 0; }
    stiffness = atof(argv[5]), getsockname(sock, (struct sockaddr *)&at, &(socklen_t){sizeof at});
    printf("port %d\n", ntohs(at.sin_port)), fflush(stdout);
    for (;; watch()) if (get(&d, &from)) answer(&d, &from);
}
