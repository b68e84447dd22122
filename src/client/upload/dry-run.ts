import { readFileSync } from 'node:fs';
import { EVIDENCE_KINDS, type EvidenceKind } from '../../domain/evidence/evidence.js';
import { type ParsedFile, parseFiles } from '../../features/evidence/parsing/report-parsing.js';
import { usageError } from '../command-result.js';
import { fileProblem } from '../file-problem.js';
import { plainText } from '../plain-text.js';
import type { SelectedFile } from './select-files.js';
import { describeMetrics } from './upload-receipt.js';

/** How the service would read a file. */
export interface ReadFile {
  readonly name: string;
  readonly format: string | null;
  /** Null for a document, which no verdict uses, and for a rejected file. */
  readonly kind: EvidenceKind | null;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly components: number | null;
  /** The failures that the report states. */
  readonly failures: readonly string[];
  readonly notes: readonly string[];
  /** Why the service would reject the file, and the whole upload with it; null if it would not. */
  readonly rejected: string | null;
}

interface Stated {
  readonly kind: string | undefined;
  readonly format: string | undefined;
}

/** Reads files with the readers of the service, one at a time. */
export function readFiles(files: readonly SelectedFile[], { kind, format }: Stated): readonly ReadFile[] {
  const known = EVIDENCE_KINDS.find((one) => one === kind);
  if (kind !== undefined && known === undefined)
    throw usageError(`--kind must be one of ${EVIDENCE_KINDS.join(', ')}.`);
  return files.map(({ name, path }) => {
    const file = { filename: name, content: [readBytes(name, path)], ...(format !== undefined && { format }) };
    const result = parseFiles({ files: [file], kind: known });
    return 'rejected' in result ? toRejected(name, result.rejected) : toRead(name, result.files[0]?.report);
  });
}

function readBytes(name: string, path: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(path));
  } catch (error) {
    throw usageError(`${plainText(name)} cannot be read: ${fileProblem(error)}.`);
  }
}

const NOTHING = { format: null, kind: null, metrics: {}, components: null, failures: [], notes: [] };

const toRejected = (name: string, rejected: string): ReadFile => ({ name, ...NOTHING, rejected });

function toRead(name: string, report: ParsedFile['report'] | undefined): ReadFile {
  if (report === undefined || !('kind' in report)) {
    return { name, ...NOTHING, format: report?.format ?? null, rejected: null };
  }
  const { format, kind, metrics, components = null, failures, notes } = report;
  return { name, format, kind, metrics: { ...metrics }, components, failures, notes, rejected: null };
}

/** The failures of a file that are shown. */
const SHOWN_FAILURES = 3;

/** Returns the lines about a file that would be uploaded. */
export function formatReadFile({
  name,
  format,
  kind,
  metrics,
  components,
  failures,
  notes,
}: ReadFile): readonly string[] {
  const what =
    kind === null
      ? 'a document, which no verdict uses'
      : `${kind}: ${components === null ? describeMetrics(metrics) : `${components} components`}`;
  const more = failures.length - SHOWN_FAILURES;
  return [
    `  ${plainText(name)} (${format ?? 'unknown'})  ${what}`,
    ...failures.slice(0, SHOWN_FAILURES).map((failure) => `    fails: ${plainText(failure)}`),
    ...(more > 0 ? [`    and ${more} more`] : []),
    ...notes.map((note) => `    note: ${plainText(note)}`),
  ];
}
