import { createHash } from 'node:crypto';
import type { Blocks } from '../../../http/body/byte-blocks.js';
import type { Counts } from '../formats/coverage.js';
import { CoveredFiles, decodeLines, encodeLines, LINES } from '../formats/covered-files.js';
import type { EvidenceKind, FailedTest } from '../../../domain/evidence/evidence.js';
import {
  type EncodedTestResults,
  findRepeatedTests,
  type TestEntries,
  toTestEntries,
  toTestMark,
} from '../../../domain/quality/test-results.js';
import { isNotBlank } from '../formats/bill-of-materials.js';
import { parseReport, type HtmlReport, type ParsedReport } from '../formats/formats.js';
import type { ReportCoverage } from '../formats/report-format.js';
import { ReportError } from '../formats/report-text.js';
import { type UploadCoverage, uniteReports } from '../formats/united-coverage.js';
import { groupBy } from '../../../domain/group-by.js';

/** The part of a parsed file by which names are compared. */
interface FileWithTests {
  readonly report: object;
  readonly testResults: EncodedTestResults;
  readonly failedTests: readonly FailedTest[];
}

/**
 * Removes the name of a failed test if another file of the same kind has a test of this name, whatever its outcome there: such a name
 * does not say which test is meant. The tests that an incomplete file lacks may have any name.
 */
function withoutRepeatedNames<F extends FileWithTests>(files: readonly F[]): readonly F[] {
  const byKind = groupBy(files, toKind);
  const unique = new Map([...byKind].map(([kind, ofKind]) => [kind, createNameCheck(ofKind)]));
  return files.map((file) => {
    const isUnique = unique.get(toKind(file));
    return { ...file, failedTests: file.failedTests.filter(({ id }) => isUnique?.(id, file) === true) };
  });
}

/** Returns the kind of evidence. Empty for a document. */
const toKind = ({ report }: FileWithTests): string => ('kind' in report ? String(report.kind) : '');

/** Returns a function that returns whether only this one of the files may have a test of this name. */
function createNameCheck(files: readonly FileWithTests[]): (id: string, file: FileWithTests) => boolean {
  if (files.length === 1) return () => true;
  const incomplete = files.filter(({ testResults }) => !testResults.complete);
  const marks = files.flatMap(({ failedTests }) => failedTests.map(({ id }) => toTestMark(id)));
  const repeated = marks.length === 0 ? new Set<bigint>() : findRepeatedTests(decodeEntries(files), marks);
  return (id, file) => incomplete.length <= 1 && (incomplete[0] ?? file) === file && !repeated.has(toTestMark(id));
}

function* decodeEntries(files: readonly { readonly testResults: EncodedTestResults }[]): Generator<TestEntries> {
  for (const { testResults } of files) yield toTestEntries(testResults.parts.map(({ marks }) => marks));
}

/** The test results of a file without tests. */
export const NO_TESTS: EncodedTestResults = { complete: true, parts: [] };

/** An uploaded file before it is parsed. */
export interface UnparsedFile {
  readonly filename: string;
  /** Transferred to the parser thread and back. */
  readonly content: Blocks;
  readonly format?: string;
}

/** The members of a report that are stored with it. The others are stored elsewhere. */
type StoredReportData = Omit<ParsedReport, 'testResults' | 'coverage' | 'failedTests'> | HtmlReport;

export interface ParsedFile {
  /** The failed tests whose names occur once in the files of the upload. */
  readonly failedTests: readonly FailedTest[];
  readonly filename: string;
  readonly content: Blocks;
  readonly sha256: string;
  readonly report: StoredReportData;
  readonly testResults: EncodedTestResults;
  /** Whether a page contains no visible character. False for other files. */
  readonly isBlank: boolean;
  /** The coverage of all reports of the upload together. The first coverage report has it, and no other file. */
  readonly coverage?: UploadCoverage;
}

/** The files of one upload with the stated kind of evidence. */
export interface ParseRequest {
  readonly files: readonly UnparsedFile[];
  readonly kind: EvidenceKind | undefined;
}

/** The parsed files, or the error of the first invalid file with its line. */
export type ParseResult = { readonly files: readonly ParsedFile[] } | { readonly rejected: string };

export function parseFiles({ files, kind }: ParseRequest): ParseResult {
  try {
    return { files: withoutRepeatedNames(withCoverage(files.map((file) => parseFile(file, kind)))) };
  } catch (error) {
    if (error instanceof ReportError) return { rejected: `${error.message}. ${howToLeaveOut(error.file)}` };
    throw error;
  }
}

/** Characters that mean something in a pattern of the command line. A `?` matches each of them. */
const GLOB_CHARACTERS = /[\\*?[\]{}()!+@|]/g;

/** One file rejects the whole upload. It may be no report at all. */
const howToLeaveOut = (filename: string): string =>
  'Nothing of the upload was stored. Correct the file, or leave it out: ' +
  `the pattern "!${filename.replaceAll(GLOB_CHARACTERS, '?')}" of shipgate upload excludes it.`;

/** A parsed file with the covered files of its own report. */
interface FileWithCoverage {
  readonly file: ParsedFile;
  readonly coverage: ReportCoverage | undefined;
}

function withCoverage(parsed: readonly FileWithCoverage[]): readonly ParsedFile[] {
  const reports = parsed.map(({ coverage }) => coverage).filter((coverage) => coverage !== undefined);
  const first = parsed.findIndex(({ coverage }) => coverage !== undefined);
  return parsed.map(({ file }, index) => (index === first ? { ...file, coverage: uniteReports(reports) } : file));
}

function parseFile({ filename, content, format }: UnparsedFile, kind: EvidenceKind | undefined): FileWithCoverage {
  const parsed = parseReport({
    filename,
    content,
    ...(format === undefined ? {} : { format }),
    ...(kind === undefined ? {} : { kind }),
  });
  const file = { filename, content, sha256: hashContent(content) };
  if (!('kind' in parsed)) {
    const isBlank = !content.some((block) => isNotBlank(new TextDecoder().decode(block)));
    const page = { ...file, report: parsed, isBlank, testResults: NO_TESTS, failedTests: [] };
    return { file: page, coverage: undefined };
  }
  const { testResults, failedTests, coverage, ...report } = parsed;
  const tests = { testResults: testResults?.packed() ?? NO_TESTS, failedTests };
  return { file: { ...file, report, isBlank: false, ...tests }, coverage };
}

function hashContent(content: Blocks): string {
  const hash = createHash('sha256');
  for (const block of content) hash.update(block);
  return hash.digest('hex');
}

/** The encoded lines of several uploads of one run. */
export interface UniteRequest {
  readonly coverage: Blocks;
}

/** The encoded lines of all uploads together, and their counts. */
export interface CoverageUnion {
  readonly united: Blocks[number];
  readonly lines: Counts;
}

/** Unites uploads. Takes time linear in their size. */
export function uniteEncoded({ coverage }: UniteRequest): CoverageUnion {
  const files = new CoveredFiles(LINES);
  for (const upload of coverage) files.addAll(decodeLines(upload));
  return { united: encodeLines(files), lines: files.count() };
}
