#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "answer.h"
#include "store.h"

// Each operation has its name in the Amazon S3 API Reference. All functions are called with the store locked.

enum { NAME_BYTES = BUCKET_BYTES_MAXIMUM + KEY_BYTES_MAXIMUM, TAG_BYTES = 48, PAGE_MAXIMUM = 1000 };

struct context {
    const struct request *request;
    struct exchange *exchange;
    struct text *answer;
    /// `bucket/key`.
    char name[NAME_BYTES];
};

static const char *const xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

static void refuse(struct context *context, int status, const char *code, const char *message) {
    context->exchange->status = status;
    answer_refusal(context->answer, context->request, status, code, message);
}

static void succeed(struct context *context, int status, const char *fields) {
    context->exchange->status = status;
    answer_empty(context->answer, status, fields);
}

static void succeed_with(struct context *context, struct text *body) {
    context->exchange->status = 200;
    answer_body(context->answer, 200, "application/xml", "", body);
    text_free(body);
}

/// The tag has not 32 hexadecimal digits, because some clients take such a tag for the MD5 of the bytes that they sent.
static const char *quoted_tag(char *bytes, uint64_t tag) {
    snprintf(bytes, TAG_BYTES, "\"%016lx-sink\"", tag);
    return bytes;
}

static bool is_checksum(const char *name) {
    return strncasecmp(name, "x-amz-checksum-", 15) == 0 && strcasecmp(name, "x-amz-checksum-algorithm") != 0 &&
           strcasecmp(name, "x-amz-checksum-type") != 0 && strcasecmp(name, "x-amz-checksum-mode") != 0;
}

/// The fields that an answer to HEAD contains.
static struct kept_field *object_fields(const struct request *request) {
    struct kept_field *kept = NULL;
    for (size_t index = 0; index < request->field_count; index++) {
        const struct field *field = &request->fields[index];
        if (strncasecmp(field->name, "x-amz-meta-", 11) == 0 || is_checksum(field->name) ||
            strcasecmp(field->name, "content-type") == 0 || strcasecmp(field->name, "cache-control") == 0)
            kept = field_keep(kept, field->name, field->value);
    }
    return kept;
}

/// The size of the content, without the framing of `aws-chunked` ("Transferring payload in multiple chunks", S3 API Reference).
static uint64_t content_bytes(const struct context *context) {
    const char *decoded = request_field(context->request, "x-amz-decoded-content-length");
    return decoded ? strtoull(decoded, NULL, 10) : context->exchange->bytes;
}

/// Checks conditions ("Conditional requests", Amazon S3 User Guide).
static bool meets_conditions(struct context *context) {
    const char *none = request_field(context->request, "if-none-match");
    const char *match = request_field(context->request, "if-match");
    if (!none && !match) return true;
    char tag[TAG_BYTES];
    struct object *object = store_find(context->name);
    if (none ? !object : object && strcmp(match, quoted_tag(tag, object->tag)) == 0) return true;
    refuse(context, 412, "PreconditionFailed", "the object is not as it was expected");
    return false;
}

static void put_object(struct context *context) {
    if (request_field(context->request, "x-amz-copy-source")) {
        refuse(context, 501, "NotImplemented", "nothing can be copied: no bytes are kept");
        return;
    }
    if (!meets_conditions(context)) return;
    struct object *object = store_put(context->name, content_bytes(context), object_fields(context->request));
    char tag[TAG_BYTES], fields[512];
    int count = snprintf(fields, sizeof fields, "ETag: %s\r\n", quoted_tag(tag, object->tag));
    for (struct kept_field *field = object->fields; field; field = field->next)
        if (is_checksum(field->name) && (size_t)count < sizeof fields)
            count += snprintf(fields + count, sizeof fields - (size_t)count, "%s: %s\r\n", field->name, field->value);
    succeed(context, 200, fields);
}

static void head_object(struct context *context) {
    struct object *object = store_find(context->name);
    if (!object) {
        refuse(context, 404, "NoSuchKey", "there is no such object");
        return;
    }
    char tag[TAG_BYTES], date[40];
    struct tm time;
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&object->modified, &time));
    context->exchange->status = 200;
    text_format(context->answer,
        "HTTP/1.1 200 OK\r\nServer: sink\r\nETag: %s\r\nLast-Modified: %s\r\nAccept-Ranges: bytes\r\n",
        quoted_tag(tag, object->tag), date);
    bool shows_checksums = request_field(context->request, "x-amz-checksum-mode");
    for (struct kept_field *field = object->fields; field; field = field->next)
        if (shows_checksums || !is_checksum(field->name))
            text_format(context->answer, "%s: %s\r\n", field->name, field->value);
    text_format(context->answer, "Content-Length: %lu\r\n\r\n", object->bytes);
}

static void delete_object(struct context *context) {
    store_remove(context->name);
    succeed(context, 204, "");
}

static void create_upload(struct context *context) {
    struct upload *upload = upload_create(context->name, object_fields(context->request));
    struct text body = {0};
    text_format(&body, "%s<InitiateMultipartUploadResult><Bucket>%s</Bucket><Key>", xml, context->request->bucket);
    text_escape(&body, context->request->key);
    text_format(&body, "</Key><UploadId>%lx</UploadId></InitiateMultipartUploadResult>", upload->id);
    succeed_with(context, &body);
}

static struct upload *named_upload(struct context *context) {
    uint64_t id = strtoull(request_parameter(context->request, "uploadId"), NULL, 16);
    struct upload *upload = upload_find(id, context->name);
    if (!upload) refuse(context, 404, "NoSuchUpload", "there is no such upload");
    return upload;
}

static void upload_one_part(struct context *context) {
    const char *number = request_parameter(context->request, "partNumber");
    context->exchange->part = number ? atoi(number) : 0;
    struct upload *upload = named_upload(context);
    if (!upload) return;
    struct part *part = upload_part(upload, context->exchange->part, content_bytes(context));
    char tag[TAG_BYTES], fields[256];
    int count = snprintf(fields, sizeof fields, "ETag: %s\r\n", quoted_tag(tag, part->tag));
    for (size_t index = 0; index < context->request->field_count; index++) {
        const struct field *field = &context->request->fields[index];
        if (!is_checksum(field->name)) continue;
        snprintf(part->checksum, sizeof part->checksum, "%s", field->value);
        snprintf(part->algorithm, sizeof part->algorithm, "%s", field->name + 15);
        for (char *letter = part->algorithm; *letter; letter++) *letter = (char)toupper((unsigned char)*letter);
        snprintf(fields + count, sizeof fields - (size_t)count, "%s: %s\r\n", field->name, field->value);
    }
    succeed(context, 200, fields);
}

static void list_parts(struct context *context) {
    struct upload *upload = named_upload(context);
    if (!upload) return;
    const char *after = request_parameter(context->request, "part-number-marker");
    const char *most = request_parameter(context->request, "max-parts");
    int marker = after ? atoi(after) : 0, left = most ? atoi(most) : PAGE_MAXIMUM, last = 0;
    bool is_truncated = false;
    struct text body = {0};
    text_format(&body, "%s<ListPartsResult><UploadId>%lx</UploadId>", xml, upload->id);
    for (int index = 0; index < upload->part_count; index++) {
        const struct part *part = &upload->parts[index];
        if (part->number <= marker) continue;
        if (left-- <= 0) {
            is_truncated = true;
            break;
        }
        text_format(&body,
            "<Part><PartNumber>%d</PartNumber><ETag>&quot;%016lx-sink&quot;</ETag><Size>%lu</Size>", part->number,
            part->tag, part->bytes);
        if (*part->algorithm)
            text_format(&body, "<Checksum%s>%s</Checksum%s>", part->algorithm, part->checksum, part->algorithm);
        text_format(&body, "</Part>");
        last = part->number;
    }
    text_format(&body, "<NextPartNumberMarker>%d</NextPartNumberMarker><IsTruncated>%s</IsTruncated></ListPartsResult>",
        last, is_truncated ? "true" : "false");
    succeed_with(context, &body);
}

static void complete_upload(struct context *context) {
    struct upload *upload = named_upload(context);
    if (!upload || !meets_conditions(context)) return;
    struct kept_field *fields = upload->fields;
    upload->fields = NULL;
    const char *whole = request_field(context->request, "x-amz-checksum-crc64nvme");
    if (whole) fields = field_keep(fields, "x-amz-checksum-crc64nvme", whole);
    struct object *object = store_put(context->name, upload_bytes(upload), fields);
    upload_remove(upload);
    struct text body = {0};
    text_format(&body, "%s<CompleteMultipartUploadResult><Location>/", xml);
    text_escape(&body, context->name);
    text_format(&body, "</Location><Bucket>%s</Bucket><Key>", context->request->bucket);
    text_escape(&body, context->request->key);
    text_format(&body, "</Key><ETag>&quot;%016lx-sink&quot;</ETag>", object->tag);
    if (whole) text_format(&body, "<ChecksumCRC64NVME>%s</ChecksumCRC64NVME>", whole);
    text_format(&body, "</CompleteMultipartUploadResult>");
    succeed_with(context, &body);
}

static void abort_upload(struct context *context) {
    struct upload *upload = named_upload(context);
    if (!upload) return;
    upload_remove(upload);
    succeed(context, 204, "");
}

static void list_one_upload(const struct upload *upload, void *body) {
    char date[40];
    struct tm time;
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S.000Z", gmtime_r(&upload->begun, &time));
    text_format(body, "<Upload><Key>");
    text_escape(body, strchr(upload->name, '/') + 1);
    text_format(body, "</Key><UploadId>%lx</UploadId><Initiated>%s</Initiated></Upload>", upload->id, date);
}

static void list_uploads(struct context *context) {
    struct text body = {0};
    text_format(&body, "%s<ListMultipartUploadsResult><Bucket>%s</Bucket>", xml, context->request->bucket);
    upload_each(list_one_upload, &body);
    text_format(&body, "<IsTruncated>false</IsTruncated></ListMultipartUploadsResult>");
    succeed_with(context, &body);
}

/// Lists flat: `delimiter` is ignored.
static void list_objects(struct context *context) {
    const char *bucket = context->request->bucket;
    const char *prefix = request_parameter(context->request, "prefix");
    const char *token = request_parameter(context->request, "continuation-token");
    if (!token) token = request_parameter(context->request, "start-after");
    if (!token) token = request_parameter(context->request, "marker");
    char beginning[2 * NAME_BYTES], after[2 * NAME_BYTES];
    snprintf(beginning, sizeof beginning, "%s/%s", bucket, prefix ? prefix : "");
    snprintf(after, sizeof after, "%s/%s", bucket, token ? token : "");
    struct object **objects;
    size_t count = store_list(beginning, after, &objects), shown = count < PAGE_MAXIMUM ? count : PAGE_MAXIMUM;
    struct text body = {0};
    text_format(&body, "%s<ListBucketResult><Name>%s</Name><KeyCount>%zu</KeyCount><MaxKeys>%d</MaxKeys>", xml, bucket,
        shown, PAGE_MAXIMUM);
    for (size_t index = 0; index < shown; index++) {
        char date[40];
        struct tm time;
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S.000Z", gmtime_r(&objects[index]->modified, &time));
        text_format(&body, "<Contents><Key>");
        text_escape(&body, strchr(objects[index]->name, '/') + 1);
        text_format(&body, "</Key><LastModified>%s</LastModified><ETag>&quot;%016lx-sink&quot;</ETag>", date,
            objects[index]->tag);
        text_format(&body, "<Size>%lu</Size></Contents>", objects[index]->bytes);
    }
    text_format(&body, "<IsTruncated>%s</IsTruncated>", shown < count ? "true" : "false");
    if (shown < count) {
        text_format(&body, "<NextContinuationToken>");
        text_escape(&body, strchr(objects[shown - 1]->name, '/') + 1);
        text_format(&body, "</NextContinuationToken>");
    }
    text_format(&body, "</ListBucketResult>");
    free(objects);
    succeed_with(context, &body);
}

/// Every bucket exists.
static void about_bucket(struct context *context) {
    const struct request *request = context->request;
    struct text body = {0};
    if (request->method != GET) {
        succeed(context, request->method == DELETE ? 204 : 200, "x-amz-bucket-region: us-east-1\r\n");
        return;
    }
    if (!*request->bucket) text_format(&body, "%s<ListAllMyBucketsResult><Buckets/></ListAllMyBucketsResult>", xml);
    else if (request_parameter(request, "location")) text_format(&body, "%s<LocationConstraint/>", xml);
    else text_format(&body, "%s<VersioningConfiguration/>", xml);
    succeed_with(context, &body);
}

static bool has(const struct context *context, const char *parameter) {
    return request_parameter(context->request, parameter) != NULL;
}

static void (*choose(struct context *context))(struct context *) {
    const struct request *request = context->request;
    enum operation *operation = &context->exchange->operation;
    if (!*request->key) {
        if (has(context, "uploads")) return *operation = LIST_UPLOADS, list_uploads;
        bool asks_about = has(context, "location") || has(context, "versioning");
        if (request->method != GET || !*request->bucket || asks_about) return *operation = BUCKET, about_bucket;
        return *operation = LIST_OBJECTS, list_objects;
    }
    bool is_of_upload = has(context, "uploadId");
    switch (request->method) {
    case PUT: return is_of_upload ? (*operation = UPLOAD_PART, upload_one_part) : (*operation = PUT_OBJECT, put_object);
    case HEAD: return *operation = HEAD_OBJECT, head_object;
    case GET: return is_of_upload ? (*operation = LIST_PARTS, list_parts) : NULL;
    case POST:
        if (has(context, "uploads")) return *operation = CREATE_UPLOAD, create_upload;
        return is_of_upload ? (*operation = COMPLETE_UPLOAD, complete_upload) : NULL;
    case DELETE: return is_of_upload ? (*operation = ABORT_UPLOAD, abort_upload) : (*operation = DELETE_OBJECT, delete_object);
    default: return NULL;
    }
}

/// Whether one more request may be answered in this second. A tenth of a second's requests may come at once. Holds the store's lock.
static bool is_within_rate(void) {
    static double left;
    static uint64_t asked_at;
    double rate = answer_rate, most = rate > 10 ? rate / 10 : 1;
    uint64_t time = now();
    left += (double)(time - asked_at) / 1e9 * rate;
    if (left > most) left = most;
    asked_at = time;
    if (!answer_rate) return true;
    if (left < 1) return false;
    left--;
    return true;
}

void s3_answer(const struct request *request, struct exchange *exchange, struct text *answer) {
    struct context context = {request, exchange, answer, ""};
    snprintf(context.name, sizeof context.name, "%s/%s", request->bucket, request->key);
    exchange->operation = REFUSED;
    void (*operation)(struct context *) = choose(&context);
    pthread_mutex_lock(&store_lock);
    if (answer_refused_status) refuse(&context, answer_refused_status, answer_refused_code, "refused on purpose");
    else if (!is_within_rate()) refuse(&context, 503, "SlowDown", "reduce your request rate");
    else if (operation) operation(&context);
    else if (request->method == GET && !store_find(context.name)) refuse(&context, 404, "NoSuchKey", "there is no such object");
    else refuse(&context, 501, "NotImplemented", "bodies are discarded here: nothing can be read");
    pthread_mutex_unlock(&store_lock);
}
