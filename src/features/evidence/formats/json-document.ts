import { JsonFault, jsonIndexOf, type JsonPath, scanJson } from './json-scanner.js';
import type { ReportLimits } from './report-format.js';
import type { ReportError, ReportText } from './report-text.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Checks a text before it is parsed: an empty object takes three bytes of it and twenty times as much of memory.
 * @throws JsonFault where the text is no JSON, or beyond a limit.
 */
function checkJson(text: string, { jsonDepth, jsonValues }: ReportLimits): void {
  let values = 0;
  scanJson(text, jsonDepth, (_path, index) => {
    values += 1;
    if (values > jsonValues) throw new JsonFault(index, `more than ${jsonValues} values`);
  });
}

/** A parsed JSON document whose values are asked for by shape, and refused by line where they have another. */
export class JsonReader {
  readonly root: unknown;

  /** @throws ReportError where the text is no JSON, or beyond a limit. */
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

  object(value: unknown, path: JsonPath): JsonObject {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
    throw this.errorAt(path, 'an object is expected');
  }

  /** An absent value is an empty object. */
  optionalObject(value: unknown, path: JsonPath): JsonObject {
    return value === undefined ? {} : this.object(value, path);
  }

  array(value: unknown, path: JsonPath): readonly unknown[] {
    if (Array.isArray(value)) return value;
    throw this.errorAt(path, 'an array is expected');
  }

  /** An absent value, or null, is an empty array. */
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

  /** Undefined where absent or null. */
  optionalBoolean(value: unknown, path: JsonPath): boolean | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'boolean') return value;
    throw this.errorAt(path, 'true or false is expected');
  }

  /** A whole number from 0 that is exact as it stands; null where absent or null. */
  optionalCount(value: unknown, path: JsonPath): number | null {
    if (value === undefined || value === null) return null;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    throw this.errorAt(path, 'a count is expected');
  }

  /** One of a closed list of strings; undefined where absent. */
  optionalOneOf<const T extends string>(value: unknown, path: JsonPath, allowed: readonly T[]): T | undefined {
    return value === undefined ? undefined : this.oneOf(value, path, allowed);
  }

  /** One of a closed list of strings. */
  oneOf<const T extends string>(value: unknown, path: JsonPath, allowed: readonly T[]): T {
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) throw this.errorAt(path, `one of ${allowed.join(', ')} is expected`);
    return found;
  }

  /** Names the value by its path, and the line where it stands. */
  errorAt(path: JsonPath, reason: string): ReportError {
    const name = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
    const index = jsonIndexOf(this.report.text, path);
    return this.report.errorAt(index, `${name.replace(/^\./, '') || 'the document'}: ${reason}`);
  }
}

/** What a format does with each line. */
interface LineVisitor {
  /** `refusal` points at where the line begins. */
  json(value: JsonObject, toError: (reason: string) => ReportError): void;
  /** A line that does not begin an object; false where it is to be refused. */
  other(line: string): boolean;
}

/**
 * Reads JSON objects that stand one on each line; blank lines say nothing.
 * @throws ReportError at the first line that is no object, or is beyond a limit.
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

function parseLine(report: ReportText, limits: ReportLimits, line: string, begin: number): JsonObject {
  try {
    checkJson(line, limits);
  } catch (fault) {
    if (fault instanceof JsonFault) throw report.errorAt(begin + fault.index, `not JSON: ${fault.reason}`);
    throw fault;
  }
  const value: unknown = JSON.parse(line);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw report.errorAt(begin, 'an object is expected');
}
