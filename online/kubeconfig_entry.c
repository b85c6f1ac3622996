/*
 * The entries of kubeconfigs: fields of clusters and users.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "online/base64.h"
#include "online/kubeconfig_parts.h"

/* ---- fields ---- */

struct location kubeconfig_location(const struct kubeconfig_entry *entry, const char *field) {
    const struct node *node = field ? node_get(entry->node, field) : NULL;
    return node_location(entry->file->name, node ? node : (entry->node ? entry->node : entry->file->root));
}

void kubeconfig_refuse(const struct kubeconfig_entry *entry, const char *field, const char *format, ...) {
    struct buffer what;
    va_list arguments;
    buffer_init(&what, entry->arena);
    va_start(arguments, format);
    buffer_vprint(&what, format, arguments);
    va_end(arguments);
    diagnostics_add(entry->diagnostics, CODE_CONFIG_UNUSABLE, kubeconfig_location(entry, field), "%s: %s",
                    field ? path_field(entry->arena, entry->path, field) : entry->path, buffer_string(&what));
    *entry->well = false;
}

const struct node *kubeconfig_node(const struct kubeconfig_entry *entry, const char *field, enum node_kind kind) {
    const struct node *node = node_get(entry->node, field);
    if (node && node->kind != kind) {
        kubeconfig_refuse(entry, field, "must be a %s", node_kind_word(kind));
        return NULL;
    }
    return node;
}

const char *kubeconfig_string(const struct kubeconfig_entry *entry, const char *field) {
    const struct node *node = kubeconfig_node(entry, field, NODE_STRING);
    const char *string = node ? node_string(node) : NULL;
    if (node && !string)
        kubeconfig_refuse(entry, field, "must not hold a NUL byte");
    return string && *string ? string : NULL;
}

bool kubeconfig_bool(const struct kubeconfig_entry *entry, const char *field, bool otherwise) {
    const struct node *node = kubeconfig_node(entry, field, NODE_BOOL);
    return node ? node_bool(node) : otherwise;
}

const char *kubeconfig_path(const struct kubeconfig_entry *entry, const char *path) {
    const char *folder = entry->file->folder;
    if (*path == '/' || !*folder)
        return path;
    return arena_format(entry->arena, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, path);
}

static bool is_pem(struct text text) {
    const char *terminated = text.bytes; /* by the decoder, and by who reads files */
    return strlen(terminated) == text.length && strstr(terminated, "-----BEGIN ") != NULL;
}

struct text kubeconfig_pem(const struct kubeconfig_entry *entry, const char *field) {
    const char *data_field = arena_format(entry->arena, "%s-data", field);
    const char *data = kubeconfig_string(entry, data_field), *path = kubeconfig_string(entry, field);
    struct text pem = {0};
    if (data) {
        if (!base64_decode(text_of(data), entry->arena, &pem)) {
            kubeconfig_refuse(entry, data_field, "must be base64");
            return (struct text){0};
        }
    } else if (path) {
        const char *file = kubeconfig_path(entry, path);
        if (!access_read_file(file, entry->arena, &pem)) {
            kubeconfig_refuse(entry, field, "cannot read %s: %s", file, strerror(errno));
            return (struct text){0};
        }
    }
    if (pem.bytes && !is_pem(pem)) {
        kubeconfig_refuse(entry, data ? data_field : field, "holds no PEM block");
        return (struct text){0};
    }
    return pem;
}

/* ---- clusters ---- */

static const char *trim_slashes(const char *url, struct arena *arena) {
    size_t length = strlen(url);
    while (length > 0 && url[length - 1] == '/')
        length--;
    return arena_copy(arena, url, length);
}

/* Without one, no proxy of the environment is asked for this machine: it leads nowhere. A SOCKS proxy resolves names, of
 * which only it may know. Both as Kubernetes' clients have it. */
static const char *read_proxy(const struct kubeconfig_entry *entry, const char *server) {
    static const char *const schemes[] = {"http://", "https://", "socks5h://", "socks5://"};
    enum { SCHEMES = sizeof schemes / sizeof *schemes };
    const char *proxy = kubeconfig_string(entry, "proxy-url");
    size_t i = 0;
    if (!proxy)
        return server && access_is_this_machine(server) ? "" : NULL;
    while (i < SCHEMES && !text_starts_with(text_of(proxy), schemes[i]))
        i++;
    if (i == SCHEMES)
        kubeconfig_refuse(entry, "proxy-url", "must begin with http://, https:// or socks5://");
    return i == SCHEMES - 1 ? arena_format(entry->arena, "socks5h://%s", proxy + strlen(schemes[i])) : proxy;
}

void kubeconfig_read_cluster(const struct kubeconfig_entry *entry, struct access *access) {
    const char *server = kubeconfig_string(entry, "server");
    const char *fault = server ? access_check_server(server) : "is missing";
    if (fault)
        kubeconfig_refuse(entry, "server", "%s", fault);
    else
        access->server = trim_slashes(server, entry->arena);
    access->identity.authorities = kubeconfig_pem(entry, "certificate-authority");
    access->identity.skip_verify = kubeconfig_bool(entry, "insecure-skip-tls-verify", false);
    access->identity.server_name = kubeconfig_string(entry, "tls-server-name");
    access->identity.uncompressed = kubeconfig_bool(entry, "disable-compression", false);
    access->identity.proxy = read_proxy(entry, access->server);
    if (access->identity.skip_verify && access->identity.authorities.length > 0)
        kubeconfig_refuse(entry, "insecure-skip-tls-verify",
                          "says the opposite of a certificate authority: one must go");
}

/* ---- plug-ins ---- */

static void read_arguments(const struct kubeconfig_entry *exec, struct access_plugin *plugin) {
    const struct node *list = kubeconfig_node(exec, "args", NODE_LIST);
    const char **arguments = arena_array(exec->arena, list ? list->count + 1u : 1u, sizeof *arguments);
    for (uint32_t i = 0; list && i < list->count; i++) {
        arguments[i] = node_string(&list->items[i]);
        if (!arguments[i]) {
            kubeconfig_refuse(exec, "args", "entry %u must be a string", (unsigned)i);
            break;
        }
    }
    plugin->arguments = arguments;
}

static void read_variables(const struct kubeconfig_entry *exec, struct access_plugin *plugin) {
    const struct node *list = kubeconfig_node(exec, "env", NODE_LIST);
    struct access_variable *variables = arena_array(exec->arena, list ? list->count + 1u : 1u, sizeof *variables);
    for (uint32_t i = 0; list && i < list->count; i++) {
        const char *name = node_string(node_get(&list->items[i], "name"));
        const char *value = node_string(node_get(&list->items[i], "value"));
        if (!name || !*name || strchr(name, '=') || !value) {
            kubeconfig_refuse(exec, "env", "entry %u needs a `name` and a `value`, both strings", (unsigned)i);
            break;
        }
        variables[plugin->variable_count++] = (struct access_variable){name, value};
    }
    plugin->variables = variables;
}

static void read_mode(const struct kubeconfig_entry *exec, struct access_plugin *plugin) {
    const char *mode = kubeconfig_string(exec, "interactiveMode");
    if (!mode && strcmp(plugin->api_version, "client.authentication.k8s.io/v1") == 0)
        kubeconfig_refuse(exec, "interactiveMode", "is missing: Never, IfAvailable or Always");
    plugin->must_ask = mode && strcmp(mode, "Always") == 0;
    plugin->may_ask = plugin->must_ask || !mode || strcmp(mode, "IfAvailable") == 0;
    if (mode && !plugin->may_ask && strcmp(mode, "Never") != 0)
        kubeconfig_refuse(exec, "interactiveMode", "must be Never, IfAvailable or Always");
}

static void read_plugin(const struct kubeconfig_entry *user, struct access *access) {
    const struct node *node = kubeconfig_node(user, "exec", NODE_MAP);
    struct kubeconfig_entry exec = *user;
    struct access_plugin *plugin = &access->plugin;
    if (!node)
        return;
    exec.node = node;
    exec.path = path_field(user->arena, user->path, "exec");
    *plugin = (struct access_plugin){.api_version = kubeconfig_string(&exec, "apiVersion"),
                                     .command = kubeconfig_string(&exec, "command"),
                                     .install_hint = kubeconfig_string(&exec, "installHint"),
                                     .give_cluster = kubeconfig_bool(&exec, "provideClusterInfo", false),
                                     .folder = user->file->folder,
                                     .location = kubeconfig_location(&exec, "command")};
    access->has_plugin = true;
    if (!plugin->command)
        kubeconfig_refuse(&exec, "command", "is missing");
    if (!plugin->api_version || (strcmp(plugin->api_version, "client.authentication.k8s.io/v1") != 0 &&
                                 strcmp(plugin->api_version, "client.authentication.k8s.io/v1beta1") != 0)) {
        kubeconfig_refuse(&exec, "apiVersion",
                          "must be client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1");
        return;
    }
    read_arguments(&exec, plugin);
    read_variables(&exec, plugin);
    read_mode(&exec, plugin);
}

/* ---- whom to act as ---- */

/* What cannot be sent is refused: without it the server would take us for somebody else. */
static void add_header(const struct kubeconfig_entry *user, const char *field, struct access *access, const char *name,
                       const char *value) {
    for (const char *at = value; value && *at; at++)
        if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f)
            value = NULL;
    if (!value) {
        kubeconfig_refuse(user, field, "cannot be sent in a header");
        return;
    }
    access->headers = arena_grow(user->arena, access->headers, &access->header_capacity, access->header_count + 1,
                                 sizeof *access->headers);
    access->headers[access->header_count++] = arena_format(user->arena, "%s: %s", name, value);
}

/* Strings of a list, a header each. */
static void add_headers(const struct kubeconfig_entry *user, const char *field, struct access *access, const char *name,
                        const struct node *list) {
    for (uint32_t i = 0; i < list->count; i++)
        add_header(user, field, access, name, node_string(&list->items[i]));
}

/* A key as it stands in a header's name: what no token of HTTP holds (RFC 9110 5.6.2), and "%", as "%" and two digits. */
static const char *escape_key(struct text key, struct arena *arena) {
    struct buffer out;
    buffer_init(&out, arena);
    for (size_t i = 0; i < key.length; i++) {
        char byte = key.bytes[i];
        if (ascii_is_alphanumeric(byte) || (byte != '\0' && strchr("!#$&'*+-.^_`|~", byte)))
            buffer_add_char(&out, byte);
        else
            buffer_print(&out, "%%%02X", (unsigned)(unsigned char)byte);
    }
    return buffer_string(&out);
}

static void read_extra(const struct kubeconfig_entry *user, struct access *access) {
    const struct node *extra = kubeconfig_node(user, "as-user-extra", NODE_MAP);
    for (uint32_t i = 0; extra && i < extra->count; i++) {
        const struct node_entry *entry = &extra->entries[i];
        const char *name =
            arena_format(user->arena, "Impersonate-Extra-%s", escape_key(node_text(&entry->key), user->arena));
        bool by_merge;
        if (node_entry_is_overridden(extra, i, &by_merge) || node_is_null(&entry->value))
            continue;
        if (node_is(&entry->value, NODE_LIST))
            add_headers(user, "as-user-extra", access, name, &entry->value);
        else
            kubeconfig_refuse(user, "as-user-extra", "must hold lists of strings");
    }
}

static void read_impersonation(const struct kubeconfig_entry *user, struct access *access) {
    const char *as = kubeconfig_string(user, "as"), *uid = kubeconfig_string(user, "as-uid");
    const struct node *groups = kubeconfig_node(user, "as-groups", NODE_LIST);
    if (as)
        add_header(user, "as", access, "Impersonate-User", as);
    if (uid)
        add_header(user, "as-uid", access, "Impersonate-Uid", uid);
    if (groups)
        add_headers(user, "as-groups", access, "Impersonate-Group", groups);
    read_extra(user, access);
    if (access->header_count > 0 && !as)
        kubeconfig_refuse(user, "as", "is missing beside `as-uid`, `as-groups` or `as-user-extra`");
}

/* ---- users ---- */

void kubeconfig_read_user(const struct kubeconfig_entry *entry, struct access *access) {
    const char *token_file = kubeconfig_string(entry, "tokenFile");
    access->identity.certificate = kubeconfig_pem(entry, "client-certificate");
    access->identity.key = kubeconfig_pem(entry, "client-key");
    access->token = kubeconfig_string(entry, "token");
    access->token_location = kubeconfig_location(entry, token_file ? "tokenFile" : "token");
    access->token_file = token_file ? kubeconfig_path(entry, token_file) : NULL;
    access->username = kubeconfig_string(entry, "username");
    access->password = kubeconfig_string(entry, "password");
    if ((access->identity.certificate.length > 0) != (access->identity.key.length > 0) && *entry->well)
        kubeconfig_refuse(entry, access->identity.key.length > 0 ? "client-certificate" : "client-key",
                          "is missing: a certificate and its key belong together");
    if (access->username && (access->token || access->token_file))
        kubeconfig_refuse(entry, "username", "stands beside a token: one must go");
    if (node_get(entry->node, "auth-provider"))
        kubeconfig_refuse(entry, "auth-provider", "is not supported any more, by Kubernetes either; use `exec`");
    read_plugin(entry, access);
    /* Who is known already asks no plug-in, as with kubectl. */
    if (access->token || access->token_file || access->username || access->identity.certificate.length > 0)
        access->has_plugin = false;
    read_impersonation(entry, access);
}
