import * as v from 'valibot';

const MIB = 1024 * 1024;

/** A release of the server that doesn't send a rule has the one of its default configuration. */
const schema = v.object({
  maxAttempts: v.optional(v.number(), 3),
  /** For Undelivered; what a completed delivery needs is said by the delivery. */
  failedAttemptProof: v.optional(v.string(), 'photo_or_note'),
  maxAttachments: v.optional(v.number(), 20),
  maxAttachmentBytes: v.optional(v.number(), 10 * MIB),
  maxImportBytes: v.optional(v.number(), 50 * MIB),
  driverOnlineSeconds: v.optional(v.number(), 120),
  driverStaleSeconds: v.optional(v.number(), 600),
  /** On the clock of the organization. */
  importPausedUntil: v.optional(v.nullable(v.string()), null),
});

/** The rules that screens state, as the server enforces them. */
export type OfficeRules = v.InferOutput<typeof schema>;

export const DEFAULT_RULES: OfficeRules = v.parse(schema, {});

export const officeRulesSchema = v.optional(v.fallback(schema, DEFAULT_RULES), {});

/** Where phones send their positions. */
export const trackingSchema = v.object({
  enabled: v.boolean(),
  /** As configured; empty: the host of the page with the port. */
  url: v.string(),
  host: v.string(),
  port: v.number(),
  path: v.string(),
  onPublicPort: v.boolean(),
});

export type Tracking = v.InferOutput<typeof trackingSchema>;
