/*
 * A bare libyaml event loop over files: what reading YAML costs before anything is made of it (tests/bench/speed.py).
 *
 *   yaml_events < LIST    # one path a line
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

/* The number of events, or -1 where the file cannot be read or parsed. */
static long count_events(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return -1;
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        fclose(file);
        return -1;
    }
    yaml_parser_set_input_file(&parser, file);
    long count = 0;
    for (bool more = true; more && count >= 0;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            count = -1;
            break;
        }
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        count++;
    }
    yaml_parser_delete(&parser);
    fclose(file);
    return count;
}

int main(void) {
    char path[4096];
    long total = 0;
    while (fgets(path, sizeof path, stdin)) {
        path[strcspn(path, "\n")] = '\0';
        long count = count_events(path);
        if (count < 0) {
            fprintf(stderr, "yaml_events: cannot read %s\n", path);
            return 1;
        }
        total += count;
    }
    printf("%ld\n", total);
    return 0;
}
