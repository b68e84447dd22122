import { checkJson, type JsonObject } from './json-reader.js';
import { JsonFault } from './json-scanner.js';
import type { ReportError } from './report-error.js';
import type { ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';

/** What a format does with each line. */
interface LineVisitor {
  /** `refusal` points at where the line begins. */
  json(value: JsonObject, refusal: (reason: string) => ReportError): void;
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
