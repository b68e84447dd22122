import { sha256 } from '../../../crypto/digests.js';
import { type Blocks, toBlocks } from '../../../http/body/byte-blocks.js';
import { parseJsonBody } from '../../../http/body/json-body.js';
import { DomainError, type DomainErrorCode } from '../../../http/errors/domain-error.js';

/** A visible character: not blank, ignorable or a control by Unicode, and not the replacement of an invalid byte. */
const SEEN = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\uFFFD]/u;

/** Whether the value contains, at any depth, a text with a visible character, a number or a boolean. */
export function isNotBlank(value: unknown): boolean {
  if (typeof value === 'string') return SEEN.test(value);
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isNotBlank);
  return typeof value === 'number' || typeof value === 'boolean';
}

/** The characters that are allowed in names. */
export const LABEL_PATTERN = /^[^\p{Cc}]+$/u;

/** The maximum number of files of one upload, including documents in `reports`. */
export const MAX_FILES = 500;
/** The maximum number of values in the JSON of one upload. */
const MAX_VALUES = 1_000_000;
/** The limits of stated metrics. They are stored in one row and returned with every read of the evidence. */
const MAX_METRICS_VALUES = 10_000;
const MAX_METRICS_BYTES = 262_144;
/** More than the body and a file have, so that an unknown field is still rejected by its name. */
const MAX_FIELDS = 50;
const MAX_FIELDS_OF_FILE = 10;
/** Longer than any field may be. Longer values never reach the regular expressions of the validation. */
const MAX_FIELD_LENGTH = 4_096;
const MAX_NAME_LENGTH = 255;

/** The names of the members that the digest of a body covers, in the order of the digest. */
export interface BodyShape {
  readonly body: readonly string[];
  readonly file: readonly string[];
}

/** The unparsed JSON of an upload: a whole body, or the JSON parts of a form. */
export type BodyOrder =
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
export interface ReadBody {
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

export type BodyResult =
  { readonly read: ReadBody } | { readonly rejected: { readonly code: DomainErrorCode; readonly message: string } };

type Members = Readonly<Record<string, unknown>>;

/** Parses the JSON of an upload. Returns a rejection instead of throwing it, because large JSON is parsed in a thread. */
export function readUploadBody(order: BodyOrder): BodyResult {
  try {
    return { read: 'body' in order ? readWhole(order) : readParts(order) };
  } catch (error) {
    if (error instanceof DomainError) return { rejected: { code: error.code, message: error.message } };
    throw error;
  }
}

function readWhole({ body: blocks, shape, fileBytes }: Extract<BodyOrder, { body: Blocks }>): ReadBody {
  // A body without bytes counts as no body, regardless of its content type.
  if (blocks.length === 0) return { fields: undefined, metrics: {}, reports: [], contents: [], digest: '' };
  const body = parseJsonBody(Buffer.concat(blocks), { values: MAX_VALUES });
  if (!isObject(body)) return { fields: emptied(body), metrics: {}, reports: [], contents: [], digest: '' };
  const { metrics, reports, files } = body;
  const fields = boundedFields(body, 'The body', MAX_FIELDS);
  const contents: Blocks[] = [];
  if (Array.isArray(files)) {
    const names = isObject(reports) ? Object.keys(reports).length : 0;
    if (files.length + names > MAX_FILES) throw tooManyFiles();
    fields['files'] = files.map((file: unknown, index) => {
      if (!isObject(file)) return emptied(file);
      const { content } = file;
      contents.push(typeof content === 'string' ? contentOf(content, index, fileBytes) : []);
      const of = boundedFields({ ...file, content: null }, `files.${index}`, MAX_FIELDS_OF_FILE);
      if ('content' in file) of['content'] = typeof content === 'string' ? '' : emptied(content);
      else delete of['content'];
      return of;
    });
  }
  return { ...freeOf(metrics, reports), fields, contents, digest: digestOf(body, shape) };
}

function readParts({ metrics, reports }: Extract<BodyOrder, { metrics: unknown }>): ReadBody {
  const stated = valueOf('metrics', metrics);
  const documents = valueOf('reports', reports);
  return {
    ...freeOf(stated, documents),
    fields: {
      ...(metrics !== null && { metrics: emptied(stated) }),
      ...(reports !== null && { reports: emptied(documents) }),
    },
    contents: [],
    digest: '',
  };
}

const valueOf = (part: string, blocks: Blocks | null): unknown =>
  blocks === null ? undefined : parseJsonBody(Buffer.concat(blocks), { values: MAX_VALUES, part });

function freeOf(metrics: unknown, reports: unknown): Pick<ReadBody, 'metrics' | 'reports'> {
  return {
    metrics: isObject(metrics) ? metricsOf(metrics) : {},
    reports: isObject(reports) ? documentsOf(reports) : [],
  };
}

function metricsOf(metrics: Members): Members {
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
function documentsOf(reports: Members): readonly ReportDocument[] {
  const documents = Object.entries(reports);
  if (documents.length > MAX_FILES) throw tooManyFiles();
  return documents.map(([name, value]) => {
    if (name.length > MAX_NAME_LENGTH || !LABEL_PATTERN.test(name)) {
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

function contentOf(content: string, index: number, fileBytes: number): Blocks {
  const bytes = new TextEncoder().encode(content);
  if (bytes.length > fileBytes) throw new DomainError('too_large', `files.${index} is over ${fileBytes} bytes.`);
  return toBlocks(bytes);
}

/** The members, each without what is in it. */
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
      return [name, emptied(value)];
    }),
  );
}

/** The same kind of value with nothing in it, where something could be. */
function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return isObject(value) ? {} : value;
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let values = 0;
  for (const item of Object.values(value)) values += 1 + countValues(item);
  return values;
}

function digestOf(body: Members, { body: names, file }: BodyShape): string {
  const fields = picked(body, names);
  if (Array.isArray(fields['files'])) {
    fields['files'] = fields['files'].map((item: unknown) => (isObject(item) ? picked(item, file) : item));
  }
  return sha256(JSON.stringify(fields));
}

function picked(members: Members, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(members, name)).map((name) => [name, members[name]]));
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const tooManyFiles = (): DomainError =>
  new DomainError('too_large', `The upload has more than ${MAX_FILES} files and reports.`);
