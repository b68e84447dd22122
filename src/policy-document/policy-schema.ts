/** The building blocks of the policy's schema. */

/** The part of JSON Schema (draft 2020-12) that the schema of the policy uses. */
export interface PolicySchema {
  readonly $schema?: string;
  readonly $id?: string;
  readonly title: string;
  readonly description: string;
  readonly type?: string | readonly string[];
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly format?: 'date';
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly items?: PolicySchema;
  readonly properties?: Readonly<Record<string, PolicySchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
}

/** Each pattern with the message for a value that does not match it. */
export const PATTERNS = {
  /** No control characters, no single surrogates, no direction marks. */
  line: {
    pattern:
      '^[^\\s\\p{Cc}\\p{Cs}\\u202A-\\u202E\\u2066-\\u2069](?:[^\\p{Cc}\\p{Cs}\\u202A-\\u202E\\u2066-\\u2069]*[^\\s\\p{Cc}\\p{Cs}\\u202A-\\u202E\\u2066-\\u2069])?$',
    rule: 'must be one line of text without control characters and without spaces around it',
  },
  slug: {
    pattern: '^[a-z0-9_-]+$',
    rule: 'must be a slug as GitHub shows it in addresses: lower-case letters, digits, hyphens and underscores',
  },
  event: { pattern: '^[a-z]+(?:_[a-z]+)*$', rule: 'must be the name of an event, as `pull_request`' },
  /** A branch name, slightly stricter than git-check-ref-format. */
  branch: {
    pattern: '^[^\\s\\p{Cc}\\p{Cs}~^:?*\\[\\\\/]+(?:/[^\\s\\p{Cc}\\p{Cs}~^:?*\\[\\\\/]+)*$',
    rule: 'must be the name of a branch, without `refs/heads/` and without wildcards',
  },
  /** 1 to 696 hours, or 1 to 29 days: GitHub fails a job that waited for 30 days. */
  holdTime: {
    pattern: '^(?:(?:[1-9]|1\\d|2\\d)d|(?:[1-9]|[1-9]\\d|[1-5]\\d\\d|6[0-8]\\d|69[0-6])h)$',
    rule: 'must be a time in hours or days of at most 29d, as `24h`',
  },
  /** Without `@`, so that no reference is a part of it. */
  workflow: {
    pattern: '^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+/\\.github/workflows/[^\\s\\p{Cc}\\p{Cs}@/\\\\]+\\.ya?ml$',
    rule: 'must be a workflow without its reference, as `owner/repo/.github/workflows/build.yml`',
  },
  /** At most 30 days, in seconds, minutes, hours or days. */
  soakTime: {
    pattern:
      '^(?:(?:\\d|[12]\\d|30)d|(?:\\d|[1-9]\\d|[1-6]\\d\\d|7[01]\\d|720)h|(?:\\d|[1-9]\\d{1,3}|[1-3]\\d{4}|4[0-2]\\d{3}|43[01]\\d{2}|43200)m|(?:\\d|[1-9]\\d{1,5}|1\\d{6}|2[0-4]\\d{5}|25[0-8]\\d{4}|259[01]\\d{3}|2592000)s)$',
    rule: 'must be a time in seconds, minutes, hours or days of at most 30d, as `30m`',
  },
  branchPattern: {
    pattern: '^[^\\s\\p{Cc}\\p{Cs}~^:\\[\\\\/]+(?:/[^\\s\\p{Cc}\\p{Cs}~^:\\[\\\\/]+)*$',
    rule: 'must be a pattern of branch names, with no other wildcards than `*`, `**` and `?`',
  },
} as const;

export const COUNT = { type: 'integer', minimum: 0, maximum: 1_000_000 } as const;
export const LINE = { type: 'string', minLength: 1, maxLength: 255, pattern: PATTERNS.line.pattern } as const;
export const BRANCH_PATTERN = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: PATTERNS.branchPattern.pattern,
} as const;

export const section = (
  title: string,
  description: string,
  properties: Readonly<Record<string, PolicySchema>>,
  required?: readonly string[],
): PolicySchema => ({
  title,
  description,
  type: 'object',
  properties,
  ...(required === undefined ? {} : { required }),
  additionalProperties: false,
});

export const list = (title: string, description: string, maxItems: number, items: PolicySchema): PolicySchema => ({
  title,
  description,
  type: 'array',
  maxItems,
  uniqueItems: true,
  items,
});

export const flag = (title: string, description: string, byDefault: boolean): PolicySchema => ({
  title,
  description,
  type: 'boolean',
  default: byDefault,
});
