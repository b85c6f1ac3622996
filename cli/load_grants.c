#include "cli/load_grants.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "kube/object.h"

/* A search for the ConfigMap of a boundary. */
struct search {
    const struct command_context *context;
    const struct per_sandbox *per_sandbox;
    struct permitted_hosts permitted;
};

/* Other objects of the files are no concern of a grant: what is wrong with them is not said here. */
static bool find_in_inputs(struct search *search, const struct inputs *inputs) {
    struct arena *arena = search->context->arena;
    struct objects objects;
    struct diagnostics unheard;
    diagnostics_init(&unheard, arena);
    objects_collect(inputs, search->context->options->namespace, arena, &objects, &unheard);
    const struct object *found = permitted_hosts_find(&objects, search->per_sandbox->permitted_hosts_namespace,
                                                      search->per_sandbox->permitted_hosts_name);
    if (found) {
        permitted_hosts_read(found, &objects, &search->context->options->limits, arena, &search->permitted);
    }
    return found != NULL;
}

/* ---- beside the config ---- */

static bool may_hold_objects(const char *name) {
    struct text text = text_of(name);
    return name[0] != '.' &&
           (text_ends_with(text, ".yaml") || text_ends_with(text, ".yml") || text_ends_with(text, ".json"));
}

/* The folder of the config, with a final slash; "" for the current one. */
static const char *config_folder(const struct command_context *context) {
    const char *config = context->options->config;
    const char *slash = strrchr(config, '/');
    return slash ? arena_copy(context->arena, config, (size_t)(slash - config) + 1) : "";
}

/* The paths of the files of the folder, in byte order. A folder that cannot be listed has none. */
static struct option_list list_folder(const struct command_context *context, const char *folder) {
    struct option_list paths = {0};
    DIR *directory = opendir(*folder ? folder : ".");
    if (!directory) {
        return paths;
    }
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (may_hold_objects(entry->d_name)) {
            paths.list = arena_grow(context->arena, paths.list, &paths.capacity, paths.count + 1, sizeof *paths.list);
            paths.list[paths.count++] = arena_format(context->arena, "%s%s", folder, entry->d_name);
        }
    }
    closedir(directory);
    if (paths.count > 1) {
        qsort(paths.list, paths.count, sizeof *paths.list, string_compare_at);
    }
    return paths;
}

/* Files that cannot be read were not named, and hold nothing. */
static bool find_in_file(struct search *search, const char *path) {
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return false;
    }
    const struct inputs_options options = {
        .reader = {.limits = search->context->options->limits, .filter = object_keep}, .jobs = 1};
    struct diagnostics unheard;
    struct inputs inputs = {0};
    diagnostics_init(&unheard, search->context->arena);
    bool found =
        inputs_read(&path, 1, &options, search->context->arena, &inputs, &unheard) && find_in_inputs(search, &inputs);
    inputs_destroy(&inputs);
    return found;
}

static bool find_beside_config(struct search *search) {
    struct option_list paths = list_folder(search->context, config_folder(search->context));
    for (size_t i = 0; i < paths.count; i++) {
        if (find_in_file(search, paths.list[i])) {
            return true;
        }
    }
    return false;
}

void load_permitted_hosts(const struct command_context *context, const struct inputs *inputs,
                          struct grant_set *grants) {
    if (!grants_need_permission(grants)) {
        return;
    }
    struct search search = {.context = context, .per_sandbox = &grants->boundary->per_sandbox};
    bool found = find_in_inputs(&search, inputs) || find_beside_config(&search);
    grants_check_permitted(grants, found ? &search.permitted : NULL);
}

/* ---- the grants ---- */

enum exit_status load_grants(const struct command_context *context, const struct config *config,
                             struct grant_set *grants, struct diagnostics *diagnostics) {
    const struct options *options = context->options;
    const char *problem = NULL;
    struct boundary *boundary = grant_boundary(config, options->boundary, context->arena, &problem);
    if (!boundary) {
        return command_misuse(context, "%s", problem);
    }
    grants_init(grants, boundary, &options->limits, context->arena);
    for (size_t i = 0; i < options->grant.count; i++) {
        if (grants_read(grants, options->grant.list[i], diagnostics) == CONFIG_UNREADABLE) {
            return EXIT_TROUBLE;
        }
    }
    return grants_are_refused(grants) ? EXIT_REFUSED : EXIT_WELL;
}
