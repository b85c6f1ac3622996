#include "online/kubeconfig.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "document/reader.h"
#include "online/kubeconfig_parts.h"

enum { KUBECONFIG_BYTES = 16 * 1024 * 1024 };

/* ---- files ---- */

static const char *folder_of(const char *path, struct arena *arena) {
    const char *slash = strrchr(path, '/');
    if (!slash)
        return "";
    return slash == path ? "/" : arena_copy(arena, path, (size_t)(slash - path));
}

static void add_file(struct kubeconfig *config, const struct kubeconfig_file *file, struct arena *arena) {
    struct kubeconfig_file *files = arena_array(arena, config->count + 1, sizeof *files);
    if (config->count > 0)
        memcpy(files, config->files, config->count * sizeof *files);
    files[config->count++] = *file;
    config->files = files;
}

static struct reader_options reader_options(void) {
    struct reader_options options = {.limits = limits_default()};
    options.limits.bytes = KUBECONFIG_BYTES;
    return options;
}

/* Adds what was read. An empty file is an empty config. */
static bool add_document(struct kubeconfig *config, const struct file *read, const char *folder, struct arena *arena,
                         struct diagnostics *diagnostics) {
    if (read->state != FILE_READ)
        return false;
    if (read->count == 0)
        return true;
    const struct node *root = &read->documents[0].root;
    if (!node_is(root, NODE_MAP) || read->count > 1) {
        const struct node *place = read->count > 1 ? &read->documents[1].root : root;
        diagnostics_add(diagnostics, CODE_CONFIG_UNUSABLE, node_location(read->name, place),
                        read->count > 1 ? "a kubeconfig is one document" : "a kubeconfig is a map");
        return false;
    }
    const struct node *kind = node_get(root, "kind");
    if (kind && !text_is(node_text(kind), "Config")) {
        diagnostics_add(diagnostics, CODE_CONFIG_UNUSABLE, node_location(read->name, kind),
                        "kind: a kubeconfig is of kind Config");
        return false;
    }
    add_file(config, &(struct kubeconfig_file){read->name, folder, root}, arena);
    return true;
}

static bool load_file(struct kubeconfig *config, const char *path, bool may_be_absent, struct arena *arena,
                      struct diagnostics *diagnostics) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 && may_be_absent && (errno == ENOENT || errno == ENOTDIR))
        return true;
    if (descriptor < 0) {
        diagnostics_add(diagnostics, CODE_UNREADABLE, (struct location){.file = path}, "cannot read the kubeconfig: %s",
                        strerror(errno));
        return false;
    }
    struct reader_options options = reader_options();
    struct file read = {0};
    reader_read_descriptor(path, descriptor, &options, arena, &read, diagnostics);
    close(descriptor);
    return add_document(config, &read, folder_of(path, arena), arena, diagnostics);
}

bool kubeconfig_load(const char *named, const char *list, const char *home, struct arena *arena,
                     struct kubeconfig *config, struct diagnostics *diagnostics) {
    *config = (struct kubeconfig){0};
    if (named)
        return load_file(config, named, false, arena, diagnostics);
    if (!list || !*list)
        return !home || !*home ||
               load_file(config, arena_format(arena, "%s/.kube/config", home), true, arena, diagnostics);
    bool well = true;
    while (*list) {
        size_t length = strcspn(list, ":");
        if (length > 0)
            well = load_file(config, arena_copy(arena, list, length), true, arena, diagnostics) && well;
        list += length + (list[length] == ':');
    }
    return well;
}

bool kubeconfig_load_text(const char *name, const char *folder, struct text text, struct arena *arena,
                          struct kubeconfig *config, struct diagnostics *diagnostics) {
    struct reader_options options = reader_options();
    struct file read = {0};
    *config = (struct kubeconfig){0};
    reader_read_text(name, text, &options, arena, &read, diagnostics);
    return add_document(config, &read, folder, arena, diagnostics);
}

/* ---- entries ---- */

struct search {
    const struct kubeconfig *config;
    struct arena *arena;
    struct diagnostics *diagnostics;
    bool *well;
};

static void refuse_at(const struct search *search, const struct kubeconfig_file *file, const struct node *node,
                      const char *path, const char *what) {
    diagnostics_add(search->diagnostics, CODE_CONFIG_UNUSABLE, node_location(file->name, node), "%s: %s", path, what);
    *search->well = false;
}

/* The entry `name` of the list `lists` in one file; `inner`: the key of its content. */
static bool find_in_file(const struct search *search, const struct kubeconfig_file *file, const char *lists,
                         const char *inner, const char *name, struct kubeconfig_entry *entry) {
    bool found = false;
    const struct node *list = node_get(file->root, lists);
    if (list && list->kind != NODE_LIST)
        refuse_at(search, file, list, lists, "must be a list");
    for (uint32_t i = 0; node_is(list, NODE_LIST) && i < list->count; i++) {
        const struct node *item = &list->items[i], *its_name = node_get(item, "name");
        const char *path = path_index(search->arena, lists, i);
        if (!node_is(item, NODE_MAP))
            refuse_at(search, file, item, path, "must be a map");
        else if (!node_is(its_name, NODE_STRING))
            refuse_at(search, file, its_name ? its_name : item, path_field(search->arena, path, "name"),
                      "must be there, and a string");
        else if (text_is(node_text(its_name), name) && found)
            refuse_at(search, file, its_name, path_field(search->arena, path, "name"), "is that of another entry too");
        else if (text_is(node_text(its_name), name)) {
            const struct node *content = node_get(item, inner);
            *entry = (struct kubeconfig_entry){.file = file,
                                               .node = content,
                                               .path = path_field(search->arena, path, inner),
                                               .arena = search->arena,
                                               .diagnostics = search->diagnostics,
                                               .well = search->well};
            if (content && content->kind != NODE_MAP)
                refuse_at(search, file, content, entry->path, "must be a map");
            found = true;
        }
    }
    return found;
}

static bool find_entry(const struct search *search, const char *lists, const char *inner, const char *name,
                       struct kubeconfig_entry *entry) {
    for (size_t i = 0; i < search->config->count; i++)
        if (find_in_file(search, &search->config->files[i], lists, inner, name, entry))
            return true;
    return false;
}

static const char *current_context(const struct search *search) {
    for (size_t i = 0; i < search->config->count; i++) {
        const struct kubeconfig_file *file = &search->config->files[i];
        const struct node *node = node_get(file->root, "current-context");
        if (node && node->kind != NODE_STRING)
            refuse_at(search, file, node, "current-context", "must be a string");
        else if (node && node->count > 0)
            return node_string(node);
    }
    return NULL;
}

static void refuse_absent(const struct search *search, const char *what, const char *name) {
    const char *file = search->config->count > 0 ? search->config->files[0].name : NULL;
    diagnostics_add(search->diagnostics, CODE_CONFIG_UNUSABLE, (struct location){.file = file},
                    "there is no %s `%s` in the kubeconfig%s", what, name, search->config->count > 1 ? "s" : "");
    *search->well = false;
}

/* ---- the access ---- */

static void read_context(const struct search *search, const struct kubeconfig_entry *context, struct access *access) {
    struct kubeconfig_entry entry;
    const char *cluster = kubeconfig_string(context, "cluster"), *user = kubeconfig_string(context, "user");
    access->namespace = kubeconfig_string(context, "namespace");
    if (!cluster)
        kubeconfig_refuse(context, "cluster", "is missing");
    else if (find_entry(search, "clusters", "cluster", cluster, &entry))
        kubeconfig_read_cluster(&entry, access);
    else
        kubeconfig_refuse(context, "cluster", "there is no cluster `%s`", cluster);
    if (!user)
        return;
    if (find_entry(search, "users", "user", user, &entry))
        kubeconfig_read_user(&entry, access);
    else
        kubeconfig_refuse(context, "user", "there is no user `%s`", user);
}

bool kubeconfig_access(const struct kubeconfig *config, const char *context, struct arena *arena, struct access *access,
                       struct diagnostics *diagnostics) {
    bool well = true;
    struct search search = {config, arena, diagnostics, &well};
    struct kubeconfig_entry entry;
    *access = (struct access){.context = context ? context : current_context(&search)};
    if (!access->context) {
        const char *file = config->count > 0 ? config->files[0].name : NULL;
        diagnostics_add(diagnostics, CODE_CONFIG_UNUSABLE, (struct location){.file = file},
                        "current-context: is missing, and no --context is given");
        return false;
    }
    if (find_entry(&search, "contexts", "context", access->context, &entry))
        read_context(&search, &entry, access);
    else
        refuse_absent(&search, "context", access->context);
    return well;
}
