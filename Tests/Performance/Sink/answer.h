#pragma once
#include "journal.h"
#include "request.h"
#include "text.h"

/// An answer without a body.
/// - Parameter fields: more header fields, each with its line end; may be "".
void answer_empty(struct text *, int status, const char *fields);
/// An answer with a body.
void answer_body(struct text *, int status, const char *type, const char *fields, const struct text *body);
/// A refusal as S3 words it ("Error responses", Amazon S3 API Reference).
void answer_refusal(struct text *, const struct request *, int status, const char *code, const char *message);

/// Answers one request as S3 does, as far as clients check the answer. It checks no signature.
/// - Parameter exchange: contains the size of the body; receives operation, part and status.
void s3_answer(const struct request *, struct exchange *, struct text *);
/// Answers the requests below `/-/`: statistics, the log, the reset, the latency, the rate, the refusals, and the receiver of a webhook.
void admin_answer(const struct request *, struct exchange *, struct text *);

/// The nanoseconds by which every answer is delayed; may change at any time.
extern _Atomic uint64_t answer_latency;
/// So many answers may wait at once; if more do, they wait for so long that fewer requests are answered in a second. 0: any number.
extern _Atomic int answer_knee;
/// So many requests to S3 are answered in a second, and the others refused (503 SlowDown). 0: any number.
extern _Atomic int answer_rate;
/// The status with which requests to S3 are refused; 0 while none is. May change at any time.
extern _Atomic int answer_refused_status;
/// The error code of a refusal; a string that is never freed.
extern const char *_Atomic answer_refused_code;
