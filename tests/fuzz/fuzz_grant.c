/* Grants: whatever the texts of grants and of the permitted-hosts ConfigMap are, they are read or refused with a place, and
 * what compiles reads back to the same values and names no host that is not permitted. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "compiler/grant.h"
#include "document/reader.h"
#include "document/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char config_text[] =
    "namespace: agents\nsandboxTemplateName: shell\negress:\n  policy: {kind: no-network}\n  perSandbox:\n"
    "    engine: cilium\n    admissionPolicyName: fence\n"
    "    permittedHostsParam: {name: permitted, namespace: agents}\n"
    "    narrowing: {ports: [443], hostPorts: {A.example.com: [22, 443]}, dnsNames: true}\n";

static void check(bool fact) {
    if (!fact) {
        abort();
    }
}

static struct limits small_limits(void) {
    struct limits limits = limits_default();
    limits.nodes = 100000;
    limits.alias = 10000;
    return limits;
}

/* A second document, if there is one, is tried as the ConfigMap too. The text is of no file, so none is opened. */
static bool find_permitted(struct text text, struct arena *arena, struct permitted_hosts *permitted) {
    struct reader_options options = {.limits = small_limits()};
    struct file file = {0};
    struct inputs inputs = {.files = &file, .count = 1};
    struct objects objects;
    struct diagnostics problems;
    diagnostics_init(&problems, arena);
    reader_read_text("<stdin>", text, &options, arena, &file, &problems);
    objects_collect(&inputs, NULL, arena, &objects, &problems);
    const struct object *found = permitted_hosts_find(&objects, "agents", "permitted");
    if (found) {
        permitted_hosts_read(found, &objects, &options.limits, arena, permitted);
    }
    return found != NULL;
}

static void check_object(const struct grant *grant, struct arena *arena) {
    const struct node *object = grant_compile(grant, arena);
    struct buffer bytes;
    struct diagnostics problems;
    struct file file = {0};
    struct reader_options options = {.limits = limits_default()};
    check((object == NULL) == (grant->host_count == 0));
    if (!object) {
        return;
    }
    buffer_init(&bytes, arena);
    diagnostics_init(&problems, arena);
    writer_yaml(&bytes, object);
    reader_read_text("compiled", (struct text){bytes.bytes, bytes.length}, &options, arena, &file, &problems);
    check(file.count == 1 && node_equal(&file.documents[0].root, object));
}

static void check_set(const struct grant_set *set, const struct permitted_hosts *permitted, struct arena *arena) {
    const struct diagnostics *found = &set->boundary->diagnostics;
    for (size_t i = 0; i < found->count; i++) {
        check(found->list[i].location.file && found->list[i].message[0]);
    }
    for (size_t i = 0; i < set->count; i++) {
        const struct grant *grant = &set->list[i];
        for (size_t k = 0; grant->usable && permitted && k < grant->host_count; k++) {
            check(permitted_hosts_has_host(permitted, grant->hosts[k].entry));
        }
        if (grant->usable) {
            check_object(grant, arena);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *arena = arena_create();
    struct text text = {arena_copy(arena, (const char *)data, size), size};
    struct config_options options = {.limits = small_limits()};
    struct diagnostics outside;
    struct config config;
    struct grant_set set;
    struct permitted_hosts permitted;
    diagnostics_init(&outside, arena);
    check(config_read_text("egress.yaml", "", text_of(config_text), &options, arena, &config, &outside) == CONFIG_OK);
    grants_init(&set, &config.boundaries[0], &options.limits, arena);
    enum config_result result = grants_read_text(&set, "fuzz.yaml", text, &outside);
    bool found = find_permitted(text, arena, &permitted);
    if (found && grants_need_permission(&set)) {
        grants_check_permitted(&set, &permitted);
    }
    grants_finish(&set, &config, &outside);
    check(result == CONFIG_OK || !set.usable);
    check_set(&set, found ? &permitted : NULL, arena);
    arena_destroy(arena);
    return 0;
}
