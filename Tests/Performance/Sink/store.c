#include "store.h"

#include <stdlib.h>
#include <string.h>

enum { OBJECT_SLOTS = 1 << 17, UPLOAD_SLOTS = 1 << 12 };

pthread_mutex_t store_lock = PTHREAD_MUTEX_INITIALIZER;
uint64_t store_objects_maximum = 1000000;

static struct object *objects[OBJECT_SLOTS], *oldest, *newest;
static struct upload *uploads[UPLOAD_SLOTS];
static uint64_t object_count, last_tag, last_upload;

/// The slot of a name, by FNV-1a.
static size_t slot(const char *name) {
    uint64_t hash = 0xcbf29ce484222325;
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 0x100000001b3;
    return hash % OBJECT_SLOTS;
}

static struct object **place(const char *name) {
    struct object **place = &objects[slot(name)];
    while (*place && strcmp((*place)->name, name) != 0) place = &(*place)->next_in_slot;
    return place;
}

static void unlink_age(struct object *object) {
    *(object->older ? &object->older->newer : &oldest) = object->newer;
    *(object->newer ? &object->newer->older : &newest) = object->older;
}

struct object *store_find(const char *name) { return *place(name); }

bool store_remove(const char *name) {
    struct object **found = place(name), *object = *found;
    if (!object) return false;
    *found = object->next_in_slot;
    unlink_age(object);
    fields_free(object->fields);
    free(object);
    object_count--;
    return true;
}

struct object *store_put(const char *name, uint64_t bytes, struct kept_field *fields) {
    store_remove(name);
    if (object_count >= store_objects_maximum) store_remove(oldest->name);
    size_t count = strlen(name) + 1;
    struct object *object = calloc(1, sizeof *object + count);
    if (!object) abort();
    memcpy(object->name, name, count);
    object->bytes = bytes;
    object->tag = ++last_tag;
    object->modified = time(NULL);
    object->fields = fields;
    struct object **first = &objects[slot(name)];
    object->next_in_slot = *first;
    *first = object;
    object->older = newest;
    *(newest ? &newest->newer : &oldest) = object;
    newest = object;
    object_count++;
    return object;
}

static int by_name(const void *left, const void *right) {
    return strcmp((*(struct object *const *)left)->name, (*(struct object *const *)right)->name);
}

size_t store_list(const char *beginning, const char *after, struct object ***found) {
    struct object **list = malloc(sizeof *list * (object_count + 1));
    if (!list) abort();
    size_t count = 0, length = strlen(beginning);
    for (struct object *object = oldest; object; object = object->newer)
        if (strncmp(object->name, beginning, length) == 0 && strcmp(object->name, after) > 0) list[count++] = object;
    qsort(list, count, sizeof *list, by_name);
    *found = list;
    return count;
}

struct upload *upload_create(const char *name, struct kept_field *fields) {
    size_t count = strlen(name) + 1;
    struct upload *upload = calloc(1, sizeof *upload + count);
    if (!upload) abort();
    memcpy(upload->name, name, count);
    upload->id = ++last_upload;
    upload->begun = time(NULL);
    upload->fields = fields;
    upload->next_in_slot = uploads[upload->id % UPLOAD_SLOTS];
    uploads[upload->id % UPLOAD_SLOTS] = upload;
    return upload;
}

struct upload *upload_find(uint64_t id, const char *name) {
    struct upload *upload = uploads[id % UPLOAD_SLOTS];
    while (upload && upload->id != id) upload = upload->next_in_slot;
    return upload && strcmp(upload->name, name) == 0 ? upload : NULL;
}

struct part *upload_part(struct upload *upload, int number, uint64_t bytes) {
    int index = upload->part_count;
    while (index > 0 && upload->parts[index - 1].number >= number) index--;
    if (index == upload->part_count || upload->parts[index].number != number) {
        if (upload->part_count == upload->part_capacity) {
            upload->part_capacity = upload->part_capacity ? upload->part_capacity * 2 : 16;
            upload->parts = realloc(upload->parts, sizeof *upload->parts * (size_t)upload->part_capacity);
            if (!upload->parts) abort();
        }
        memmove(&upload->parts[index + 1], &upload->parts[index],
            sizeof *upload->parts * (size_t)(upload->part_count++ - index));
    }
    upload->parts[index] = (struct part){.number = number, .bytes = bytes, .tag = ++last_tag};
    return &upload->parts[index];
}

uint64_t upload_bytes(const struct upload *upload) {
    uint64_t bytes = 0;
    for (int index = 0; index < upload->part_count; index++) bytes += upload->parts[index].bytes;
    return bytes;
}

void upload_remove(struct upload *upload) {
    struct upload **place = &uploads[upload->id % UPLOAD_SLOTS];
    while (*place != upload) place = &(*place)->next_in_slot;
    *place = upload->next_in_slot;
    fields_free(upload->fields);
    free(upload->parts);
    free(upload);
}

void upload_each(void (*call)(const struct upload *, void *), void *context) {
    for (int index = 0; index < UPLOAD_SLOTS; index++)
        for (struct upload *upload = uploads[index]; upload; upload = upload->next_in_slot) call(upload, context);
}

struct kept_field *field_keep(struct kept_field *others, const char *name, const char *value) {
    size_t name_count = strlen(name) + 1, value_count = strlen(value) + 1;
    struct kept_field *field = malloc(sizeof *field + name_count + value_count);
    if (!field) abort();
    memcpy(field->name, name, name_count);
    field->value = field->name + name_count;
    memcpy(field->value, value, value_count);
    field->next = others;
    return field;
}

void fields_free(struct kept_field *field) {
    while (field) {
        struct kept_field *next = field->next;
        free(field);
        field = next;
    }
}

void store_reset(void) {
    while (oldest) store_remove(oldest->name);
    for (int index = 0; index < UPLOAD_SLOTS; index++)
        while (uploads[index]) upload_remove(uploads[index]);
}
