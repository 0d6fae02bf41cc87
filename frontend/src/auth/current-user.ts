import * as v from 'valibot';
import { AUTH_PROVIDER_TYPE } from './auth-client';

const MIB = 1024 * 1024;

/** An older server may not send every rule. A missing rule gets the server's default. */
const schema = v.object({
  maxAttempts: v.optional(v.number(), 3),
  /** Required proof of an undelivered attempt. For completion, each delivery states what it requires. */
  failedAttemptProof: v.optional(v.string(), 'photo_or_note'),
  maxAttachments: v.optional(v.number(), 20),
  maxAttachmentBytes: v.optional(v.number(), 10 * MIB),
  maxImportBytes: v.optional(v.number(), 50 * MIB),
  driverOnlineSeconds: v.optional(v.number(), 120),
  driverStaleSeconds: v.optional(v.number(), 600),
  /** A local time in the organization's time zone. */
  importPausedUntil: v.optional(v.nullable(v.string()), null),
});

/** Organization-wide rules that the server enforces and screens display. */
export type OfficeRules = v.InferOutput<typeof schema>;

export const DEFAULT_RULES: OfficeRules = v.parse(schema, {});

/** The endpoint for positions from phones. */
const trackingSchema = v.object({
  enabled: v.boolean(),
  /** Configured by the operator. If empty, devices use the page's host and `port`. */
  url: v.string(),
  host: v.string(),
  port: v.number(),
  path: v.string(),
  onPublicPort: v.boolean(),
});

export type Tracking = v.InferOutput<typeof trackingSchema>;

const userReplySchema = v.object({
  id: v.pipe(v.union([v.string(), v.number()]), v.transform(String)),
  username: v.string(),
  displayName: v.optional(v.nullable(v.string())),
  email: v.optional(v.nullable(v.string())),
  // The server leaves out the roles of a user who has none.
  roles: v.optional(v.union([v.string(), v.array(v.string())]), []),
  news: v.optional(v.array(v.string()), []),
  organization: v.optional(v.object({ name: v.string(), timezone: v.optional(v.string(), 'UTC') })),
  /** Base map configured by the operator; without it the built-in map is used. */
  map: v.optional(
    v.object({
      styleUrl: v.optional(v.string(), ''),
      tileUrl: v.optional(v.string(), ''),
      attribution: v.optional(v.string(), ''),
    }),
  ),
  settings: v.optional(v.fallback(schema, DEFAULT_RULES)),
  tracking: v.optional(trackingSchema),
});

/** The user as sent by the server, which leaves out organization and settings until it knows them. */
export type UserReply = v.InferOutput<typeof userReplySchema>;

/** What the settings say about the organization. */
export interface Office {
  organization: NonNullable<UserReply['organization']>;
  settings: OfficeRules;
}

export type CurrentUser = Omit<UserReply, keyof Office> & Office;

/** Parses the server's user object; null if nobody is signed in. */
export function readCurrentUser(value: unknown): UserReply | null {
  const user = v.safeParse(userReplySchema, value);
  return user.success ? user.output : null;
}

const replySchema = v.object({
  data: v.object({ redwood: v.object({ currentUser: userReplySchema }) }),
});

const failureSchema = v.object({ errors: v.tupleWithRest([v.object({ message: v.string() })], v.unknown()) });

export interface CurrentUserOptions {
  url?: string;
  fetch?: typeof fetch;
}

/** Loads the user of a token; null if the token is invalid. Throws if the server cannot check the token. */
export async function fetchCurrentUser(
  token: string,
  options: CurrentUserOptions = {},
): Promise<UserReply | null> {
  const response = await (options.fetch ?? fetch)(options.url ?? '/graphql', {
    method: 'POST',
    credentials: 'include',
    headers: {
      'content-type': 'application/json',
      'auth-provider': AUTH_PROVIDER_TYPE,
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({
      query: 'query __REDWOOD__AUTH_GET_CURRENT_USER { redwood { currentUser } }',
    }),
  });
  if (!response.ok) {
    throw new Error(`Could not fetch current user: ${response.statusText} (${response.status})`);
  }
  const answer: unknown = await response.json();
  // An invalid token is no error of GraphQL.
  const failure = v.safeParse(failureSchema, answer);
  if (failure.success) throw new Error(failure.output.errors[0].message);
  const reply = v.safeParse(replySchema, answer);
  return reply.success ? reply.output.data.redwood.currentUser : null;
}
