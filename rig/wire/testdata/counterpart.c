/* Both sides of ../../PROTOCOL.md in C11 with POSIX sockets: clock lockstep, one actuator, one load
 * cell, IPv4. The host must be little endian, as the datagrams are. RTHS_RIG_KEY has the key.
 *   cc -std=c11 -O2 counterpart.c counterpart_hmac.c -o counterpart -lm
 *   counterpart slave PORT RATE [STIFFNESS [WATCHDOG]] [--once]     PORT 0: the system chooses it
 *   counterpart master HOST PORT RATE N                            prints number, displacement, force */
#define _DEFAULT_SOURCE
#include <arpa/inet.h>
#include <math.h>
#include <stddef.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
enum { HELLO = 1, WELCOME, START, KEEP, COMMAND, READING, BYE, REFUSE };
enum { IDLE, RUNNING, HOLDING, RAMPING, TRIPPED, FREE }; /* FREE is never sent */
enum { CLIPPED = 16, WATCHDOG = 32, TRIGGER = 128 };
enum { OTHER_VERSION = 1, BUSY, OTHER_RATE, OTHER_CHANNELS, OTHER_CLOCK };
#define NONE UINT64_MAX
#define SECOND 1000000000LL
struct channel { double range, rate; char unit[8]; };
struct counts { uint64_t sent, received, repeated, old, bad, clipped; };
struct hello { double rate; uint8_t clock, zero[7]; char name[32]; };
struct welcome { double rate, watchdog; uint8_t clock, virtual, zero[6]; char name[56]; struct channel channel[96]; };
struct datagram { /* the compiler leaves no gaps: each number stands at a multiple of its size */
    char magic[4]; uint8_t version, kind; uint16_t length;
    uint64_t session, number, acted;
    int64_t sent, echo, measured;
    uint8_t nx, nf, na, zero; uint16_t age, status;
    union { struct hello hello; struct welcome welcome; double value[96]; struct counts counts; char text[128]; } body;
    unsigned char room[36]; /* for crc32c and hmac behind the longest body */
};
_Static_assert(offsetof(struct datagram, body) == 64 && sizeof(struct welcome) == 80 + 96 * 24, "gaps");
static int sock, state = FREE;
static double rate; /* Hz */
static int64_t echo;
static struct counts counts;
/* These stand for "no key". The functions of counterpart_hmac.c replace them when it is linked. */
__attribute__((weak)) size_t mac_length(void) { return 0; }
__attribute__((weak)) void mac_put(unsigned char *text, size_t n) { (void)text, (void)n; }
__attribute__((weak)) int mac_right(const unsigned char *text, size_t n) { return (void)text, (void)n, 1; }
static void fail(const char *why) { fprintf(stderr, "counterpart: %.128s\n", why); exit(1); }
static int64_t now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * SECOND + t.tv_nsec; }
static uint64_t draw(void) { /* a number that nobody can guess */
    uint64_t n = 0;
    if (getentropy(&n, sizeof n) != 0 || n == 0) fail("the system gave no random number");
    return n;
}
static int same(struct sockaddr_in a, struct sockaddr_in b) {
    return a.sin_addr.s_addr == b.sin_addr.s_addr && a.sin_port == b.sin_port;
}
static uint32_t crc32c(const unsigned char *p, size_t n) { /* 0x82F63B78 is 0x1EDC6F41 reflected */
    uint32_t crc = UINT32_MAX;
    for (; n > 0; n--, p++)
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ ((crc ^ *p >> bit) & 1 ? 0x82F63B78u : 0);
    return ~crc;
}
static size_t body_length(const struct datagram *d) { /* bytes */
    size_t n = (size_t)d->nx + d->nf + d->na;
    return (size_t[]){0, 48, 80 + 24 * n, 0, 0, 8 * n, 8 * n, 48, 128}[d->kind];
}
static void put(struct datagram *d, const struct sockaddr_in *to) { /* completes a datagram and sends it */
    unsigned char *p = (unsigned char *)d;
    size_t n = 64 + body_length(d);
    memcpy(d->magic, "RTHS", 4);
    d->version = 1, d->length = (uint16_t)(n + 4 + mac_length()), d->sent = now(), d->echo = echo;
    if (d->kind == REFUSE) counts.received--; else counts.sent++; /* a refused hello has no session to count it */
    if (d->kind == BYE) d->body.counts = counts;
    memcpy(p + n, &(uint32_t){crc32c(p, n)}, 4);
    mac_put(p, n + 4);
    sendto(sock, p, d->length, 0, (const struct sockaddr *)to, to ? sizeof *to : 0); /* an error is silence */
}
static int sound(const struct datagram *d, size_t n) { /* n bytes have come; 0: they are bad */
    const unsigned char *p = (const unsigned char *)d;
    if (n < 68 + mac_length() || n > sizeof *d || memcmp(d->magic, "RTHS", 4) || d->length != n) return 0;
    n -= mac_length() + 4; /* header and body */
    if (memcmp(p + n, &(uint32_t){crc32c(p, n)}, 4) || !mac_right(p, n + 4)) return 0;
    if (d->version != 1) return d->kind == HELLO && state == FREE; /* to be refused */
    if (d->kind < HELLO || d->kind > REFUSE || d->nx > 32 || d->nf > 32 || d->na > 32) return 0;
    return n == 64 + body_length(d) && (d->kind != COMMAND || d->nf + d->na == 0);
}
static int get(struct datagram *d, struct sockaddr_in *from) { /* 0: nothing sound came within 10 ms */
    ssize_t n = recvfrom(sock, d, sizeof *d, 0, (struct sockaddr *)from, &(socklen_t){sizeof *from});
    int good = n >= 0 && sound(d, (size_t)n);
    counts.received += n >= 0, counts.bad += n >= 0 && !good;
    return good;
}
/* The rig: an ideal actuator, which is where its command is, and a spring. */
static struct { uint64_t hello, session, asked, next, acted; struct sockaddr_in loop; int flags; int64_t heard, fed; } rig;
static double x, ramp, stiffness = 1e6, watchdog = 10, range = 0.1; /* m, m (where the ramp begins), N/m, s, m */
static struct datagram reading; /* the last one, to be sent once more */
static void measure(uint64_t number, int flags) {
    reading = (struct datagram){.kind = READING, .session = rig.session, .number = number, .acted = rig.acted,
        .measured = now(), .nx = 1, .nf = 1, .status = (uint16_t)(state | rig.flags | flags)};
    reading.body.value[0] = x, reading.body.value[1] = stiffness * x;
    put(&reading, &rig.loop);
}
static void meet(const struct datagram *d, const struct sockaddr_in *from) { /* a hello */
    int again = state != FREE && d->number == rig.hello && same(*from, rig.loop);
    const char *why[] = {"", "want version 1", "busy: another loop has the session", "the rig has another rate",
        "the rig has one displacement and one force", "the rig has clock lockstep"};
    struct datagram no = {.kind = REFUSE, .acted = NONE}, welcome = {.kind = WELCOME, .acted = NONE, .nx = 1, .nf = 1};
    no.status = d->version != 1 ? OTHER_VERSION : state != FREE && !again ? BUSY : d->body.hello.rate != rate ? OTHER_RATE :
        d->nx != 1 || d->nf != 1 || d->na != 0 ? OTHER_CHANNELS : d->body.hello.clock != 0 ? OTHER_CLOCK : 0;
    strcpy(no.body.text, why[no.status]);
    if (no.status != 0) { put(&no, from); return; }
    counts.repeated += again != 0;
    if (again && state != IDLE) return;
    if (!again) { /* a session begins, at x = 0 */
        memset(&rig, 0, sizeof rig);
        counts = (struct counts){.received = 1}, state = IDLE, x = 0;
        rig.hello = d->number, rig.session = draw(), rig.loop = *from, rig.acted = NONE;
    }
    welcome.session = rig.session, welcome.number = rig.hello, rig.heard = now(), echo = d->sent;
    welcome.body.welcome = (struct welcome){.rate = rate, .watchdog = watchdog, .virtual = 1, .name = "C counterpart",
        .channel = {{range, 0, "m"}, {0, 0, "N"}}};
    put(&welcome, from);
}
static void move(const struct datagram *d) { /* a command behind start */
    double to = fmax(-range, fmin(range, d->body.value[0])), limit = fmax(1, watchdog * rate);
    if (d->nx != 1 || !isfinite(d->body.value[0])) { counts.bad++; return; }
    if (rig.next > 0 && d->number == rig.next - 1) { counts.repeated++, put(&reading, &rig.loop); return; }
    if (d->number < rig.next) { counts.old++; return; }
    if ((double)(d->number - rig.next) > limit) { counts.bad++; return; }
    rig.next = d->number + 1;
    if (state == RUNNING) { /* an ideal actuator stands still in the samples of lost commands */
        rig.flags = to != d->body.value[0] ? CLIPPED : 0, counts.clipped += rig.flags != 0;
        x = to, rig.acted = d->number, rig.fed = now();
    }
    measure(rig.next, 0);
}
static int answer(const struct datagram *d, const struct sockaddr_in *from) { /* 1: the session has ended */
    int idle = state == IDLE, past = state == FREE, kind = d->kind;
    struct datagram bye = {.kind = BYE, .session = rig.session, .acted = NONE};
    if (kind == HELLO) { meet(d, from); return 0; }
    if (kind == WELCOME || kind == READING || kind == REFUSE) { counts.bad++; return 0; }
    if (d->session != rig.session || !same(*from, rig.loop) || (past && kind != BYE)) { counts.old++; return 0; }
    rig.heard = now(), echo = d->sent;
    if (kind == BYE) { counts.repeated += past, state = FREE, put(&bye, from); return 1; }
    if (kind == COMMAND && idle) counts.bad++;
    else if (kind == COMMAND) move(d);
    else if (kind == KEEP && idle) measure(rig.asked++, 0);
    else if (kind == START && idle) state = RUNNING, rig.fed = now(), measure(0, TRIGGER);
    else if (kind == KEEP) put(&reading, from);
    else if (counts.repeated++, rig.next == 0) put(&reading, from);
    return 0;
}
static void watch(void) { /* only commands feed the watchdog */
    double unfed = (double)(now() - rig.fed) / SECOND - watchdog, unheard = (double)(now() - rig.heard) / SECOND;
    if (watchdog > 0 && state == RUNNING && unfed > 0) state = RAMPING, rig.flags = WATCHDOG, ramp = x;
    if (state == RAMPING) x = ramp * fmax(0, 1 - unfed); /* to 0 in one second */
    if (state == RAMPING && x == 0) state = TRIPPED;
    if (watchdog > 0 && (state == IDLE || state == TRIPPED) && unheard > 10 * watchdog) state = FREE;
}
/* The loop. */
static uint64_t session, drawn, next; /* next: number of the newest reading behind start, and one */
static int started;
static int hear(const struct datagram *d) { /* the kind of what the loop takes, else 0 */
    int idle = (d->status & 15) == IDLE;
    if (d->kind == REFUSE && session == 0) fail(d->body.text);
    if (d->kind != WELCOME && d->kind != READING && d->kind != BYE) counts.bad++;
    else if (d->kind == WELCOME ? d->number != drawn : d->session != session || session == 0) counts.old++;
    else if (d->kind == WELCOME && session != 0) counts.repeated++;
    else if (d->kind == READING && (d->nx != 1 || d->nf != 1 || d->na != 0)) counts.bad++;
    else if (d->kind == READING && started && (idle || d->number + 1 < next)) counts.old++;
    else if (d->kind == READING && started && d->number + 1 == next) counts.repeated++;
    else { echo = d->sent; return d->kind; }
    return 0;
}
static void ask(struct datagram *d, int want, struct datagram *in) { /* sends d until the answer comes */
    struct sockaddr_in from;
    for (int again = 0; again <= 5; again++) {
        put(d, NULL);
        for (int64_t end = now() + SECOND; now() < end;) {
            int kind = get(in, &from) ? hear(in) : 0;
            if (kind == want) return;
            if (kind == BYE) fail("the rig has ended the session");
        }
    }
    fail("the rig is silent: want a rig at HOST and PORT, and one key on both sides");
}
static void take(struct datagram *d, struct datagram *in) { /* the next reading behind start, printed */
    ask(d, READING, in);
    next = in->number + 1;
    printf("%"PRIu64" %.17g %.17g\n", in->number, in->body.value[0], in->body.value[1]);
}
static void print(const char *who, struct counts c) {
    printf("%s: sent %"PRIu64", received %"PRIu64", repeated %"PRIu64", old %"PRIu64", bad %"PRIu64", clipped %"PRIu64"\n",
        who, c.sent, c.received, c.repeated, c.old, c.bad, c.clipped);
}
static void loop(uint64_t n) {
    struct datagram in, d = {.kind = HELLO, .number = drawn = draw(), .acted = NONE, .nx = 1, .nf = 1};
    d.body.hello = (struct hello){.rate = rate, .name = "C counterpart"};
    ask(&d, WELCOME, &in);
    const struct welcome w = in.body.welcome;
    session = in.session;
    if (in.nx != 1 || in.nf != 1 || in.na != 0 || w.rate != rate || w.clock != 0 ||
        strcmp(w.channel[0].unit, "m") || strcmp(w.channel[1].unit, "N")) {
        put(&(struct datagram){.kind = BYE, .session = session, .acted = NONE}, NULL);
        fail("the welcome: want the loop's rate, clock lockstep, one displacement in m, one force in N");
    }
    d = (struct datagram){.kind = KEEP, .session = session, .acted = NONE};
    ask(&d, READING, &in);
    started = 1, d.kind = START, take(&d, &in);
    for (uint64_t k = 0; k < n; k++) { /* 1 mm, 2 Hz */
        d.kind = COMMAND, d.number = k, d.acted = in.number, d.nx = 1;
        d.body.value[0] = 0.001 * sin(2 * 3.141592653589793 * 2 * (double)k / rate);
        take(&d, &in);
    }
    d = (struct datagram){.kind = BYE, .session = session, .acted = NONE};
    ask(&d, BYE, &in);
    print("loop", counts), print("rig", in.body.counts);
}
int main(int argc, char **argv) {
    int once = argc > 1 && !strcmp(argv[argc - 1], "--once"), slave = argc - once > 3 && !strcmp(argv[1], "slave");
    struct sockaddr_in at = {.sin_family = AF_INET}, from;
    struct datagram d;
    if (!slave && (argc != 6 || strcmp(argv[1], "master"))) fail("want slave PORT RATE …, or master HOST PORT RATE N");
    if (getenv("RTHS_RIG_KEY") && !mac_length()) fail("RTHS_RIG_KEY: want 16 bytes or more, and counterpart_hmac.c linked");
    sock = socket(AF_INET, SOCK_DGRAM, 0);
    setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_usec = 10000}, sizeof(struct timeval));
    rate = atof(argv[slave ? 3 : 4]), at.sin_port = htons((uint16_t)atoi(argv[slave ? 2 : 3]));
    if (!slave) {
        at.sin_addr.s_addr = inet_addr(argv[2]); /* of a name it makes 255.255.255.255, which is refused here */
        if (ntohl(at.sin_addr.s_addr) >> 24 != 127 && !mac_length()) fail("want a key for an address that is not loopback");
        if (connect(sock, (struct sockaddr *)&at, sizeof at) != 0) fail("cannot connect to HOST and PORT");
        loop(strtoull(argv[5], NULL, 10));
        return 0;
    }
    if (argc - once > 4) stiffness = atof(argv[4]);
    if (argc - once > 5) watchdog = atof(argv[5]);
    at.sin_addr.s_addr = htonl(mac_length() ? INADDR_ANY : INADDR_LOOPBACK);
    if (bind(sock, (struct sockaddr *)&at, sizeof at) != 0) fail("cannot listen at PORT: want a free one");
    getsockname(sock, (struct sockaddr *)&at, &(socklen_t){sizeof at});
    printf("port %d\n", ntohs(at.sin_port)), fflush(stdout);
    while (!get(&d, &from) || !answer(&d, &from) || !once) watch();
}
