/* toServices that no Service of the inputs resolves. */
#include <string.h>

#include "analyzer/lint/scope.h"
#include "analyzer/rules/service.h"
#include "base/arena.h"

static bool namespace_has_services(const struct lint_scope *scope, const char *namespace) {
    const struct evidence *evidence = &scope->lint->snapshot.evidence;
    if (scope->lint->snapshot.complete[OBJECT_SERVICE])
        return true;
    for (size_t i = 0; namespace && *namespace && i < evidence->service_count; i++)
        if (!evidence->services[i].namespace || strcmp(evidence->services[i].namespace, namespace) == 0)
            return true;
    return false;
}

/* Whether no Service of the inputs is meant, under any reading. */
static bool is_unresolved(struct lint_scope *scope, const struct cilium_entry *entry, uint32_t place) {
    struct cluster whole = scope->cluster;
    whole.arena = scope->scratch;
    whole.complete[OBJECT_SERVICE] = true;
    struct cilium_entry one = *entry;
    one.services.list = &entry->services.list[place];
    one.services.count = 1;
    for (size_t i = 0; i < scope->readings.count; i++) {
        struct peer_list peers = {0};
        peers_of_services(&one, false, false, &whole, &scope->readings.list[i], &peers);
        if (peers.count > 0)
            return false;
    }
    return true;
}

static const char *service_words(const struct cilium_service *service, struct arena *arena) {
    const char *namespace = service->has_selector ? service->selector_namespace : service->namespace;
    if (service->has_selector)
        return arena_format(arena, "no Service in namespace %s that the selector matches", namespace ? namespace : "");
    return arena_format(arena, "no Service %s/%s that Cilium resolves", namespace ? namespace : "",
                        service->name ? service->name : "");
}

static void check_entry(struct lint_scope *scope, const struct lint_member *member, const struct cilium_entry *entry) {
    bool ports = entry->port_presence == PRESENCE_FILLED || entry->icmp_presence == PRESENCE_FILLED;
    uint32_t unresolved = 0;
    for (uint32_t i = 0; i < entry->services.count; i++)
        unresolved += is_unresolved(scope, entry, i) ? 1 : 0;
    for (uint32_t i = 0; unresolved && i < entry->services.count; i++) {
        const struct cilium_service *service = &entry->services.list[i];
        const char *namespace = service->has_selector ? service->selector_namespace : service->namespace;
        if (!namespace_has_services(scope, namespace) || !is_unresolved(scope, entry, i))
            continue;
        lint_report(
            scope->lint, member->policy, CODE_SERVICE_UNRESOLVED, service->part,
            "%s names %s among the inputs, %s; write the Service's right name and namespace, or select its pods "
            "with toEndpoints",
            service->part.path, service_words(service, scope->lint->arena),
            ports && unresolved == entry->services.count ? "so the rule opens its ports to any destination"
                                                         : "so it opens nothing");
    }
}

void lint_check_services(struct lint_scope *scope, struct lint_member *member) {
    if (!member->sound || !member->candidate.rule || scope->lint->snapshot.evidence.service_count == 0)
        return;
    const struct cilium_entries *egress = &member->candidate.rule->egress;
    for (uint32_t i = 0; i < egress->count; i++)
        check_entry(scope, member, &egress->list[i]);
}
