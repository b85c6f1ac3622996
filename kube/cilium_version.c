#include "kube/cilium_version.h"

const char *cilium_class_word(enum cilium_class class) {
    static const char *const words[] = {[CILIUM_1_15] = "1.15",
                                        [CILIUM_1_16_0] = "1.16.0-1.16.3",
                                        [CILIUM_1_16_4] = "1.16.4 and later 1.16",
                                        [CILIUM_1_17_0] = "1.17.0-1.17.4",
                                        [CILIUM_1_17_5] = "1.17.5 and later 1.17",
                                        [CILIUM_1_18] = "1.18",
                                        [CILIUM_1_19] = "1.19"};
    return words[class];
}

/* A class begins with a patch of its minor version. */
static const struct {
    unsigned minor, patch;
} first_of[] = {
    [CILIUM_1_15] = {15, 0},   [CILIUM_1_16_0] = {16, 0}, [CILIUM_1_16_4] = {16, 4}, [CILIUM_1_17_0] = {17, 0},
    [CILIUM_1_17_5] = {17, 5}, [CILIUM_1_18] = {18, 0},   [CILIUM_1_19] = {19, 0},
};

static bool class_holds(int class, const struct version *version) {
    if (version->major != 1 || version->minor != first_of[class].minor)
        return false;
    bool later = class + 1 < CILIUM_CLASS_COUNT && first_of[class + 1].minor == version->minor;
    return !version->has_patch ||
           (version->patch >= first_of[class].patch && !(later && version->patch >= first_of[class + 1].patch));
}

cilium_classes cilium_classes_of(const struct cluster_facts *facts) {
    if (!facts_know(facts, FACT_CILIUM_VERSION))
        return cilium_from(CILIUM_1_17_0);
    cilium_classes classes = 0;
    for (int class = 0; class < CILIUM_CLASS_COUNT; class ++) {
        if (class_holds(class, &facts->cilium))
            classes |= (cilium_classes)(1u << class);
    }
    return classes;
}
