#include "compiler/grant.h"

#include <string.h>

#include "base/arena.h"
#include "compiler/grant_parts.h"
#include "compiler/source_lines.h"
#include "document/reader.h"
#include "grammar/label.h"
#include "grammar/name.h"
#include "kube/shape.h"

#define OBJECT_PREFIX "namzu-sbx-"

#define FIELD(field, kind)                                                                                             \
    { .name = field, .type = SHAPE_##kind, .code = CODE_CONFIG_UNUSABLE }
static const struct shape_field grant_fields[] = {FIELD("owner", MAP), FIELD("allowedHosts", LIST), {0}};
static const struct shape_field owner_fields[] = {
    FIELD("kind", STRING), FIELD("name", STRING), FIELD("uid", STRING), {0}};

static const char *const owner_kinds[] = {"SandboxClaim", "Sandbox", NULL};

/* ---- a document ---- */

static void refuse_absent(const struct shape *shape, const struct node *map, const char *path, const char *advice) {
    const char *message = arena_format(shape->arena, "%s is missing; %s", path, advice);
    struct diagnostic *refusal =
        shape_report(shape->diagnostics, CODE_CONFIG_UNUSABLE, node_location(shape->file, map), message);
    refusal->path = path;
}

/* A field of the owner; NULL: absent or of another type, which was refused. */
static const struct node *owner_field(const struct shape *shape, const struct node *owner, const char *name,
                                      const char *path) {
    const struct node *node = node_get(owner, name);
    if (!node) {
        refuse_absent(shape, owner, path, "write whose grant it is");
    }
    return node && shape_is(node, SHAPE_STRING) ? node : NULL;
}

static void read_owner_kind(const struct shape *shape, const struct node *owner, struct grant *grant) {
    const struct node *node = owner_field(shape, owner, "kind", "owner.kind");
    for (size_t i = 0; node && owner_kinds[i]; i++) {
        if (text_is(node_text(node), owner_kinds[i])) {
            grant->owner_kind = owner_kinds[i];
        }
    }
    if (node && !grant->owner_kind) {
        const char *nearest = text_nearest(node_text(node), owner_kinds);
        shape_refuse(shape, CODE_CONFIG_UNUSABLE, node, "owner.kind", "owner.kind is %s; %s%s",
                     shape_quote(shape->arena, node), nearest ? "did you mean " : "write SandboxClaim or Sandbox",
                     nearest ? arena_format(shape->arena, "%s?", nearest) : "");
    }
}

/* The name is that of the owner and the value of the label that its pods carry. */
static void read_owner_name(const struct shape *shape, const struct node *owner, struct grant *grant) {
    const struct node *node = owner_field(shape, owner, "name", "owner.name");
    if (!node) {
        return;
    }
    enum name_fault fault = name_check_subdomain(node_text(node), NULL);
    enum label_fault label_fault = label_value_check(node_text(node), NULL);
    if (fault != NAME_OK) {
        shape_refuse(shape, CODE_CONFIG_UNUSABLE, node, "owner.name", "owner.name is no object name: %s",
                     name_fault_text(fault));
    } else if (label_fault != LABEL_OK) {
        shape_refuse(shape, CODE_CONFIG_UNUSABLE, node, "owner.name", "owner.name is no label value: %s",
                     label_fault_text(label_fault));
    }
    grant->owner_name = node_string(node);
}

static void read_owner_uid(const struct shape *shape, const struct node *owner, struct grant *grant) {
    const struct node *node = owner_field(shape, owner, "uid", "owner.uid");
    if (!node) {
        return;
    }
    grant->owner_uid = node_string(node);
    const char *name = arena_format(shape->arena, OBJECT_PREFIX "%s", grant->owner_uid);
    enum name_fault fault = name_check_subdomain(text_of(name), NULL);
    if (node_text(node).length == 0) {
        shape_refuse(shape, CODE_CONFIG_UNUSABLE, node, "owner.uid", "owner.uid is empty; write the owner's uid");
    } else if (fault != NAME_OK) {
        shape_refuse(shape, CODE_CONFIG_UNUSABLE, node, "owner.uid",
                     "owner.uid makes no object name of " OBJECT_PREFIX "<uid>: %s", name_fault_text(fault));
    } else {
        grant->object_name = name;
    }
}

static void read_owner(const struct shape *shape, const struct node *root, struct grant *grant) {
    const struct node *owner = node_get(root, "owner");
    if (!owner) {
        refuse_absent(shape, root, "owner", "write the kind, name and uid of the SandboxClaim or Sandbox");
    } else if (shape_is(owner, SHAPE_MAP)) {
        shape_check(shape, owner, "owner", owner_fields);
        read_owner_kind(shape, owner, grant);
        read_owner_name(shape, owner, grant);
        read_owner_uid(shape, owner, grant);
    }
}

static void read_document(struct grant_set *set, const char *file, const struct document *document,
                          struct grant *grant) {
    const struct node *root = &document->root;
    *grant = (struct grant){
        .file = file, .document = document->number, .location = node_location(file, root), .boundary = set->boundary};
    diagnostics_init(&grant->diagnostics, set->arena);
    struct shape shape = {.file = file, .arena = set->arena, .diagnostics = &grant->diagnostics};
    if (!node_is(root, NODE_MAP)) {
        shape_refuse(&shape, CODE_CONFIG_UNUSABLE, root, "", "a grant must be a map, and this one is %s",
                     shape_quote(set->arena, root));
    } else if (shape_check_weight(&shape, root, "", "the document")) {
        shape_check(&shape, root, "", grant_fields);
        read_owner(&shape, root, grant);
        const struct node *hosts = node_get(root, "allowedHosts");
        if (!hosts) {
            refuse_absent(&shape, root, "allowedHosts", "write the hosts, or [] for none");
        } else if (hosts->kind == NODE_LIST) {
            grant_read_hosts(grant, hosts, set->arena);
        }
    }
    grant->usable = grant->diagnostics.errors == 0;
}

/* ---- a file ---- */

void grants_init(struct grant_set *set, struct boundary *boundary, const struct limits *limits, struct arena *arena) {
    *set = (struct grant_set){.arena = arena, .limits = *limits, .boundary = boundary};
}

enum config_result grants_read_text(struct grant_set *set, const char *name, struct text source,
                                    struct diagnostics *diagnostics) {
    struct reader_options options = {.limits = set->limits, .keep_excerpts = true};
    struct file file = {0};
    size_t errors_before = diagnostics->errors;
    reader_read_text(name, source, &options, set->arena, &file, diagnostics);
    if (diagnostics->errors == errors_before && (file.state != FILE_READ || file.count == 0)) {
        struct location location = {.file = name, .line = 1, .column = 1};
        const char *what = file.state == FILE_TEMPLATE ? "the file is a template; render it first"
                                                       : "the file holds no document; write at least one grant";
        diagnostics_add(diagnostics, CODE_CONFIG_UNUSABLE, location, "%s", what);
    }
    struct source_lines *lines = arena_alloc(set->arena, sizeof *lines);
    source_lines_init(lines, name, source, set->arena);
    set->list = arena_grow(set->arena, set->list, &set->capacity, set->count + file.count, sizeof *set->list);
    for (size_t i = 0; i < file.count; i++) {
        struct grant *grant = &set->list[set->count++];
        read_document(set, name, &file.documents[i], grant);
        grant->lines = lines;
    }
    if (diagnostics->errors == errors_before) {
        return CONFIG_OK;
    }
    set->broken = true;
    return CONFIG_REFUSED;
}

enum config_result grants_read(struct grant_set *set, const char *path, struct diagnostics *diagnostics) {
    struct text source;
    size_t before = diagnostics->count;
    if (!reader_slurp(path, &set->limits, set->arena, &source, diagnostics)) {
        bool limit = diagnostics->count > before && diagnostics->list[diagnostics->count - 1].code == CODE_LIMIT;
        set->broken = true;
        return limit ? CONFIG_REFUSED : CONFIG_UNREADABLE;
    }
    return grants_read_text(set, strcmp(path, "-") == 0 ? "<stdin>" : path, source, diagnostics);
}
