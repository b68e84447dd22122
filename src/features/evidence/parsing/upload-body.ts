import { sha256 } from '../../../crypto/digests.js';
import { type Blocks, toBlocks } from '../../../http/body/byte-blocks.js';
import { parseJsonBody } from '../../../http/body/json-body.js';
import { DomainError, type DomainErrorCode } from '../../../http/errors/domain-error.js';
import { isNotBlank } from '../formats/bill-of-materials.js';

/** Matches the characters that names in an upload may contain. Each name has its own maximum length. */
export const NO_CONTROL_CHARACTERS = /^[^\p{Cc}]+$/u;

/** The maximum number of files of one upload, including documents in `reports`. */
export const MAX_FILES = 500;
/** The maximum number of values in the JSON of one upload. */
const MAX_VALUES = 1_000_000;
/** The limits of stated metrics. They are stored in one row and returned with every read of the evidence. */
const MAX_METRICS_VALUES = 10_000;
const MAX_METRICS_BYTES = 262_144;
/** More than the body and a file have, so that an unknown field is still rejected by its name. */
const MAX_FIELDS = 50;
const MAX_FILE_FIELDS = 10;
/** Longer than any field may be. Longer values never reach the regular expressions of the validation. */
const MAX_FIELD_LENGTH = 4_096;
const MAX_NAME_LENGTH = 255;

/** The names of the members that the digest of a body covers, in the order of the digest. */
export interface BodyShape {
  readonly body: readonly string[];
  readonly file: readonly string[];
}

/** The unparsed JSON of an upload: a whole body, or the JSON parts of a form. */
export type BodyParseRequest =
  | { readonly body: Blocks; readonly shape: BodyShape; readonly fileBytes: number }
  | { readonly metrics: Blocks | null; readonly reports: Blocks | null };

/** A member of `reports` as the file that is stored for it. */
export interface ReportDocument {
  readonly name: string;
  readonly format: 'html' | 'json';
  readonly content: Blocks;
  readonly sha256: string;
  /** Whether it contains no value. */
  readonly isBlank: boolean;
}

/** The parsed JSON of an upload. */
export interface ParsedBody {
  /** The fields to validate. `metrics` and `reports` are replaced by empty objects, and the content of each file by an empty text. */
  readonly fields: unknown;
  /** Within the limits above; empty if there are none. */
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly reports: readonly ReportDocument[];
  /** The content of each file in `fields`, in the same order. */
  readonly contents: readonly Blocks[];
  /** The SHA-256 of the body; empty for a form. */
  readonly digest: string;
}

export type BodyParseResult =
  | { readonly parsed: ParsedBody }
  | { readonly rejected: { readonly code: DomainErrorCode; readonly message: string } };

export type Members = Readonly<Record<string, unknown>>;

/** Parses the JSON of an upload. Returns a rejection instead of throwing it, because large JSON is parsed in a thread. */
export function parseUploadBody(request: BodyParseRequest): BodyParseResult {
  try {
    return { parsed: 'body' in request ? parseWhole(request) : parseParts(request) };
  } catch (error) {
    if (error instanceof DomainError) return { rejected: { code: error.code, message: error.message } };
    throw error;
  }
}

function parseWhole({ body: blocks, shape, fileBytes }: Extract<BodyParseRequest, { body: Blocks }>): ParsedBody {
  // A body without bytes counts as no body, regardless of its content type.
  if (blocks.length === 0) return { fields: undefined, metrics: {}, reports: [], contents: [], digest: '' };
  const body = parseJsonBody(Buffer.concat(blocks), { values: MAX_VALUES });
  if (!isMembers(body)) return { fields: toEmpty(body), metrics: {}, reports: [], contents: [], digest: '' };
  const { metrics, reports, files } = body;
  const fields = boundedFields(body, 'The body', MAX_FIELDS);
  const contents: Blocks[] = [];
  if (Array.isArray(files)) {
    const names = isMembers(reports) ? Object.keys(reports).length : 0;
    if (files.length + names > MAX_FILES) throw tooManyFiles();
    fields['files'] = files.map((file: unknown, index) => {
      if (!isMembers(file)) return toEmpty(file);
      const { content } = file;
      contents.push(typeof content === 'string' ? toContent(content, index, fileBytes) : []);
      const of = boundedFields({ ...file, content: null }, `files.${index}`, MAX_FILE_FIELDS);
      if ('content' in file) of['content'] = typeof content === 'string' ? '' : toEmpty(content);
      else delete of['content'];
      return of;
    });
  }
  return { ...parseMembers(metrics, reports), fields, contents, digest: hashBody(body, shape) };
}

function parseParts({ metrics, reports }: Extract<BodyParseRequest, { metrics: unknown }>): ParsedBody {
  const stated = parsePart('metrics', metrics);
  const documents = parsePart('reports', reports);
  return {
    ...parseMembers(stated, documents),
    fields: {
      ...(metrics !== null && { metrics: toEmpty(stated) }),
      ...(reports !== null && { reports: toEmpty(documents) }),
    },
    contents: [],
    digest: '',
  };
}

const parsePart = (part: string, blocks: Blocks | null): unknown =>
  blocks === null ? undefined : parseJsonBody(Buffer.concat(blocks), { values: MAX_VALUES, part });

function parseMembers(metrics: unknown, reports: unknown): Pick<ParsedBody, 'metrics' | 'reports'> {
  return {
    metrics: isMembers(metrics) ? checkMetrics(metrics) : {},
    reports: isMembers(reports) ? toDocuments(reports) : [],
  };
}

function checkMetrics(metrics: Members): Members {
  if (countValues(metrics) > MAX_METRICS_VALUES) {
    throw new DomainError(
      'too_large',
      `metrics have more than ${MAX_METRICS_VALUES} values; send documents as reports.`,
    );
  }
  if (Buffer.byteLength(JSON.stringify(metrics)) > MAX_METRICS_BYTES) {
    throw new DomainError(
      'too_large',
      `metrics are larger than ${MAX_METRICS_BYTES} bytes; send documents as reports.`,
    );
  }
  return metrics;
}

/** Stores a text as HTML and any other value as JSON. */
function toDocuments(reports: Members): readonly ReportDocument[] {
  const documents = Object.entries(reports);
  if (documents.length > MAX_FILES) throw tooManyFiles();
  return documents.map(([name, value]) => {
    if (name.length > MAX_NAME_LENGTH || !NO_CONTROL_CHARACTERS.test(name)) {
      throw new DomainError(
        'invalid',
        `Each name in reports must have 1 to ${MAX_NAME_LENGTH} characters, none of them a control character.`,
      );
    }
    const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
    const format = typeof value === 'string' ? 'html' : 'json';
    return { name, format, content: toBlocks(bytes), sha256: sha256(bytes), isBlank: !isNotBlank(value) };
  });
}

function toContent(content: string, index: number, fileBytes: number): Blocks {
  const bytes = new TextEncoder().encode(content);
  if (bytes.length > fileBytes) throw new DomainError('too_large', `files.${index} is over ${fileBytes} bytes.`);
  return toBlocks(bytes);
}

/** Returns the members without their nested content. Throws if there are too many or a text is too long. */
function boundedFields(members: Members, subject: string, most: number): Record<string, unknown> {
  const entries = Object.entries(members);
  if (entries.length > most) throw new DomainError('invalid', `${subject} has more than ${most} members.`);
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (typeof value === 'string' && value.length > MAX_FIELD_LENGTH) {
        throw new DomainError(
          'invalid',
          `${name.slice(0, MAX_NAME_LENGTH)} must be shorter than or equal to ${MAX_FIELD_LENGTH} characters.`,
        );
      }
      return [name, toEmpty(value)];
    }),
  );
}

/** Returns an empty array or object for an array or object, and other values unchanged. */
function toEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return isMembers(value) ? {} : value;
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let values = 0;
  for (const item of Object.values(value)) values += 1 + countValues(item);
  return values;
}

function hashBody(body: Members, { body: names, file }: BodyShape): string {
  const fields = pick(body, names);
  if (Array.isArray(fields['files'])) {
    fields['files'] = fields['files'].map((item: unknown) => (isMembers(item) ? pick(item, file) : item));
  }
  return sha256(JSON.stringify(fields));
}

function pick(members: Members, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(members, name)).map((name) => [name, members[name]]));
}

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const tooManyFiles = (): DomainError =>
  new DomainError('too_large', `The upload has more than ${MAX_FILES} files and reports.`);
