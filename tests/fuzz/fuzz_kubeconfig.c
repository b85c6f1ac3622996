/*
 * Any bytes as a kubeconfig: each context of it, and the current one. Whatever is wrong is said with a file; what is well
 * has a server that may be asked, and credentials that can stand in a header.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "online/kubeconfig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool what) {
    if (!what)
        abort();
}

static void check_access(const struct kubeconfig *config, const char *context, struct arena *arena) {
    struct access access;
    struct diagnostics diagnostics;
    const char *header = NULL;
    diagnostics_init(&diagnostics, arena);
    if (!kubeconfig_access(config, context, arena, &access, &diagnostics)) {
        require(diagnostics.errors > 0);
        return;
    }
    require(diagnostics.errors == 0);
    require(access.server && !access_check_server(access.server));
    require(!access.has_plugin || (access.plugin.command && access.plugin.api_version));
    if (access.token_file) /* which files the fuzzer's host has is no matter */
        return;
    if (access_authorize(&access, arena, &header, &diagnostics))
        require(!header || !strpbrk(header, "\r\n"));
    if (access.token && strlen(access.token) >= 4)
        require(!strstr(access_redact(&access, access.token, arena), access.token));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *arena = arena_create();
    struct kubeconfig config;
    struct diagnostics diagnostics;
    diagnostics_init(&diagnostics, arena);
    struct text text = {.bytes = (const char *)data, .length = size};
    if (kubeconfig_load_text("kubeconfig", "/nowhere", text, arena, &config, &diagnostics)) {
        check_access(&config, NULL, arena);
        const struct node *contexts = config.count > 0 ? node_get(config.files[0].root, "contexts") : NULL;
        for (uint32_t i = 0; node_is(contexts, NODE_LIST) && i < contexts->count && i < 16; i++) {
            const char *name = node_string(node_get(&contexts->items[i], "name"));
            if (name)
                check_access(&config, name, arena);
        }
    } else {
        require(diagnostics.count > 0);
    }
    arena_destroy(arena);
    return 0;
}
