#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/// A header field that is returned as it was sent.
struct kept_field {
    struct kept_field *next;
    char *value;
    char name[];
};

/// The properties of an object: all but its bytes.
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
    /// The checksum's algorithm, such as "CRC64NVME", and its value; empty without a checksum.
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

/// The caller holds it while it calls the functions below or reads their results.
extern pthread_mutex_t store_lock;

/// The most objects; the oldest ones beyond this number are forgotten, so that a soak does not fill the memory.
extern uint64_t store_objects_maximum;

struct object *store_find(const char *name);
/// Stores an object, and takes ownership of the fields.
struct object *store_put(const char *name, uint64_t bytes, struct kept_field *fields);
bool store_remove(const char *name);
/// All objects whose names have this beginning and come after another name, sorted by name.
/// - Returns: their number; the caller frees `objects`.
size_t store_list(const char *beginning, const char *after, struct object ***objects);

struct upload *upload_create(const char *name, struct kept_field *fields);
struct upload *upload_find(uint64_t id, const char *name);
struct part *upload_part(struct upload *, int number, uint64_t bytes);
uint64_t upload_bytes(const struct upload *);
void upload_remove(struct upload *);
/// Calls the function with each upload, in no order.
void upload_each(void (*)(const struct upload *, void *), void *context);

struct kept_field *field_keep(struct kept_field *others, const char *name, const char *value);
void fields_free(struct kept_field *);
void store_reset(void);
