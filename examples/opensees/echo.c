/* The least server that a genericClient element of OpenSees can talk with: a spring of one degree of
 * freedom that moves at once. A reference for the time that a message takes (make latency).
 *     cc -O2 -o echo echo.c && ./echo 8090 40e3 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int client, on = 1;

/* Without TCP_QUICKACK around every read the acknowledgement waits for 40 ms. */
static void take(void *to, size_t n)
{
    for (ssize_t got; n > 0; to = (char *)to + got, n -= got) {
        setsockopt(client, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
        got = read(client, to, n);
        setsockopt(client, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
        if (got <= 0)
            exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return fputs("want a port and a stiffness: ./echo 8090 40e3\n", stderr), 2;
    double k = atof(argv[2]), x = 0;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int door = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(door, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(door, (struct sockaddr *)&at, sizeof at) || listen(door, 1))
        return perror("echo"), 1;
    puts("listening"), fflush(stdout);
    client = accept(door, 0, 0);
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    int32_t header[11];
    take(header, sizeof header);
    size_t bytes = 8 * (size_t)header[10];
    double *in = calloc(1, bytes), *out = calloc(1, bytes);
    for (;;) {
        take(in, bytes);
        switch ((int)in[0]) {
        case 3: x = in[1]; continue;
        case 99: return 0;
        case 10: out[0] = k * x; break;
        case 12: case 13: out[0] = k; break;
        case 14: case 15: out[0] = 0; break;
        default: continue;
        }
        if (write(client, out, bytes) != (ssize_t)bytes)
            return 1;
    }
}
