#include "document/inputs_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text.h"

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] != '\0' ? slash + 1 : path;
}

/* Whether a pattern leaves the path out; then it is listed as such. */
static bool is_excluded(struct input_list *inputs, const char *path) {
    for (const char *const *glob = inputs->exclude; glob && *glob; glob++) {
        if (fnmatch(*glob, path, 0) == 0 || fnmatch(*glob, base_name(path), 0) == 0) {
            inputs->excluded = arena_grow(inputs->arena, inputs->excluded, &inputs->excluded_capacity,
                                          inputs->excluded_count + 1, sizeof *inputs->excluded);
            inputs->excluded[inputs->excluded_count++] = path;
            return true;
        }
    }
    return false;
}

static struct input *add_input(struct input_list *inputs, const char *name, bool named) {
    inputs->list = arena_grow(inputs->arena, inputs->list, &inputs->capacity, inputs->count + 1, sizeof *inputs->list);
    struct input *input = &inputs->list[inputs->count++];
    *input = (struct input){.name = name, .path = name, .named = named};
    return input;
}

static void add_status(struct input *input, const struct stat *status) {
    input->regular = S_ISREG(status->st_mode);
    input->size = input->regular && status->st_size > 0 ? (size_t)status->st_size : 0;
    input->device = status->st_dev;
    input->inode = status->st_ino;
}

/* The names of a directory in byte order, hidden ones left out; NULL with errno set: it cannot be read. */
struct name_list {
    const char **list;
    size_t count, capacity;
};

static int list_directory(struct arena *arena, const char *path, struct name_list *names) {
    DIR *directory = opendir(path);
    if (!directory) {
        return errno;
    }
    errno = 0;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL; errno = 0) {
        if (entry->d_name[0] != '.') {
            names->list = arena_grow(arena, names->list, &names->capacity, names->count + 1, sizeof *names->list);
            names->list[names->count++] = arena_copy(arena, entry->d_name, strlen(entry->d_name));
        }
    }
    int error = errno;
    closedir(directory);
    if (names->count > 1) {
        qsort(names->list, names->count, sizeof *names->list, string_compare_at);
    }
    return error;
}

static bool has_extension(const char *name) {
    struct text text = text_of(name);
    return text_ends_with(text, ".yaml") || text_ends_with(text, ".yml") || text_ends_with(text, ".json");
}

static void walk_directory(struct input_list *inputs, const char *path, bool named);

/* A name of a directory. Links to directories are not followed, so a walk ends. */
static void walk_entry(struct input_list *inputs, const char *path) {
    struct stat status;
    bool wanted = has_extension(path);
    if (lstat(path, &status) != 0) {
        if (wanted && !is_excluded(inputs, path)) {
            add_input(inputs, path, false)->error = errno;
        }
        return;
    }
    if (S_ISDIR(status.st_mode)) {
        if (!is_excluded(inputs, path)) {
            walk_directory(inputs, path, false);
        }
        return;
    }
    if (!wanted) {
        return;
    }
    int error = S_ISLNK(status.st_mode) && stat(path, &status) != 0 ? errno : 0;
    if (error == 0 && S_ISDIR(status.st_mode)) {
        return;
    }
    if (is_excluded(inputs, path)) {
        return;
    }
    struct input *input = add_input(inputs, path, false);
    add_status(input, &status);
    /* A pipe or device in a directory may never end. */
    input->error = error != 0 ? error : input->regular ? 0 : EINVAL;
}

static void walk_directory(struct input_list *inputs, const char *path, bool named) {
    struct name_list names = {0};
    int error = list_directory(inputs->arena, path, &names);
    if (error != 0) {
        add_input(inputs, path, named)->error = error;
    }
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] == '/') {
        length--;
    }
    for (size_t i = 0; i < names.count; i++) {
        walk_entry(inputs, arena_format(inputs->arena, "%.*s/%s", (int)length, path, names.list[i]));
    }
}

static void walk_argument(struct input_list *inputs, const char *path) {
    struct stat status;
    if (strcmp(path, "-") == 0) {
        struct input *input = add_input(inputs, "<stdin>", true);
        input->path = NULL;
        if (fstat(STDIN_FILENO, &status) == 0) {
            add_status(input, &status);
        }
        return;
    }
    if (is_excluded(inputs, path)) {
        return;
    }
    if (stat(path, &status) != 0) {
        add_input(inputs, path, true)->error = errno;
    } else if (S_ISDIR(status.st_mode)) {
        walk_directory(inputs, path, true);
    } else {
        add_status(add_input(inputs, path, true), &status);
    }
}

/* Which inputs are the same file, found by sorting places by file. */

static int compare_files(const void *a, const void *b) {
    const struct input *one = *(const struct input *const *)a, *other = *(const struct input *const *)b;
    if (one->device != other->device) {
        return one->device < other->device ? -1 : 1;
    }
    if (one->inode != other->inode) {
        return one->inode < other->inode ? -1 : 1;
    }
    return one < other ? -1 : one > other;
}

static bool is_same_file(const struct input *a, const struct input *b) {
    return a->regular && b->regular && a->device == b->device && a->inode == b->inode;
}

/* Keeps the first of those that are one file; standard input also counts once. */
static void drop_repeated(struct input_list *inputs) {
    struct input **sorted = arena_array(inputs->arena, inputs->count, sizeof *sorted);
    bool *repeated = arena_array(inputs->arena, inputs->count, sizeof *repeated);
    for (size_t i = 0; i < inputs->count; i++) {
        sorted[i] = &inputs->list[i];
    }
    if (inputs->count > 1) {
        qsort(sorted, inputs->count, sizeof(struct input *), compare_files);
    }
    for (size_t i = 1; i < inputs->count; i++) {
        repeated[sorted[i] - inputs->list] = is_same_file(sorted[i - 1], sorted[i]);
    }
    size_t kept = 0;
    bool standard = false;
    for (size_t i = 0; i < inputs->count; i++) {
        struct input *input = &inputs->list[i];
        bool again = repeated[i] || (!input->path && standard);
        standard |= !input->path;
        if (!again) {
            inputs->list[kept++] = *input;
        }
    }
    inputs->count = kept;
}

void inputs_walk(const char *const *paths, size_t path_count, struct input_list *inputs) {
    for (size_t i = 0; i < path_count; i++) {
        walk_argument(inputs, paths[i]);
    }
    drop_repeated(inputs);
    if (inputs->excluded_count > 1) {
        qsort(inputs->excluded, inputs->excluded_count, sizeof *inputs->excluded, string_compare_at);
    }
}
