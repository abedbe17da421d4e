#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/// A header field that is given back as it came.
struct kept_field {
    struct kept_field *next;
    char *value;
    char name[];
};

/// What is known of an object: everything but its bytes.
struct object {
    struct object *next_in_slot, *older, *newer;
    uint64_t bytes, tag;
    time_t modified;
    struct kept_field *fields;
    /// `bucket/key`.
    char name[];
};

struct part {
    int number;
    uint64_t bytes, tag;
    /// "CRC64NVME" and such, and its value; empty without one.
    char algorithm[12], checksum[92];
};

struct upload {
    struct upload *next_in_slot;
    uint64_t id;
    struct part *parts; // in the order of their numbers
    int part_count, part_capacity;
    time_t begun;
    struct kept_field *fields;
    char name[];
};

/// Held by whoever calls the functions below or reads what they return.
extern pthread_mutex_t store_lock;

/// More objects than this, and the oldest are forgotten: a soak must not fill the memory.
extern uint64_t store_objects_maximum;

struct object *store_find(const char *name);
/// Takes the fields over.
struct object *store_put(const char *name, uint64_t bytes, struct kept_field *fields);
bool store_remove(const char *name);
/// All objects whose names begin so and come after another, sorted by name.
/// - Returns: how many; `objects` is to be freed.
size_t store_list(const char *beginning, const char *after, struct object ***objects);

struct upload *upload_create(const char *name, struct kept_field *fields);
struct upload *upload_find(uint64_t id, const char *name);
struct part *upload_part(struct upload *, int number, uint64_t bytes);
uint64_t upload_bytes(const struct upload *);
void upload_remove(struct upload *);
/// Calls back with each, in no order.
void upload_each(void (*)(const struct upload *, void *), void *context);

struct kept_field *field_keep(struct kept_field *others, const char *name, const char *value);
void fields_free(struct kept_field *);
void store_reset(void);
