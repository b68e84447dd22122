import { excerpt } from './bounded-list.js';
import { JsonFault, findJsonIndex, type JsonPath, scanJson } from '../../../http/body/json-scanner.js';
import type { ReportLimits } from './report-format.js';
import type { ReportError, ReportText } from './report-text.js';

/** The maximum length of a key in a message. */
const STEP_LENGTH = 300;

export type JsonMembers = Readonly<Record<string, unknown>>;

/**
 * Checks a text before it is parsed, because an empty object of three bytes takes twenty times as much memory.
 * @throws JsonFault if the text is not JSON, exceeds a limit, or has an object that gives one name twice.
 */
function checkJson(text: string, { jsonDepth, jsonValues }: ReportLimits): void {
  let values = 0;
  const visit = (_path: JsonPath, index: number): void => {
    values += 1;
    if (values > jsonValues) throw new JsonFault(index, `more than ${jsonValues} values`);
  };
  scanJson(text, jsonDepth, { visit, uniqueNames: true });
}

/** A parsed JSON document. Its methods check the type of a value, and name the line if it is wrong. */
export class JsonDocument {
  readonly root: unknown;

  /** @throws ReportError if the text is not JSON or exceeds a limit. */
  constructor(
    private readonly report: ReportText,
    limits: ReportLimits,
  ) {
    try {
      checkJson(report.text, limits);
    } catch (fault) {
      if (fault instanceof JsonFault) throw report.errorAt(fault.index, `not JSON: ${fault.reason}`);
      throw fault;
    }
    this.root = JSON.parse(report.text);
  }

  object(value: unknown, path: JsonPath): JsonMembers {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonMembers;
    throw this.errorAt(path, 'an object is expected');
  }

  /** Returns an empty object for a missing value. */
  optionalObject(value: unknown, path: JsonPath): JsonMembers {
    return value === undefined ? {} : this.object(value, path);
  }

  array(value: unknown, path: JsonPath): readonly unknown[] {
    if (Array.isArray(value)) return value;
    throw this.errorAt(path, 'an array is expected');
  }

  /** Returns an empty array for a missing value and for null. */
  optionalArray(value: unknown, path: JsonPath): readonly unknown[] {
    return value === undefined || value === null ? [] : this.array(value, path);
  }

  string(value: unknown, path: JsonPath): string {
    if (typeof value === 'string') return value;
    throw this.errorAt(path, 'a string is expected');
  }

  optionalString(value: unknown, path: JsonPath): string | undefined {
    return value === undefined || value === null ? undefined : this.string(value, path);
  }

  /** Returns undefined for a missing value and for null. */
  optionalBoolean(value: unknown, path: JsonPath): boolean | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'boolean') return value;
    throw this.errorAt(path, 'true or false is expected');
  }

  /** Returns a safe integer of at least 0; null for a missing value and for null. */
  optionalCount(value: unknown, path: JsonPath): number | null {
    if (value === undefined || value === null) return null;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    throw this.errorAt(path, 'a count is expected');
  }

  /** Returns one of a closed list of strings; undefined for a missing value. */
  readOptionalChoice<const T extends string>(value: unknown, path: JsonPath, allowed: readonly T[]): T | undefined {
    return value === undefined ? undefined : this.readChoice(value, path, allowed);
  }

  /** Returns one of a closed list of strings. */
  readChoice<const T extends string>(value: unknown, path: JsonPath, allowed: readonly T[]): T {
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) throw this.errorAt(path, `one of ${allowed.join(', ')} is expected`);
    return found;
  }

  /** Creates an error with the path and the line of the value. */
  errorAt(path: JsonPath, reason: string): ReportError {
    const name = path
      .map((step) => (typeof step === 'number' ? `[${step}]` : `.${excerpt(step, STEP_LENGTH)}`))
      .join('');
    const index = findJsonIndex(this.report.text, path);
    return this.report.errorAt(index, `${name.replace(/^\./, '') || 'the document'}: ${reason}`);
  }
}

/** The handlers of a format for each line. */
interface LineVisitor {
  /** `toError` creates an error at the start of the line. */
  json(value: JsonMembers, toError: (reason: string) => ReportError): void;
  /** Handles a line that does not begin with an object. Returns false to reject it. */
  other(line: string): boolean;
}

/**
 * Reads one JSON object per line. Ignores blank lines.
 * @throws ReportError at the first line that is not an object or exceeds a limit.
 */
export function readJsonLines(report: ReportText, limits: ReportLimits, visitor: LineVisitor): void {
  const { text } = report;
  let next = 0;
  for (let from = 0; from < text.length; from = next) {
    const newline = text.indexOf('\n', from);
    next = newline === -1 ? text.length : newline + 1;
    const line = text.slice(from, next);
    if (line.trim() === '' || (!line.startsWith('{') && visitor.other(line))) continue;
    const begin = from;
    visitor.json(parseLine(report, limits, line, begin), (reason) => report.errorAt(begin, reason));
  }
}

function parseLine(report: ReportText, limits: ReportLimits, line: string, begin: number): JsonMembers {
  try {
    checkJson(line, limits);
  } catch (fault) {
    if (fault instanceof JsonFault) throw report.errorAt(begin + fault.index, `not JSON: ${fault.reason}`);
    throw fault;
  }
  const value: unknown = JSON.parse(line);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonMembers;
  throw report.errorAt(begin, 'an object is expected');
}
