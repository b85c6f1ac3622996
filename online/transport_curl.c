/*
 * The transport that opens sockets: the only file that knows libcurl.
 */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "online/transport.h"

struct transport_session {
    CURL *curl;
    const struct transport_identity *identity;
    const struct transport_request *request;
    struct transport_answer *answer;
    uint64_t taken;
    bool stopped, refused;
    char error[CURL_ERROR_SIZE];
};

/* ---- what libcurl calls ---- */

static void note_head(struct transport_session *session) {
    struct transport_answer *answer = session->answer;
    const char *type = NULL;
    curl_easy_getinfo(session->curl, CURLINFO_RESPONSE_CODE, &answer->status);
    curl_easy_getinfo(session->curl, CURLINFO_CONTENT_TYPE, &type);
    size_t length = 0;
    for (; type && type[length] && type[length] != ';' && type[length] != ' ' && length < TRANSPORT_TYPE - 1; length++)
        answer->content_type[length] = ascii_lower(type[length]);
    answer->content_type[length] = '\0';
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context) {
    struct transport_session *session = context;
    size_t length = size * count;
    if (session->taken == 0)
        note_head(session);
    session->taken += length;
    if (session->taken > session->request->byte_limit) {
        session->answer->result = TRANSPORT_TOO_LARGE;
        return 0;
    }
    if (session->request->take(session->request->context, session->answer, bytes, length))
        return length;
    session->refused = true;
    return 0;
}

static int watch(void *context, curl_off_t down_total, curl_off_t down, curl_off_t up_total, curl_off_t up) {
    struct transport_session *session = context;
    (void)down_total, (void)down, (void)up_total, (void)up;
    session->stopped = session->stopped || session->request->stopped(session->request->context);
    return session->stopped;
}

/* ---- set-up ---- */

static bool set_blob(CURL *curl, CURLoption option, struct text text) {
    if (text.length == 0)
        return true;
    struct curl_blob blob = {.data = (void *)(uintptr_t)text.bytes, .len = text.length, .flags = CURL_BLOB_COPY};
    return curl_easy_setopt(curl, option, &blob) == CURLE_OK;
}

static bool set_identity(CURL *curl, const struct transport_identity *identity) {
    bool set = set_blob(curl, CURLOPT_CAINFO_BLOB, identity->authorities) &&
               set_blob(curl, CURLOPT_SSLCERT_BLOB, identity->certificate) &&
               set_blob(curl, CURLOPT_SSLKEY_BLOB, identity->key);
    if (set && identity->proxy) {
        set = curl_easy_setopt(curl, CURLOPT_PROXY, identity->proxy) == CURLE_OK &&
              curl_easy_setopt(curl, CURLOPT_NOPROXY, "") == CURLE_OK &&
              set_blob(curl, CURLOPT_PROXY_CAINFO_BLOB, identity->authorities);
    }
    if (set && !identity->uncompressed)
        set = curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "gzip") == CURLE_OK;
    if (set && identity->skip_verify)
        set = curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L) == CURLE_OK &&
              curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L) == CURLE_OK;
    return set;
}

static bool set_protocols(CURL *curl) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK;
#else
    return curl_easy_setopt(curl, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS) == CURLE_OK;
#endif
}

static bool set_up(struct transport_session *session) {
    CURL *curl = session->curl;
    return set_protocols(curl) && curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_PROXY_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, 256L * 1024) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_USERAGENT, "egressc-snapshot/" EGRESSC_VERSION) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, session->error) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_WRITEDATA, session) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, watch) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_XFERINFODATA, session) == CURLE_OK && set_identity(curl, session->identity);
}

static void session_close(struct transport_session *session) {
    if (session && session->curl)
        curl_easy_cleanup(session->curl);
    free(session);
}

static struct transport_session *session_open(void *state, const struct transport_identity *identity) {
    (void)state;
    struct transport_session *session = calloc(1, sizeof *session);
    if (!session)
        return NULL;
    session->identity = identity;
    session->curl = curl_easy_init();
    if (session->curl && set_up(session))
        return session;
    session_close(session);
    return NULL;
}

/* ---- one request ---- */

/* Another name than the host's is what libcurl is to take for the host, and the connection goes elsewhere: it has no
 * option for the name alone. Returns the URL with that name, and the list for CURLOPT_CONNECT_TO; both freed by the
 * caller with curl_free and curl_slist_free_all. NULL: no memory, or no URL. */
static char *rename_server(const char *url, const char *server_name, struct curl_slist **connect_to, char **host) {
    CURLU *parts = curl_url();
    char *port = NULL, *renamed = NULL;
    if (parts && curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK &&
        curl_url_get(parts, CURLUPART_HOST, host, 0) == CURLUE_OK &&
        curl_url_get(parts, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK &&
        curl_url_set(parts, CURLUPART_HOST, server_name, 0) == CURLUE_OK) {
        size_t size = strlen(*host) + strlen(port) + 5;
        char *line = malloc(size);
        if (line) {
            snprintf(line, size, "::%s:%s", *host, port);
            *connect_to = curl_slist_append(NULL, line);
            free(line);
        }
        if (!*connect_to || curl_url_get(parts, CURLUPART_URL, &renamed, 0) != CURLUE_OK)
            renamed = NULL;
    }
    curl_free(port);
    curl_url_cleanup(parts);
    return renamed;
}

static bool append(struct curl_slist **list, const char *line) {
    struct curl_slist *longer = curl_slist_append(*list, line);
    if (longer)
        *list = longer;
    return longer != NULL;
}

/* One without a value would be left out, unless it is written as libcurl wants it. */
static bool add_header(struct curl_slist **list, const char *header) {
    size_t name = strcspn(header, ":");
    const char *value = header + name + (header[name] == ':');
    if (value[strspn(value, " \t")])
        return append(list, header);
    char *line = malloc(name + 2);
    bool added = false;
    if (line) {
        memcpy(line, header, name);
        memcpy(line + name, ";", 2);
        added = append(list, line);
        free(line);
    }
    return added;
}

static bool make_headers(const struct transport_request *request, const char *host, struct curl_slist **list) {
    for (const char *const *header = request->headers; *header; header++)
        if (!add_header(list, *header))
            return false;
    if (!host)
        return true;
    size_t size = strlen(host) + sizeof "Host: ";
    char *line = malloc(size);
    bool made = false;
    if (line) {
        snprintf(line, size, "Host: %s", host);
        made = add_header(list, line);
        free(line);
    }
    return made;
}

static enum transport_result result_of(const struct transport_session *session, CURLcode code) {
    if (session->stopped)
        return TRANSPORT_STOPPED;
    if (session->answer->result == TRANSPORT_TOO_LARGE)
        return TRANSPORT_TOO_LARGE;
    if (session->refused)
        return TRANSPORT_REFUSED;
    switch ((int)code) {
    case CURLE_OK:
        return TRANSPORT_ANSWERED;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
        return TRANSPORT_UNREACHABLE;
    case CURLE_OPERATION_TIMEDOUT:
        return TRANSPORT_TIMED_OUT;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
        return TRANSPORT_UNTRUSTED;
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_WEIRD_SERVER_REPLY:
        return TRANSPORT_BROKEN;
    default:
        return TRANSPORT_UNUSABLE;
    }
}

static CURLcode perform(struct transport_session *session, const char *url, struct curl_slist *headers,
                        struct curl_slist *connect_to) {
    CURL *curl = session->curl;
    const struct transport_request *request = session->request;
    CURLcode code = curl_easy_setopt(curl, CURLOPT_URL, url);
    if (code == CURLE_OK)
        code = curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    if (code == CURLE_OK)
        code = curl_easy_setopt(curl, CURLOPT_CONNECT_TO, connect_to);
    if (code == CURLE_OK)
        code = curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)request->timeout_ms);
    if (code == CURLE_OK)
        code = curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)request->connect_timeout_ms);
    return code == CURLE_OK ? curl_easy_perform(curl) : code;
}

static void finish(struct transport_session *session, CURLcode code) {
    struct transport_answer *answer = session->answer;
    curl_off_t retry_after = 0;
    note_head(session);
    if (curl_easy_getinfo(session->curl, CURLINFO_RETRY_AFTER, &retry_after) == CURLE_OK && retry_after > 0)
        answer->retry_after_ms = (uint64_t)retry_after * 1000;
    answer->result = result_of(session, code);
    if (code != CURLE_OK)
        snprintf(answer->error, sizeof answer->error, "%s",
                 session->error[0] ? session->error : curl_easy_strerror(code));
}

static void session_get(struct transport_session *session, const struct transport_request *request,
                        struct transport_answer *answer) {
    const char *server_name = session->identity->server_name;
    struct curl_slist *headers = NULL, *connect_to = NULL;
    char *host = NULL, *renamed = NULL;
    *answer = (struct transport_answer){.result = TRANSPORT_UNUSABLE};
    session->request = request;
    session->answer = answer;
    session->taken = 0;
    session->stopped = session->refused = false;
    session->error[0] = '\0';
    if (server_name)
        renamed = rename_server(request->url, server_name, &connect_to, &host);
    if ((server_name && !renamed) || !make_headers(request, host, &headers))
        snprintf(answer->error, sizeof answer->error, "the request could not be made");
    else
        finish(session, perform(session, renamed ? renamed : request->url, headers, connect_to));
    curl_easy_setopt(session->curl, CURLOPT_HTTPHEADER, NULL);
    curl_easy_setopt(session->curl, CURLOPT_CONNECT_TO, NULL);
    curl_slist_free_all(headers);
    curl_slist_free_all(connect_to);
    curl_free(host);
    curl_free(renamed);
}

bool transport_curl(struct transport *transport) {
    *transport = (struct transport){.open = session_open, .get = session_get, .close = session_close};
    return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

void transport_curl_end(void) { curl_global_cleanup(); }
