import { sha256 } from '../../../crypto/digests.js';
import { type Blocks, totalSize } from '../../../http/body/byte-blocks.js';
import { type FormPart, printable, partText } from '../../../http/body/multipart-form.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import type { UnparsedFile } from '../parsing/report-parsing.js';
import type { UploadFields } from './evidence-upload.dto.js';
import type { Upload } from './evidence-upload.service.js';
import { NO_CONTROL_CHARACTERS, MAX_FILES, type ParsedBody } from '../parsing/upload-body.js';
import type { UploadedReport } from './upload-content.js';

/** A validated upload request of either route. */
interface UploadRequest {
  /** Contains `metrics` and `reports` only as markers. Their content is in `free`. */
  readonly fields: UploadFields;
  readonly free: Pick<ParsedBody, 'metrics' | 'reports'>;
  /** Null if the request has no member for files. */
  readonly files: readonly UnparsedFile[] | null;
  readonly idempotencyKey: string | undefined;
  readonly digest: Upload['digest'];
}

/** Converts a request to an upload. Throws `invalid` if it has no metrics, reports or files. */
export function toUpload({ fields, free, files, idempotencyKey, digest }: UploadRequest): Upload {
  const { kind, metrics, reports } = fields;
  // Null counts as absent.
  if (!metrics && !reports && !files) {
    throw new DomainError('invalid', 'The upload is empty. Send at least one of metrics, reports and files.');
  }
  if (idempotencyKey !== undefined && !/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
    throw new DomainError('invalid', 'Idempotency-Key must be 1 to 255 visible ASCII characters.');
  }
  return {
    org: fields.org ?? null,
    repository: fields.repo,
    version: fields.version,
    pipeline: fields.pipeline,
    environment: fields.environment ?? 'ci',
    job: fields.job ?? null,
    commitSha: fields.commit_sha ?? null,
    runUrl: fields.run_url ?? null,
    runAttempt: fields.run_attempt ?? null,
    jobGroup: toJobGroup(fields),
    idempotencyKey: idempotencyKey ?? null,
    content: { kind, ...free, files: files ?? [] },
    digest,
  };
}

/** Returns the job group. Both members are required, because a group without a size can never be complete. */
function toJobGroup({ job_group: name, job_total: total }: UploadFields): Upload['jobGroup'] {
  // Null counts as absent.
  if (name === undefined || name === null) {
    if (total === undefined || total === null) return null;
    throw new DomainError('invalid', 'job_total needs job_group.');
  }
  if (total === undefined || total === null) throw new DomainError('invalid', 'job_group needs job_total.');
  return { name, total };
}

/** The name of the parts that are files. Every other part is a field. */
const FILE = 'file';
const INTEGER_FIELDS: ReadonlySet<string> = new Set(['run_attempt', 'job_total']);
const MAX_FILENAME_LENGTH = 255;
/** Longer than any field may be. Longer values never reach the regular expressions of the validation. */
const MAX_FIELD_BYTES = 16_384;
/** More than there are fields, so that an unknown field is still rejected by its name. */
const MAX_FIELDS = 50;

export const MAX_PARTS = MAX_FILES + MAX_FIELDS;

/** The content of a form. */
export interface ReportForm {
  /** The text fields. */
  readonly fields: Readonly<Record<string, string | number>>;
  /** The unparsed JSON fields; null if absent. */
  readonly free: { readonly metrics: Blocks | null; readonly reports: Blocks | null };
  /** Null if it has none. */
  readonly files: readonly UnparsedFile[] | null;
}

/** Reads the parts of a form. Throws `invalid` for a duplicate field and for a file without a name. Does not validate the fields. */
export function readReportForm(parts: readonly FormPart[]): ReportForm {
  const files = parts.filter(({ name }) => name === FILE);
  if (files.length > MAX_FILES) throw new DomainError('too_large', `The form has more than ${MAX_FILES} files.`);
  const fields: Record<string, string | number> = {};
  const free: Record<'metrics' | 'reports', Blocks | null> = { metrics: null, reports: null };
  for (const part of parts) {
    if (part.name === FILE) continue;
    const isFree = part.name === 'metrics' || part.name === 'reports';
    if (isFree ? free[part.name] !== null : Object.hasOwn(fields, part.name))
      throw new DomainError('invalid', `${printable(part.name)} is given twice.`);
    // Assigning to it would set the prototype.
    if (part.name === '__proto__') throw new DomainError('invalid', 'A field must not be called __proto__.');
    if (isFree) free[part.name] = part.blocks;
    else fields[part.name] = toValue(part);
  }
  return { fields, free, files: files.length === 0 ? null : files.map(toFile) };
}

/**
 * Returns the SHA-256 of the content of a form. It does not depend on the boundaries or on the order of the parts, so the same
 * fields and files are the same upload.
 */
export function digestOfForm(fields: object, uploaded: readonly UploadedReport[]): string {
  const entries = Object.entries(fields).filter(([name, value]) => name !== 'reports' && value !== undefined);
  const reports = uploaded.map(({ name, format, sha256: digest }) => JSON.stringify([name, format, digest]));
  return sha256(`form\n${JSON.stringify([entries.toSorted(byName), reports.toSorted()])}`);
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

function toValue(part: FormPart): string | number {
  if (totalSize(part.blocks) > MAX_FIELD_BYTES) {
    throw new DomainError('invalid', `${printable(part.name)} is longer than ${MAX_FIELD_BYTES} bytes.`);
  }
  const text = partText(part);
  // Any other text stays a text, which the validation rejects.
  return INTEGER_FIELDS.has(part.name) && /^\d{1,16}$/.test(text) ? Number(text) : text;
}

function toFile({ filename, blocks }: FormPart, index: number): UnparsedFile {
  if (filename === null || filename.length > MAX_FILENAME_LENGTH || !NO_CONTROL_CHARACTERS.test(filename)) {
    throw new DomainError(
      'invalid',
      `file ${index + 1} must have a filename of 1 to ${MAX_FILENAME_LENGTH} characters, none of them a control character.`,
    );
  }
  return { filename, content: blocks };
}
