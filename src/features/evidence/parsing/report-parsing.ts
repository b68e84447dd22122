import { createHash } from 'node:crypto';
import type { EvidenceKind } from '../../../domain/evidence/evidence.js';
import type { EncodedTestResults } from '../../../domain/quality/test-results.js';
import type { Blocks } from '../../../http/body/byte-blocks.js';
import { parseReport, type HtmlReport, type ParsedReport } from '../formats/formats.js';
import { ReportError } from '../formats/report-text.js';

/** The test results of a file without tests. */
export const NO_TESTS: EncodedTestResults = { complete: true, parts: [] };

/** An uploaded file before it is parsed. */
export interface UploadedFile {
  readonly filename: string;
  /** Transferred to the parser thread and back. */
  readonly content: Blocks;
  readonly format?: string;
}

/** A report without its tests, which are stored separately. */
type StoredReportData = Omit<ParsedReport, 'testResults'> | HtmlReport;

export interface ParsedFile {
  readonly filename: string;
  readonly content: Blocks;
  readonly sha256: string;
  readonly report: StoredReportData;
  readonly testResults: EncodedTestResults;
}

/** The files of one upload with the stated kind of evidence. */
export interface ParseRequest {
  readonly files: readonly UploadedFile[];
  readonly kind: EvidenceKind | undefined;
}

/** The parsed files, or the error of the first invalid file with its line. */
export type ParseResult = { readonly files: readonly ParsedFile[] } | { readonly rejected: string };

export function parseFiles({ files, kind }: ParseRequest): ParseResult {
  try {
    return { files: files.map((file) => parseFile(file, kind)) };
  } catch (error) {
    if (error instanceof ReportError) return { rejected: error.message };
    throw error;
  }
}

function parseFile({ filename, content, format }: UploadedFile, kind: EvidenceKind | undefined): ParsedFile {
  const parsed = parseReport({
    filename,
    content,
    ...(format === undefined ? {} : { format }),
    ...(kind === undefined ? {} : { kind }),
  });
  const { report, testResults } = 'kind' in parsed ? splitTestResults(parsed) : { report: parsed, testResults: null };
  return { filename, content, sha256: hashContent(content), report, testResults: testResults?.packed() ?? NO_TESTS };
}

function splitTestResults({
  testResults,
  ...report
}: ParsedReport): { readonly report: StoredReportData } & Pick<ParsedReport, 'testResults'> {
  return { report, testResults };
}

function hashContent(content: Blocks): string {
  const hash = createHash('sha256');
  for (const block of content) hash.update(block);
  return hash.digest('hex');
}
