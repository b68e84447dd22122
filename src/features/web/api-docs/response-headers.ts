import type { ComponentsObject, HeadersObject } from '@nestjs/swagger';

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
    description: 'What is left (`r`), and the seconds until the quota is whole again (`t`).',
    schema: { type: 'string' },
    example: '"gate";r=299;t=60',
  },
  'RateLimit-Policy': {
    description: 'The quota (`q`) and its window in seconds (`w`).',
    schema: { type: 'string' },
    example: '"gate";q=300;w=60',
  },
  'Retry-After': {
    required: true,
    description: 'Seconds after which it makes sense to ask again.',
    schema: { type: 'string', pattern: '^[1-9]\\d*$' },
    example: '5',
  },
  'WWW-Authenticate': {
    required: true,
    description: 'The scheme of credentials that opens the route, and what was wrong with the one that was sent.',
    schema: { type: 'string' },
    example: 'Bearer realm="shipgate", error="invalid_token"',
  },
} as const satisfies NonNullable<ComponentsObject['headers']>;

export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

/** References to the shared descriptions. */
export const headersOf = (...names: readonly ResponseHeader[]): HeadersObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
