/*
 * Stands in for libFuzzer: replays every file of the directories (or single files) given as arguments through the
 * target, in byte order of names, so that inputs which once broke something are tried in every test run.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

/* The content goes into a block of just its size, so that a sanitizer sees the first byte read beyond it. */
static int replay_file(const char *path) {
    struct stat status;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &status) != 0) {
        perror(path);
        return 1;
    }
    size_t size = (size_t)status.st_size;
    uint8_t *data = malloc(size ? size : 1);
    int failed = !data || fread(data, 1, size, file) != size;
    fclose(file);
    if (failed) {
        fprintf(stderr, "%s: cannot be read\n", path);
    } else {
        LLVMFuzzerTestOneInput(data, size);
    }
    free(data);
    return failed;
}

static int replay_directory(const char *path, unsigned *count) {
    struct dirent **entries;
    int length = scandir(path, &entries, is_visible, by_name), failed = 0;
    for (int i = 0; i < length; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        failed |= replay_file(name);
        ++*count;
        free(entries[i]);
    }
    if (length >= 0) {
        free(entries);
    }
    return failed;
}

int main(int argc, char **argv) {
    unsigned count = 0;
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        struct stat status;
        if (stat(argv[i], &status) != 0) {
            perror(argv[i]);
            failed = 1;
        } else if (S_ISDIR(status.st_mode)) {
            failed |= replay_directory(argv[i], &count);
        } else {
            failed |= replay_file(argv[i]);
            count++;
        }
    }
    printf("%u inputs replayed\n", count);
    return failed || count == 0; /* a corpus that is not there is no success */
}
