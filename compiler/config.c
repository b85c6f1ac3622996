#include "compiler/config.h"

#include <string.h>

#include "base/arena.h"
#include "compiler/checks.h"
#include "compiler/source_lines.h"
#include "document/reader.h"

/* One reading of a config. */
struct config_reader {
    const char *folder;
    const struct config_options *options;
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct config *config;
    bool unreadable;
};

static void read_document(struct config_reader *reader, const struct document *document, struct boundary *boundary) {
    struct checks checks = {
        .file = reader->config->file,
        .folder = reader->folder,
        .options = reader->options,
        .boundary = boundary,
        .outside = reader->diagnostics,
        .root = &document->root,
    };
    checks_init(&checks, reader->arena);
    boundary->file = reader->config->file;
    boundary->document = document->number;
    boundary->location = node_location(boundary->file, &document->root);
    diagnostics_init(&boundary->diagnostics, reader->arena);
    checks_read_root(&checks);
    checks_finish(&checks);
    reader->unreadable = reader->unreadable || checks.unreadable;
}

/* A file without a whole document, for which the reader had no error, is refused by us. */
static void refuse_without_document(struct config_reader *reader, const struct file *file, size_t errors_before) {
    if (reader->diagnostics->errors > errors_before || (file->state == FILE_READ && file->count > 0)) {
        return;
    }
    struct location location = {.file = file->name, .line = 1, .column = 1};
    const char *what = file->state == FILE_TEMPLATE ? "the file is a template; render it first"
                                                    : "the file holds no document; write at least one config";
    diagnostics_add(reader->diagnostics, CODE_CONFIG_UNUSABLE, location, "%s", what);
}

static void read_documents(struct config_reader *reader, const struct file *file) {
    struct config *config = reader->config;
    struct source_lines lines;
    source_lines_init(&lines, config->file, config->source, reader->arena);
    config->boundaries = arena_array(reader->arena, file->count, sizeof *config->boundaries);
    config->count = file->count;
    for (size_t i = 0; i < file->count; i++) {
        read_document(reader, &file->documents[i], &config->boundaries[i]);
        source_lines_excerpt(&lines, &config->boundaries[i].diagnostics);
        config->usable = config->usable && config->boundaries[i].usable;
    }
    config->usable = checks_between(config, reader->arena, reader->diagnostics) && config->usable;
    source_lines_excerpt(&lines, reader->diagnostics);
}

enum config_result config_read_text(const char *name, const char *folder, struct text source,
                                    const struct config_options *options, struct arena *arena, struct config *config,
                                    struct diagnostics *diagnostics) {
    *config = (struct config){.file = name, .source = source, .usable = true};
    struct config_reader reader = {folder, options, arena, diagnostics, config, false};
    struct reader_options reader_options = {.limits = options->limits, .keep_excerpts = true};
    struct file file = {0};
    size_t errors_before = diagnostics->errors;
    reader_read_text(name, source, &reader_options, arena, &file, diagnostics);
    refuse_without_document(&reader, &file, errors_before);
    read_documents(&reader, &file);
    config->usable = config->usable && diagnostics->errors == errors_before;
    if (reader.unreadable) {
        return CONFIG_UNREADABLE;
    }
    return config->usable ? CONFIG_OK : CONFIG_REFUSED;
}

static const char *folder_of(struct arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) {
        return "";
    }
    return slash == path ? "/" : arena_copy(arena, path, (size_t)(slash - path));
}

enum config_result config_read(const char *path, const struct config_options *options, struct arena *arena,
                               struct config *config, struct diagnostics *diagnostics) {
    struct text source;
    *config = (struct config){.file = path};
    size_t before = diagnostics->count;
    if (!reader_slurp(path, &options->limits, arena, &source, diagnostics)) {
        bool limit = diagnostics->count > before && diagnostics->list[diagnostics->count - 1].code == CODE_LIMIT;
        return limit ? CONFIG_REFUSED : CONFIG_UNREADABLE;
    }
    bool standard_input = strcmp(path, "-") == 0;
    const char *name = standard_input ? "<stdin>" : path;
    const char *folder = standard_input ? "" : folder_of(arena, path);
    return config_read_text(name, folder, source, options, arena, config, diagnostics);
}

void config_diagnostics(const struct config *config, struct diagnostics *all) {
    for (size_t i = 0; i < config->count; i++) {
        diagnostics_append(all, &config->boundaries[i].diagnostics);
    }
}
