#include "online/access.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "online/base64.h"

enum { FILE_MOST = 1024 * 1024, MESSAGE_MAX = 400 };

bool access_read_file(const char *path, struct arena *arena, struct text *content) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    char *bytes = arena_alloc(arena, FILE_MOST + 1);
    size_t length = 0;
    ssize_t got = 1;
    while (length <= FILE_MOST && got != 0) {
        got = read(descriptor, bytes + length, FILE_MOST + 1 - length);
        if (got < 0 && errno != EINTR)
            break;
        length += got > 0 ? (size_t)got : 0;
    }
    int why = got < 0 ? errno : EFBIG;
    close(descriptor);
    if (got < 0 || length > FILE_MOST) {
        errno = why;
        return false;
    }
    bytes[length] = '\0';
    *content = (struct text){.bytes = bytes, .length = length};
    return true;
}

/* ---- who we are ---- */

static bool is_header_text(const char *text) {
    for (; *text; text++)
        if ((unsigned char)*text <= ' ' || (unsigned char)*text >= 0x7f)
            return false;
    return true;
}

static bool token_of_file(const struct access *access, struct arena *arena, const char **token,
                          struct diagnostics *diagnostics) {
    struct text content;
    if (!access_read_file(access->token_file, arena, &content)) {
        diagnostics_add(diagnostics, CODE_UNREADABLE, access->token_location, "cannot read the token file %s: %s",
                        access->token_file, strerror(errno));
        return false;
    }
    content = text_trim(content);
    if (content.length == 0) {
        diagnostics_add(diagnostics, CODE_UNREADABLE, access->token_location, "the token file %s is empty",
                        access->token_file);
        return false;
    }
    *token = arena_copy(arena, content.bytes, content.length);
    return true;
}

bool access_authorize(const struct access *access, struct arena *arena, const char **header,
                      struct diagnostics *diagnostics) {
    const char *token = access->token;
    *header = NULL;
    if (access->token_file && !token_of_file(access, arena, &token, diagnostics))
        return false;
    if (token) {
        if (!is_header_text(token)) {
            diagnostics_add(diagnostics, CODE_CONFIG_UNUSABLE, access->token_location,
                            "the token holds blanks or other bytes that no token has");
            return false;
        }
        *header = arena_format(arena, "Authorization: Bearer %s", token);
    } else if (access->username) {
        const char *pair = arena_format(arena, "%s:%s", access->username, access->password ? access->password : "");
        *header = arena_format(arena, "Authorization: Basic %s", base64_encode(text_of(pair), arena));
    }
    return true;
}

/* ---- messages ---- */

/* Appends `message` with each place of `secret` replaced. Short words are no secrets that could be told from text. */
static const char *withhold(const char *message, struct text secret, struct arena *arena) {
    enum { SHORTEST = 4 };
    struct buffer out;
    if (secret.length < SHORTEST)
        return message;
    buffer_init(&out, arena);
    const char *word = arena_copy(arena, secret.bytes, secret.length);
    for (const char *found; (found = strstr(message, word)); message = found + secret.length) {
        buffer_add(&out, message, (size_t)(found - message));
        buffer_add_string(&out, "(withheld)");
    }
    buffer_add_string(&out, message);
    return buffer_string(&out);
}

/* The user and password of a proxy's URL. */
static struct text proxy_user(const char *proxy) {
    const char *start = proxy ? strstr(proxy, "://") : NULL;
    start = start ? start + 3 : proxy;
    const char *at = start ? strrchr(start, '@') : NULL;
    return (struct text){.bytes = start, .length = at ? (size_t)(at - start) : 0};
}

static void add_printable(struct buffer *out, const char *message) {
    for (const char *at = message; *at; at++) {
        bool is_control = (unsigned char)*at < ' ' || *at == 0x7f;
        buffer_add_char(out, is_control ? ' ' : *at);
    }
}

const char *access_redact(const struct access *access, const char *message, struct arena *arena) {
    const char *pair = NULL;
    struct buffer out;
    buffer_init(&out, arena);
    if (access->username)
        pair = base64_encode(
            text_of(arena_format(arena, "%s:%s", access->username, access->password ? access->password : "")), arena);
    struct text token = text_of(access->token);
    if (access->token_file && access_read_file(access->token_file, arena, &token))
        token = text_trim(token);
    const struct text secrets[] = {token, text_of(access->password), text_of(pair), proxy_user(access->identity.proxy)};
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
        message = withhold(message, secrets[i], arena);
    add_printable(&out, message);
    const char *clean = buffer_string(&out);
    size_t length = strlen(clean);
    if (length <= MESSAGE_MAX)
        return clean;
    length = MESSAGE_MAX; /* not within a character */
    while (length > 0 && ((unsigned char)clean[length] & 0xc0) == 0x80)
        length--;
    return arena_format(arena, "%.*s...", (int)length, clean);
}

/* ---- servers ---- */

static struct text host_of(const char *url) {
    const char *host = strstr(url, "://") + 3;
    return (struct text){.bytes = host, .length = *host == '[' ? strcspn(host, "]/") + 1 : strcspn(host, ":/?#")};
}

bool access_is_this_machine(const char *url) {
    struct text host = host_of(url);
    bool is_v4 = host.length > 0;
    for (size_t i = 0; i < host.length; i++)
        is_v4 = is_v4 && (ascii_is_digit(host.bytes[i]) || host.bytes[i] == '.');
    return text_is(host, "localhost") || text_is(host, "[::1]") || (is_v4 && text_starts_with(host, "127."));
}

const char *access_check_server(const char *url) {
    bool plain = strncmp(url, "http://", 7) == 0;
    if (!plain && strncmp(url, "https://", 8) != 0)
        return "must begin with https://";
    const char *host = strstr(url, "://") + 3;
    size_t length = strcspn(host, "/?#");
    if (memchr(host, '@', length))
        return "must not hold a user or password";
    if (host[length] && strpbrk(host + length, "?#"))
        return "must hold neither a query nor a fragment";
    for (const char *at = url; *at; at++)
        if ((unsigned char)*at <= ' ' || (unsigned char)*at >= 0x7f)
            return "must not hold blanks or bytes beyond ASCII";
    size_t name = host_of(url).length;
    if (name == 0 || name > length)
        return "must name a host";
    if (plain && !access_is_this_machine(url))
        return "must begin with https://; plain HTTP is for this machine alone";
    return NULL;
}
