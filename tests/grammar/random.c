#include "random.h"

#include <string.h>

uint32_t random_next(uint32_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

struct text random_text(uint32_t *seed, const char *alphabet, char *out, size_t room) {
    size_t length = random_next(seed) % (room + 1), letters = strlen(alphabet);
    for (size_t i = 0; i < length; i++)
        out[i] = alphabet[random_next(seed) % letters];
    return (struct text){out, length};
}
