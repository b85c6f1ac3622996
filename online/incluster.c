#include "online/incluster.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"

bool incluster_access(const char *host, const char *port, const char *folder, struct arena *arena,
                      struct access *access, struct diagnostics *diagnostics) {
    const char *authorities = arena_format(arena, "%s/ca.crt", folder);
    struct text namespace;
    bool is_v6 = strchr(host, ':') != NULL;
    *access = (struct access){
        .server = arena_format(arena, "https://%s%s%s:%s", is_v6 ? "[" : "", host, is_v6 ? "]" : "", port),
        .token_file = arena_format(arena, "%s/token", folder)};
    access->token_location = (struct location){.file = access->token_file};
    const char *fault = access_check_server(access->server);
    if (fault) {
        diagnostics_add(diagnostics, CODE_CONFIG_UNUSABLE, (struct location){0},
                        "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT give no URL: it %s", fault);
        return false;
    }
    if (!access_read_file(authorities, arena, &access->identity.authorities)) {
        diagnostics_add(diagnostics, CODE_UNREADABLE, (struct location){.file = authorities},
                        "cannot read the cluster's certificate authority: %s", strerror(errno));
        return false;
    }
    if (access_read_file(arena_format(arena, "%s/namespace", folder), arena, &namespace)) {
        namespace = text_trim(namespace);
        access->namespace = arena_copy(arena, namespace.bytes, namespace.length);
    }
    return true;
}
