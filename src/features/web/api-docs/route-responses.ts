import type { ComponentsObject, HeadersObject, ResponseObject, ResponsesObject } from '@nestjs/swagger';
import type { AccessRule, AccessLevel } from '../../../auth/access.decorators.js';
import { ERROR_CODES, type ErrorCode } from '../../../http/errors/error-codes.js';
import type { RouteContract } from './route-contract.js';

/** The meaning of each code, in one paragraph. */
function listErrorCodes(): string {
  return Object.entries(ERROR_CODES)
    .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
    .join(' ');
}

export const TAG_EXAMPLE = 'W/"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"';

/** The headers that answers of several routes have, described once. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': {
    required: true,
    description:
      "The request's id in the log of the service: the one that was sent in this header, where it has 8 to 64 letters, digits, dots, dashes or underscores, else a new one.",
    schema: { type: 'string', pattern: '^[\\w.-]{8,64}$' },
    example: '3f0c8f0e-6d5b-4a57-9d0c-2a1f5f0f9f31',
  },
  RateLimit: {
    description: 'The remaining requests (`r`), and the seconds until the quota is complete again (`t`).',
    schema: { type: 'string' },
    example: '"gate";r=299;t=60',
  },
  'RateLimit-Policy': {
    description: 'The quota (`q`) and its window in seconds (`w`).',
    schema: { type: 'string' },
    example: '"gate";q=300;w=60',
  },
  'X-Error-Code': {
    description: `The cause of the error, for programs. Absent if the status says enough. ${listErrorCodes()}`,
    schema: { type: 'string', enum: Object.keys(ERROR_CODES) },
    example: 'last_admin',
  },
  'X-Workspace': {
    description: 'The login of the organization in whose workspace the session works. Absent if none is selected.',
    schema: { type: 'string' },
    example: 'acme',
  },
  ETag: {
    description: 'The tag of the page, for `If-None-Match`. Absent if the whole list is requested.',
    schema: { type: 'string', pattern: '^W/"[0-9a-f]{64}"$' },
    example: TAG_EXAMPLE,
  },
  'Retry-After': {
    required: true,
    description: 'The seconds after which a retry can succeed.',
    schema: { type: 'string', pattern: '^[1-9]\\d*$' },
    example: '5',
  },
  'WWW-Authenticate': {
    required: true,
    description: 'The required scheme of credentials, and the problem of the credential that was sent.',
    schema: { type: 'string' },
    example: 'Bearer realm="shipgate", error="invalid_token"',
  },
} as const satisfies NonNullable<ComponentsObject['headers']>;

export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

/** References to the shared descriptions. */
export const describeHeaders = (...names: readonly ResponseHeader[]): HeadersObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** One way in which a route may fail. */
interface Failure {
  readonly status: number;
  /** When it happens, in a sentence. */
  readonly when: string;
  readonly headers: readonly ResponseHeader[];
  /** The values of `X-Error-Code`. Empty if the header is absent. */
  readonly codes: readonly ErrorCode[];
}

/** The body of every failure. */
export const FAILURE_SCHEMA = {
  type: 'object',
  description: 'Why the request failed.',
  properties: { error: { type: 'string', minLength: 1, description: 'A sentence for users. Its text may change.' } },
  required: ['error'],
  additionalProperties: false,
};

const failure = (
  status: number,
  when: string,
  headers: readonly ResponseHeader[] = [],
  codes: readonly ErrorCode[] = [],
): Failure => ({ status, when, headers, codes });

/** Builds the error responses of a route: those that follow from its contract, and its own. */
export function routeErrorResponses(contract: RouteContract): ResponsesObject {
  const failures = [...ofAnyRoute(), ...ofBody(contract), ...ofAccess(contract), ...ofRateLimit(contract)];
  const own = Object.entries(contract.answers).map(([status, when]) => ownFailure(contract, Number(status), when));
  const byStatus = new Map<number, Failure[]>();
  for (const failure of [...failures, ...own]) {
    byStatus.set(failure.status, [...(byStatus.get(failure.status) ?? []), failure]);
  }
  return Object.fromEntries([...byStatus].map(([status, ways]) => [String(status), toResponse(ways)]));
}

const ofAnyRoute = (): readonly Failure[] => [
  failure(400, 'The request is not valid.'),
  failure(500, 'An unexpected error occurred. The log has it under the request id.'),
];

function ofBody({ body }: RouteContract): readonly Failure[] {
  if (body === null || body === 'raw') return [];
  const type = body === 'form' ? 'no form (multipart/form-data)' : 'not JSON in UTF-8';
  return [
    failure(413, 'The body is too large before or after decompression, has too many values or is nested too deeply.'),
    failure(415, `The body is ${type}, or has an encoding other than gzip.`),
  ];
}

const GITHUB = ['github_unavailable'] as const;
/** A membership is confirmed by GitHub. */
const GITHUB_OF_MEMBER = ['github_unavailable', 'membership_unconfirmed'] as const;

const OF_ACCESS: Readonly<Record<Exclude<AccessRule['kind'], 'session'>, readonly Failure[]>> = {
  public: [],
  ci: [
    failure(401, 'The credential is missing or not valid.', ['WWW-Authenticate']),
    failure(403, 'The credential lacks a scope that the route requires, or its organization has no workspace.'),
    failure(429, 'The address has sent too many credentials that are not valid.', ['Retry-After']),
    failure(503, 'A required system is not available.', ['Retry-After'], GITHUB),
  ],
  personal_key: [
    failure(401, 'The key is missing or not valid.', ['WWW-Authenticate']),
    failure(403, 'The key lacks the scope.'),
    failure(429, 'The address has sent too many credentials that are not valid.', ['Retry-After']),
    failure(503, 'A required system is not available.', ['Retry-After'], GITHUB_OF_MEMBER),
  ],
};

const ofAccess = ({ rule, body }: RouteContract): readonly Failure[] => {
  if (rule === null) return [failure(403, 'The route declares no access rule and is closed.')];
  if (rule.kind !== 'session') return OF_ACCESS[rule.kind];
  return [
    ...ofSession(rule.role, body !== null),
    ...(rule.personalKey === undefined ? [] : OF_ACCESS.personal_key),
    ...(rule.ci === undefined ? [] : OF_ACCESS.ci),
  ];
};

/** `changes`: whether the method may change something, which is so if it has a body. */
const ofSession = (role: AccessLevel, changes: boolean): readonly Failure[] => [
  failure(401, 'There is no valid session.'),
  ...(role === 'user' ? [] : [failure(403, LACKING[role], [], CODES_OF_LACKING[role])]),
  ...(changes ? [failure(403, 'The request was not sent by a page of this service.', [], ['cross_origin'])] : []),
  failure(409, ERROR_CODES.other_workspace, ['X-Workspace'], ['other_workspace']),
  failure(
    503,
    'A required system is not available.',
    ['Retry-After'],
    role === 'user' || role === 'platform_admin' ? GITHUB : GITHUB_OF_MEMBER,
  ),
];

const LACKING: Readonly<Record<Exclude<AccessLevel, 'user'>, string>> = {
  member: 'The user is not a member of the workspace.',
  auditor: 'The user is neither an auditor nor an admin of the workspace.',
  admin: 'The user is not an admin of the workspace.',
  platform_admin: 'The user is not a platform admin.',
};

const WITHOUT_WORKSPACE = ['no_workspace', 'discovering'] as const;
const CODES_OF_LACKING: Readonly<Record<Exclude<AccessLevel, 'user'>, readonly ErrorCode[]>> = {
  member: WITHOUT_WORKSPACE,
  auditor: [...WITHOUT_WORKSPACE, 'auditor_required'],
  admin: [...WITHOUT_WORKSPACE, 'admin_required'],
  platform_admin: ['platform_admin_required'],
};

function ofRateLimit({ rateLimit }: RouteContract): readonly Failure[] {
  if (rateLimit === null) return [];
  const { limit, windowSeconds } = rateLimit;
  return [
    failure(429, `There were more than ${limit} requests in ${windowSeconds} seconds.`, [
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
    ]),
  ];
}

function ownFailure({ rule, errorCodes }: RouteContract, status: number, when: string): Failure {
  const codes = errorCodes[status] ?? [];
  if (status === 401 && rule?.kind !== 'session') return failure(status, when, ['WWW-Authenticate'], codes);
  return failure(status, when, status === 429 || status === 503 ? ['Retry-After'] : [], codes);
}

function toResponse(ways: readonly Failure[]): ResponseObject {
  const codes = [...new Set(ways.flatMap((way) => way.codes))].toSorted();
  return {
    description: [...new Set(ways.map(({ when }) => when))].join(' '),
    headers: {
      ...describeHeaders('X-Request-Id', ...new Set(ways.flatMap(({ headers }) => headers))),
      ...(codes.length > 0 && { 'X-Error-Code': errorCodeHeader(codes) }),
    },
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Failure' }, example: { error: ways.at(-1)?.when } },
    },
  };
}

/** The header with the values that one response can have. */
const errorCodeHeader = (codes: readonly ErrorCode[]): HeadersObject[string] => ({
  description: codes.map((code) => `\`${code}\`: ${ERROR_CODES[code]}`).join(' '),
  schema: { type: 'string', enum: [...codes] },
  example: codes[0],
});
