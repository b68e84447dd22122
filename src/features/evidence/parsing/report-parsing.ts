import { createHash } from 'node:crypto';
import type { EvidenceKind } from '../../../domain/evidence/evidence.js';
import type { EncodedTestResults } from '../../../domain/quality/test-results.js';
import type { Blocks } from '../../../http/body/byte-blocks.js';
import { parseReport, type HtmlReport, type ParsedReport } from '../formats/formats.js';
import { ReportError } from '../formats/report-text.js';

/** The test results of a file without tests. */
export const NO_TESTS: EncodedTestResults = { complete: true, parts: [] };

/** A file as it was uploaded, before any of it is believed. */
export interface UploadedFile {
  readonly filename: string;
  /** Handed to the thread that reads it, and back from there. */
  readonly content: Blocks;
  readonly format?: string;
}

/** A report without its tests, which are stored separately. */
type ReadReport = Omit<ParsedReport, 'testResults'> | HtmlReport;

export interface ReadFile {
  readonly filename: string;
  readonly content: Blocks;
  readonly sha256: string;
  readonly report: ReadReport;
  readonly testResults: EncodedTestResults;
}

/** Files of one upload, and what it says that they are of. */
export interface ParseRequest {
  readonly files: readonly UploadedFile[];
  readonly kind: EvidenceKind | undefined;
}

/** What became of them: all are read, or the first that cannot be is named with line and cause. */
export type ParseResult = { readonly files: readonly ReadFile[] } | { readonly refused: string };

export function parseFiles({ files, kind }: ParseRequest): ParseResult {
  try {
    return { files: files.map((file) => readFile(file, kind)) };
  } catch (error) {
    if (error instanceof ReportError) return { refused: error.message };
    throw error;
  }
}

function readFile({ filename, content, format }: UploadedFile, kind: EvidenceKind | undefined): ReadFile {
  const parsed = parseReport({
    filename,
    content,
    ...(format === undefined ? {} : { format }),
    ...(kind === undefined ? {} : { kind }),
  });
  const { report, testResults } = 'kind' in parsed ? apart(parsed) : { report: parsed, testResults: null };
  return { filename, content, sha256: digestOf(content), report, testResults: testResults?.packed() ?? NO_TESTS };
}

function apart({
  testResults,
  ...report
}: ParsedReport): { readonly report: ReadReport } & Pick<ParsedReport, 'testResults'> {
  return { report, testResults };
}

function digestOf(content: Blocks): string {
  const hash = createHash('sha256');
  for (const block of content) hash.update(block);
  return hash.digest('hex');
}
