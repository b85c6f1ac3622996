#include "cli/compile_directory.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cli/sink.h"
#include "compiler/diff.h"
#include "compiler/object_file.h"
#include "document/reader.h"

static enum exit_status trouble(const struct command_context *context, const char *what, const char *path) {
    const char *why = strerror(errno);
    buffer_print(context->err, "egressc compile: cannot %s %s: %s\n", what, path, why);
    return EXIT_TROUBLE;
}

static const char *path_in(const struct command_context *context, const char *file) {
    const char *folder = context->options->output_dir;
    const char *slash = text_ends_with(text_of(folder), "/") ? "" : "/";
    return arena_format(context->arena, "%s%s%s", folder, slash, file);
}

/* What the file holds; `missing` where there is none. */
static enum exit_status read_file(const struct command_context *context, const char *path, struct text *content,
                                  bool *missing) {
    struct stat status;
    *missing = stat(path, &status) != 0 && errno == ENOENT;
    if (*missing) {
        *content = (struct text){"", 0};
        return EXIT_WELL;
    }
    struct diagnostics problems;
    diagnostics_init(&problems, context->arena);
    if (!reader_slurp(path, &context->options->limits, context->arena, content, &problems)) {
        command_print_diagnostics(context, &problems);
        return EXIT_TROUBLE;
    }
    return EXIT_WELL;
}

enum exit_status compile_write_directory(const struct command_context *context, const struct compiled *objects,
                                         size_t count) {
    if (mkdir(context->options->output_dir, 0777) != 0 && errno != EEXIST) {
        return trouble(context, "make", context->options->output_dir);
    }
    for (size_t i = 0; i < count; i++) {
        const char *path = path_in(context, objects[i].file);
        struct text content;
        bool missing;
        enum exit_status status = read_file(context, path, &content, &missing);
        if (status != EXIT_WELL) {
            return status;
        }
        bool differs = missing || (!objects[i].skeleton && !text_equal(content, objects[i].bytes));
        if (differs && !sink_write_file(path, objects[i].bytes, context->arena)) {
            return trouble(context, "write", path);
        }
    }
    return EXIT_WELL;
}

struct compiled_kind {
    const char *api_version, *kind;
};

/* With --fence other kinds are compiled than without. */
static const struct compiled_kind policy_kinds[] = {
    {"networking.k8s.io/v1", "NetworkPolicy"}, {"cilium.io/v2", "CiliumNetworkPolicy"}, {NULL, NULL}};
static const struct compiled_kind fence_kinds[] = {
    {"admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"},
    {"admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding"},
    {"v1", "ConfigMap"},
    {"rbac.authorization.k8s.io/v1", "Role"},
    {"rbac.authorization.k8s.io/v1", "RoleBinding"},
    {"rbac.authorization.k8s.io/v1", "ClusterRole"},
    {"rbac.authorization.k8s.io/v1", "ClusterRoleBinding"},
    {NULL, NULL}};

static const struct compiled_kind *compiled_kinds(const struct command_context *context) {
    return context->options->fence ? fence_kinds : policy_kinds;
}

/* Whether one of the documents is an object of a kind that is compiled. */
static bool holds_compiled_kind(const struct command_context *context, const char *path, struct text content) {
    const struct reader_options options = {.limits = context->options->limits};
    struct diagnostics problems;
    struct file file = {0};
    diagnostics_init(&problems, context->arena);
    reader_read_text(path, content, &options, context->arena, &file, &problems);
    for (size_t i = 0; i < file.count; i++) {
        struct text version = node_text(node_get(&file.documents[i].root, "apiVersion"));
        struct text kind = node_text(node_get(&file.documents[i].root, "kind"));
        for (const struct compiled_kind *row = compiled_kinds(context); row->kind; row++) {
            if (text_is(version, row->api_version) && text_is(kind, row->kind)) {
                return true;
            }
        }
    }
    return false;
}

static bool may_be_object(const struct command_context *context, const char *file) {
    for (const struct compiled_kind *row = compiled_kinds(context); row->kind; row++) {
        if (object_file_name_matches(text_of(file), row->kind)) {
            return true;
        }
    }
    return false;
}

static bool is_compiled(const struct compiled *objects, size_t count, const char *file) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(objects[i].file, file) == 0) {
            return true;
        }
    }
    return false;
}

/* The names in the directory that may be extra objects, in byte order. */
static enum exit_status list_candidates(const struct command_context *context, const struct compiled *objects,
                                        size_t count, const char ***names, size_t *name_count) {
    DIR *folder = opendir(context->options->output_dir);
    if (!folder) {
        return trouble(context, "read", context->options->output_dir);
    }
    size_t capacity = 0;
    *names = NULL;
    *name_count = 0;
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (!may_be_object(context, entry->d_name) || is_compiled(objects, count, entry->d_name)) {
            continue;
        }
        *names = arena_grow(context->arena, *names, &capacity, *name_count + 1, sizeof **names);
        (*names)[(*name_count)++] = arena_copy(context->arena, entry->d_name, strlen(entry->d_name));
    }
    closedir(folder);
    if (*name_count > 1) {
        qsort(*names, *name_count, sizeof **names, string_compare_at);
    }
    return EXIT_WELL;
}

/* One object against its file; `differs` is set where they do. */
static enum exit_status check_object(const struct command_context *context, const struct compiled *object,
                                     bool *differs) {
    const char *path = path_in(context, object->file);
    struct text content;
    bool missing;
    enum exit_status status = read_file(context, path, &content, &missing);
    if (status == EXIT_WELL && object->skeleton && !missing) {
        return status;
    }
    if (status == EXIT_WELL && diff_unified(context->out, missing ? "/dev/null" : path, content, path, object->bytes)) {
        *differs = true;
    }
    return status;
}

static enum exit_status check_extra(const struct command_context *context, const char *name, bool *differs) {
    const char *path = path_in(context, name);
    struct text content;
    bool missing;
    enum exit_status status = read_file(context, path, &content, &missing);
    if (status == EXIT_WELL && !missing && holds_compiled_kind(context, path, content) &&
        diff_unified(context->out, path, content, "/dev/null", (struct text){"", 0})) {
        *differs = true;
    }
    return status;
}

enum exit_status compile_check_directory(const struct command_context *context, const struct compiled *objects,
                                         size_t count) {
    const char **names = NULL;
    size_t name_count = 0;
    bool differs = false;
    enum exit_status status = list_candidates(context, objects, count, &names, &name_count);
    for (size_t i = 0; status == EXIT_WELL && i < count; i++) {
        status = check_object(context, &objects[i], &differs);
    }
    for (size_t i = 0; status == EXIT_WELL && i < name_count; i++) {
        status = check_extra(context, names[i], &differs);
    }
    return status == EXIT_WELL && differs ? EXIT_REFUSED : status;
}
