/*
 * An API server of a small cluster, or of a large one, on the loopback address:
 *
 *     serve [--folder DIR] [--forbid RESOURCE]... [--busy RESOURCE] [--pods N] [--policies N] [--whole] [--pad BYTES]
 *           [--slow MS] [--tls CERTIFICATE KEY] [--token TOKEN] [--client AUTHORITY NAME]
 *
 * Lists are the files DIR/RESOURCE.json; pods and policies are made up, in pages as asked for, or all at once with
 * --whole. RESOURCE is forbidden, or busy the first time (429). Only who has TOKEN is known, or a certificate of that name. Pods get an annotation of so
 * many BYTES. Prints its port, then serves until standard input ends.
 */
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FORBIDDEN = 16, FILE_MOST = 1 << 20, ITEM = 4096, PAD_MOST = 64 * 1024 };

struct serve {
    const char *folder, *busy, *token, *client;
    const char *forbidden[FORBIDDEN];
    size_t forbidden_count;
    unsigned long pods, policies;
    unsigned long slow_ms, pad;
    bool whole, was_busy;
    pthread_mutex_t lock;
};

/* ---- lists that are made up ---- */

struct list {
    const char *kind, *version;
    bool is_pod;
    unsigned long from, to, all;
    unsigned long next; /* item, or the end */
    size_t pad;
    char pending[ITEM + PAD_MOST];
    size_t pending_length, pending_at;
    bool begun, ended;
};

#define NOISE                                                                                                          \
    "\"managedFields\":[{\"manager\":\"kubelet\",\"operation\":\"Update\",\"apiVersion\":\"v1\",\"fieldsType\":"       \
    "\"FieldsV1\",\"fieldsV1\":{\"f:metadata\":{\"f:labels\":{\".\":{},\"f:app\":{}}},\"f:spec\":{\"f:containers\":{"  \
    "\"k:{\\\"name\\\":\\\"main\\\"}\":{\".\":{},\"f:image\":{},\"f:env\":{}}}},\"f:status\":{\"f:conditions\":{}}}}]"

static size_t print_pod(char *out, unsigned long i, size_t pad) {
    size_t length = (size_t)sprintf(out, "{\"metadata\":{\"annotations\":{\"pad\":\"");
    memset(out + length, 'x', pad);
    length += pad;
    return length +
           (size_t)snprintf(
               out + length, ITEM,
               "\",\"kubectl.kubernetes.io/"
               "last-applied-configuration\":\"{\\\"password\\\":\\\"hush\\\"}\"},\"name\":\"pod-%lu\",\"namespace\":"
               "\"ns-%lu\",\"uid\":\"00000000-0000-0000-0000-%012lu\","
               "\"labels\":{\"app\":\"app-%lu\",\"pod-template-hash\":\"%lu\"}," NOISE "},\"spec\":{\"containers\":[{"
               "\"name\":\"main\",\"image\":\"registry.example/"
               "app:%lu\",\"args\":[\"--password\",\"hush\"],\"env\":[{\"name\":"
               "\"PASSWORD\",\"value\":\"hush\"}],\"ports\":[{\"containerPort\":8080,\"protocol\":\"TCP\"}],"
               "\"resources\":{"
               "\"limits\":{\"cpu\":\"1\",\"memory\":\"1Gi\"}},\"volumeMounts\":[{\"name\":\"token\",\"mountPath\":\"/"
               "var/run/"
               "secrets\"}]}],\"serviceAccountName\":\"default\",\"tolerations\":[{\"key\":\"node.kubernetes.io/"
               "not-ready\","
               "\"operator\":\"Exists\",\"effect\":\"NoExecute\",\"tolerationSeconds\":300}]},\"status\":{\"phase\":"
               "\"Running\","
               "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"lastTransitionTime\":\"2026-09-01T00:00:"
               "00Z\"}],"
               "\"podIP\":\"10.%lu.%lu.%lu\",\"containerStatuses\":[{\"name\":\"main\",\"ready\":true,\"restartCount\":"
               "0,"
               "\"imageID\":\"sha256:0000000000000000000000000000000000000000000000000000000000000000\"}]}}",
               i, i % 500, i, i % 100, i % 1000, i % 10, i >> 16 & 255, i >> 8 & 255, i & 255);
}

static size_t print_policy(char *out, unsigned long i) {
    return (size_t)snprintf(
        out, ITEM,
        "{\"metadata\":{\"name\":\"policy-%lu\",\"namespace\":\"ns-%lu\",\"uid\":\"10000000-0000-0000-0000-%"
        "012lu\"," NOISE
        "},\"spec\":{\"podSelector\":{\"matchLabels\":{\"app\":\"app-%lu\"}},\"policyTypes\":[\"Egress\"],\"egress\":[{"
        "\"to\":[{\"ipBlock\":{\"cidr\":\"10.%lu.0.0/16\"}}],\"ports\":[{\"protocol\":\"TCP\",\"port\":443}]}]}}",
        i, i % 500, i, i % 100, i % 256);
}

/* Fills `pending` with the next piece: the head, an item, or the end. */
static void next_piece(struct list *list) {
    char *out = list->pending;
    size_t length = 0;
    if (!list->begun) {
        list->begun = true;
        length = (size_t)snprintf(out, sizeof list->pending,
                                  "{\"kind\":\"%s\",\"apiVersion\":\"%s\",\"metadata\":{\"resourceVersion\":\"4711\"",
                                  list->kind, list->version);
        if (list->to < list->all)
            length += (size_t)snprintf(out + length, 64, ",\"continue\":\"%lu\"", list->to);
        length += (size_t)snprintf(out + length, 32, "},\"items\":[");
    } else if (list->next < list->to) {
        if (list->next > list->from)
            out[length++] = ',';
        length +=
            list->is_pod ? print_pod(out + length, list->next, list->pad) : print_policy(out + length, list->next);
        list->next++;
    } else if (!list->ended) {
        list->ended = true;
        length = (size_t)snprintf(out, 8, "]}\n");
    }
    list->pending_length = length;
    list->pending_at = 0;
}

static ssize_t read_list(void *context, uint64_t position, char *out, size_t size) {
    struct list *list = context;
    size_t filled = 0;
    (void)position;
    while (filled < size) {
        if (list->pending_at == list->pending_length)
            next_piece(list);
        if (list->pending_length == 0)
            break;
        size_t part = list->pending_length - list->pending_at;
        part = part < size - filled ? part : size - filled;
        memcpy(out + filled, list->pending + list->pending_at, part);
        list->pending_at += part;
        filled += part;
    }
    return filled > 0 ? (ssize_t)filled : MHD_CONTENT_READER_END_OF_STREAM;
}

static unsigned long query_number(struct MHD_Connection *connection, const char *name, unsigned long otherwise) {
    const char *value = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
    return value ? strtoul(value, NULL, 10) : otherwise;
}

static struct MHD_Response *make_list(const struct serve *serve, struct MHD_Connection *connection, bool is_pod) {
    struct list *list = calloc(1, sizeof *list);
    list->kind = is_pod ? "PodList" : "NetworkPolicyList";
    list->version = is_pod ? "v1" : "networking.k8s.io/v1";
    list->is_pod = is_pod;
    list->pad = serve->pad;
    list->all = list->to = is_pod ? serve->pods : serve->policies;
    list->from = list->next = query_number(connection, "continue", 0);
    unsigned long limit = serve->whole ? 0 : query_number(connection, "limit", 0);
    if (limit > 0 && list->from + limit < list->to)
        list->to = list->from + limit;
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 256 * 1024, read_list, list, free);
}

/* ---- lists that are files ---- */

static struct MHD_Response *make_file(const struct serve *serve, const char *resource) {
    char path[1024];
    if (!serve->folder)
        return NULL;
    snprintf(path, sizeof path, "%s/%s.json", serve->folder, resource);
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *bytes = malloc(FILE_MOST);
    size_t length = fread(bytes, 1, FILE_MOST, file);
    fclose(file);
    return MHD_create_response_from_buffer(length, bytes, MHD_RESPMEM_MUST_FREE);
}

/* ---- requests ---- */

static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned status, const char *type,
                                 const char *text) {
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
    MHD_add_response_header(response, "Content-Type", type);
    if (status == 429)
        MHD_add_response_header(response, "Retry-After", "1");
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static bool is_forbidden(const struct serve *serve, const char *resource) {
    for (size_t i = 0; i < serve->forbidden_count; i++)
        if (strcmp(serve->forbidden[i], resource) == 0)
            return true;
    return false;
}

static bool is_busy(struct serve *serve, const char *resource) {
    pthread_mutex_lock(&serve->lock);
    bool busy = serve->busy && !serve->was_busy && strcmp(serve->busy, resource) == 0;
    serve->was_busy = serve->was_busy || busy;
    pthread_mutex_unlock(&serve->lock);
    return busy;
}

/* The common name of the client's certificate; "": there is none that is trusted. */
static void client_name(struct MHD_Connection *connection, char *name, size_t size) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    unsigned count = 0, problems = 1;
    const gnutls_datum_t *list = info ? gnutls_certificate_get_peers(info->tls_session, &count) : NULL;
    gnutls_x509_crt_t certificate;
    name[0] = '\0';
    if (!list || count == 0 || gnutls_certificate_verify_peers2(info->tls_session, &problems) != 0 || problems != 0)
        return;
    gnutls_x509_crt_init(&certificate);
    if (gnutls_x509_crt_import(certificate, &list[0], GNUTLS_X509_FMT_DER) != 0 ||
        gnutls_x509_crt_get_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, 0, name, &size) != 0)
        name[0] = '\0';
    gnutls_x509_crt_deinit(certificate);
}

static bool is_allowed(const struct serve *serve, struct MHD_Connection *connection) {
    char wanted[256];
    if (serve->client) {
        client_name(connection, wanted, sizeof wanted);
        return strcmp(wanted, serve->client) == 0;
    }
    const char *value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
    snprintf(wanted, sizeof wanted, "Bearer %s", serve->token ? serve->token : "");
    return !serve->token || (value && strcmp(value, wanted) == 0);
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **state) {
    struct serve *serve = context;
    const char *resource = strrchr(url, '/') + 1;
    (void)version, (void)upload, (void)upload_size;
    /* The first call is about the headers: an answer to it would end the connection. */
    if (!*state) {
        *state = context;
        return MHD_YES;
    }
    struct timespec wait = {.tv_sec = (time_t)(serve->slow_ms / 1000),
                            .tv_nsec = (long)(serve->slow_ms % 1000) * 1000000};
    nanosleep(&wait, NULL);
    if (strcmp(method, "GET") != 0)
        return send_text(connection, 405, "text/plain", "no\n");
    if (!is_allowed(serve, connection))
        return send_text(connection, 401, "application/json", "{\"kind\":\"Status\",\"message\":\"Unauthorized\"}");
    if (strcmp(url, "/version") == 0)
        return send_text(connection, 200, "application/json", "{\"gitVersion\":\"v1.31.2\"}");
    if (is_forbidden(serve, resource)) {
        char text[512];
        snprintf(
            text, sizeof text,
            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"%s is forbidden: User "
            "\\\"auditor\\\" cannot list resource\",\"reason\":\"Forbidden\",\"code\":403}",
            resource);
        return send_text(connection, 403, "application/json", text);
    }
    if (is_busy(serve, resource))
        return send_text(connection, 429, "application/json", "{\"kind\":\"Status\",\"message\":\"slow down\"}");
    struct MHD_Response *response = NULL;
    if (serve->pods > 0 && strcmp(resource, "pods") == 0)
        response = make_list(serve, connection, true);
    else if (serve->policies > 0 && strcmp(resource, "networkpolicies") == 0)
        response = make_list(serve, connection, false);
    else
        response = make_file(serve, resource);
    if (!response)
        return strstr(url, "/configmaps/")
                   ? send_text(connection, 404, "application/json", "{\"kind\":\"Status\",\"message\":\"not found\"}")
                   : send_text(connection, 404, "text/plain", "404 page not found\n");
    MHD_add_response_header(response, "Content-Type", "application/json");
    enum MHD_Result result = MHD_queue_response(connection, 200, response);
    MHD_destroy_response(response);
    return result;
}

/* ---- the program ---- */

static char *read_whole(const char *path) {
    char *text = calloc(1, FILE_MOST + 1);
    FILE *file = fopen(path, "rb");
    if (!file || fread(text, 1, FILE_MOST, file) == 0) {
        perror(path);
        exit(2);
    }
    fclose(file);
    return text;
}

static const char *value_of(int argc, char **argv, int *i) {
    if (*i + 1 >= argc) {
        fprintf(stderr, "%s needs a value\n", argv[*i]);
        exit(2);
    }
    return argv[++*i];
}

int main(int argc, char **argv) {
    struct serve serve = {.folder = NULL};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    char *certificate = NULL, *key = NULL, *authority = NULL;
    pthread_mutex_init(&serve.lock, NULL);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--folder") == 0)
            serve.folder = value_of(argc, argv, &i);
        else if (strcmp(argv[i], "--forbid") == 0 && serve.forbidden_count < FORBIDDEN)
            serve.forbidden[serve.forbidden_count++] = value_of(argc, argv, &i);
        else if (strcmp(argv[i], "--busy") == 0)
            serve.busy = value_of(argc, argv, &i);
        else if (strcmp(argv[i], "--token") == 0)
            serve.token = value_of(argc, argv, &i);
        else if (strcmp(argv[i], "--client") == 0) {
            authority = read_whole(value_of(argc, argv, &i));
            serve.client = value_of(argc, argv, &i);
        } else if (strcmp(argv[i], "--pods") == 0)
            serve.pods = strtoul(value_of(argc, argv, &i), NULL, 10);
        else if (strcmp(argv[i], "--policies") == 0)
            serve.policies = strtoul(value_of(argc, argv, &i), NULL, 10);
        else if (strcmp(argv[i], "--pad") == 0)
            serve.pad = strtoul(value_of(argc, argv, &i), NULL, 10) % PAD_MOST;
        else if (strcmp(argv[i], "--slow") == 0)
            serve.slow_ms = strtoul(value_of(argc, argv, &i), NULL, 10);
        else if (strcmp(argv[i], "--whole") == 0)
            serve.whole = true;
        else if (strcmp(argv[i], "--tls") == 0) {
            certificate = read_whole(value_of(argc, argv, &i));
            key = read_whole(value_of(argc, argv, &i));
        } else {
            fprintf(stderr, "there is no use for %s\n", argv[i]);
            return 2;
        }
    }
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | (certificate ? MHD_USE_TLS : 0u);
    struct MHD_OptionItem tls[] = {{MHD_OPTION_HTTPS_MEM_CERT, 0, certificate},
                                   {MHD_OPTION_HTTPS_MEM_KEY, 0, key},
                                   {authority ? MHD_OPTION_HTTPS_MEM_TRUST : MHD_OPTION_END, 0, authority},
                                   {MHD_OPTION_END, 0, NULL}};
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    struct MHD_Daemon *daemon = MHD_start_daemon(flags, 0, NULL, NULL, answer, &serve, MHD_OPTION_SOCK_ADDR, &address,
                                                 MHD_OPTION_ARRAY, certificate ? tls : none, MHD_OPTION_END);
    if (!daemon) {
        fputs("the server cannot be started\n", stderr);
        return 2;
    }
    printf("%u\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    for (char byte; read(STDIN_FILENO, &byte, 1) > 0;)
        ;
    MHD_stop_daemon(daemon);
    free(certificate);
    free(key);
    free(authority);
    return 0;
}
