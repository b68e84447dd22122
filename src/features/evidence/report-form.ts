import { sha256 } from '../../digest/sha256.js';
import { DomainError } from '../../http/domain-error.js';
import { type FormPart, printable, textOf } from '../../http/body/form-part.js';
import { parseJsonBody } from '../../http/body/json-body.js';
import type { UploadedFile } from './report-reading.js';
import { MAX_FILES, type StoredReport } from './upload-content.js';
import { LABEL } from './upload-request.js';

/** Under this name a part is a file; every other part is a field. */
const FILE = 'file';
const JSON_FIELDS: ReadonlySet<string> = new Set(['metrics', 'reports']);
const MAX_FILENAME_LENGTH = 255;
/** More than there are names of fields, so that one too many is told by its name. */
const MAX_FIELDS = 50;

export const MAX_PARTS = MAX_FILES + MAX_FIELDS;

/** What a form says. */
export interface ReportForm {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Null where it has none. */
  readonly files: readonly UploadedFile[] | null;
}

/** Refuses a field that is given twice, and a file without a name; what the fields may be is for their validation. */
export function readReportForm(parts: readonly FormPart[]): ReportForm {
  const files = parts.filter(({ name }) => name === FILE);
  if (files.length > MAX_FILES) throw new DomainError('too_large', `The form has more than ${MAX_FILES} files.`);
  const fields: Record<string, unknown> = {};
  for (const part of parts) {
    if (part.name === FILE) continue;
    if (Object.hasOwn(fields, part.name)) throw new DomainError('invalid', `${printable(part.name)} is given twice.`);
    // An assignment to it would be none, and what copies fields would take it for their prototype.
    if (part.name === '__proto__') throw new DomainError('invalid', 'A field must not be called __proto__.');
    fields[part.name] = valueOf(part);
  }
  return { fields, files: files.length === 0 ? null : files.map(fileOf) };
}

/**
 * Stands for all that a form says, in an order of its own: the same fields and files sent again, between other
 * boundaries and one after the other in another way, are the same upload.
 */
export function digestOfForm(fields: object, kept: readonly StoredReport[]): string {
  const said = Object.entries(fields).filter(([name, value]) => name !== 'reports' && value !== undefined);
  const reports = kept.map(({ name, format, sha256: digest }) => JSON.stringify([name, format, digest]));
  return sha256(`form\n${JSON.stringify([said.toSorted(byName), reports.toSorted()])}`);
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

function valueOf(part: FormPart): unknown {
  return JSON_FIELDS.has(part.name) ? parseJsonBody(Buffer.concat(part.blocks), part.name) : textOf(part);
}

function fileOf({ filename, blocks }: FormPart, index: number): UploadedFile {
  if (filename === null || filename.length > MAX_FILENAME_LENGTH || !LABEL.test(filename)) {
    throw new DomainError(
      'invalid',
      `file ${index + 1} must have a filename of 1 to ${MAX_FILENAME_LENGTH} characters, none of them a control character.`,
    );
  }
  return { filename, content: blocks };
}
