import { sha256 } from '../../digest/sha256.js';
import type { EvidenceKind } from '../../domain/evidence/evidence.js';
import { parseReport, type HtmlReport, type ParsedReport } from './formats/formats.js';
import { ReportError } from './formats/report-error.js';

/** A file as it was uploaded, before any of it is believed. */
export interface UploadedFile {
  readonly filename: string;
  /** In memory of its own: it is handed to the thread that reads it, and comes back from there. */
  readonly content: Uint8Array<ArrayBuffer>;
  readonly format?: string;
}

export interface ReadFile {
  readonly filename: string;
  readonly content: Uint8Array<ArrayBuffer>;
  readonly sha256: string;
  readonly report: ParsedReport | HtmlReport;
}

/** Files of one upload, and what it says that they are of. */
export interface ReadingOrder {
  readonly files: readonly UploadedFile[];
  readonly kind: EvidenceKind | undefined;
}

/** What became of them: all are read, or the first that cannot be is named with line and cause. */
export type ReadingResult = { readonly files: readonly ReadFile[] } | { readonly refused: string };

export function readFiles({ files, kind }: ReadingOrder): ReadingResult {
  try {
    return { files: files.map((file) => readFile(file, kind)) };
  } catch (error) {
    if (error instanceof ReportError) return { refused: error.message };
    throw error;
  }
}

function readFile({ filename, content, format }: UploadedFile, kind: EvidenceKind | undefined): ReadFile {
  const report = parseReport({
    filename,
    content,
    ...(format === undefined ? {} : { format }),
    ...(kind === undefined ? {} : { kind }),
  });
  return { filename, content, sha256: sha256(content), report };
}
