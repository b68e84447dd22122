import type { ReportLimits } from './format.js';
import { JsonFault, jsonIndexOf, scanJson, type JsonPath } from './json-scanner.js';
import type { ReportError } from './report-error.js';
import type { ReportText } from './report-text.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A parsed JSON document whose values are asked for by shape, and refused by line where they have another. */
export class JsonReader {
  readonly root: unknown;

  /** @throws ReportError where the text is no JSON, or deeper than the limit. */
  constructor(
    private readonly report: ReportText,
    limits: ReportLimits,
  ) {
    try {
      scanJson(report.text, limits.jsonDepth);
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

  /** One of a closed list of strings; undefined where absent. */
  optionalOneOf<const T extends string>(value: unknown, path: JsonPath, allowed: readonly T[]): T | undefined {
    if (value === undefined) return undefined;
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
