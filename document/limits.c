#include "document/limits.h"

struct limits limits_default(void) {
    return (struct limits){
        .bytes = (size_t)1 << 30, .depth = 200, .nodes = 50000000, .alias = 1000000, .scalar = (size_t)1 << 20};
}
