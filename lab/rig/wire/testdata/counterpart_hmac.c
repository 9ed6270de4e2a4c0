/* HMAC-SHA256 (FIPS 180-4, RFC 2104) for counterpart.c, with the key in RTHS_RIG_KEY. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct sha { uint32_t h[8]; unsigned char block[64]; uint64_t n; };

static uint32_t turn(uint32_t v, int bits) { return v >> bits | v << (32 - bits); }

static void mix(struct sha *s) {
    static const uint32_t k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++) {
        const unsigned char *b = s->block + 4 * i;
        w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    }
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
    memcpy(v, s->h, sizeof v);
    for (int i = 0; i < 64; i++) { /* v holds a to h */
        uint32_t a = v[0], e = v[4];
        uint32_t t = v[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & v[5]) ^ (~e & v[6])) + k[i] + w[i];
        uint32_t u = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t, v[0] = t + u;
    }
    for (int i = 0; i < 8; i++) s->h[i] += v[i];
}

static void begin(struct sha *s) {
    *s = (struct sha){.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}
static void add(struct sha *s, const unsigned char *p, size_t n) {
    while (n--) {
        s->block[s->n++ % 64] = *p++;
        if (s->n % 64 == 0) mix(s);
    }
}
static void end(struct sha *s, unsigned char out[32]) {
    uint64_t bits = s->n * 8;
    unsigned char length[8];
    for (int i = 0; i < 8; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i));
    add(s, (const unsigned char *)"\x80", 1);
    while (s->n % 64 != 56) add(s, (const unsigned char *)"", 1);
    add(s, length, 8);
    for (int i = 0; i < 32; i++) out[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void hmac_sha256(const unsigned char *key, size_t nkey, const unsigned char *text, size_t n, unsigned char out[32]);
void hmac_sha256(const unsigned char *key, size_t nkey, const unsigned char *text, size_t n, unsigned char out[32]) {
    unsigned char block[64] = {0}, inner[64], outer[64];
    struct sha s;
    if (nkey > 64) begin(&s), add(&s, key, nkey), end(&s, block);
    else memcpy(block, key, nkey);
    for (int i = 0; i < 64; i++) inner[i] = block[i] ^ 0x36, outer[i] = block[i] ^ 0x5c;
    begin(&s), add(&s, inner, 64), add(&s, text, n), end(&s, out);
    memcpy(block, out, 32);
    begin(&s), add(&s, outer, 64), add(&s, block, 32), end(&s, out);
}

/* What counterpart.c calls. A key of less than 16 bytes is no key. */
size_t mac_length(void) {
    const char *key = getenv("RTHS_RIG_KEY");
    return key && strlen(key) >= 16 ? 32 : 0;
}
void mac_put(unsigned char *text, size_t n) {
    const char *key = getenv("RTHS_RIG_KEY");
    if (mac_length()) hmac_sha256((const unsigned char *)key, strlen(key), text, n, text + n);
}
int mac_right(const unsigned char *text, size_t n) {
    unsigned char want[32], differs = 0;
    const char *key = getenv("RTHS_RIG_KEY");
    if (!mac_length()) return 1;
    hmac_sha256((const unsigned char *)key, strlen(key), text, n, want);
    for (int i = 0; i < 32; i++) differs |= text[n + i] ^ want[i]; /* as long for every guess */
    return differs == 0;
}
