import { type Counts, buildCoverageResult, CoveredFile, CoveredFiles, type StatedCoverage } from './coverage.js';
import type { ParsedContent, ReportFormat, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';
import {
  countIn,
  readXml,
  requiredCountIn,
  type XmlAttributes,
  type CreateXmlError,
  type XmlVisitor,
} from './xml-reader.js';

/** Matches the counts of `50% (1/2)`. */
const CONDITIONS = /\(\s*(\d+)\s*\/\s*(\d+)\s*\)\s*$/;
const CONDITIONS_LENGTH = 100;

/**
 * Cobertura XML (coverage-04.dtd) of Istanbul, coverage.py, gcovr, Coverlet and other tools. Lines and their conditions count,
 * not the stated rates and totals. Classes of one file are combined.
 */
export const cobertura: ReportFormat = {
  name: 'cobertura',
  title: 'Cobertura XML',
  defaultKind: 'coverage',

  // Clover's root has the same name, but no rate.
  detect: ({ prolog }) => prolog?.root === 'coverage' && prolog.attributes.has('line-rate'),

  read: (report: ReportText, limits: ReportLimits): ParsedContent =>
    readXml(report, limits, (toError) => new CoberturaVisitor(limits, toError)).result(),
};

/** An open `<class>`. Its methods repeat its lines, and Istanbul adds lines of declarations that it does not count elsewhere. */
interface OpenClass {
  readonly filename: string;
  readonly own: CoveredFile;
  readonly ofMethods: CoveredFile;
}

class CoberturaVisitor implements XmlVisitor {
  private readonly files = new CoveredFiles();
  private stated: StatedCoverage = {};
  private openClass: OpenClass | null = null;
  private isInMethod = false;
  private depth = 0;

  constructor(
    private readonly limits: ReportLimits,
    private readonly toError: CreateXmlError,
  ) {}

  open(name: string, attributes: XmlAttributes): void {
    this.depth += 1;
    if (this.depth === 1) this.stated = this.parseTotals(attributes);
    else if (name === 'class') this.beginClass(attributes);
    else if (name === 'method') this.isInMethod = true;
    else if (name === 'line') this.line(attributes);
  }

  close(name: string): void {
    this.depth -= 1;
    if (name === 'method') this.isInMethod = false;
    else if (name === 'class') this.endClass();
  }

  text(): void {
    // Only `<source>` has text: paths of the machine that measured.
  }

  result(): ParsedContent {
    return buildCoverageResult(this.files.coverage(), this.limits, { stated: this.stated });
  }

  private parseTotals(attributes: XmlAttributes): StatedCoverage {
    const lines = this.parseTotal(attributes, 'lines');
    const branches = this.parseTotal(attributes, 'branches');
    return { ...(lines && { lines }), ...(branches && { branches }) };
  }

  private parseTotal(attributes: XmlAttributes, what: string): Counts | null {
    const covered = countIn(attributes, `${what}-covered`, this.toError);
    const total = countIn(attributes, `${what}-valid`, this.toError);
    return covered === null || total === null ? null : { covered, total };
  }

  private beginClass(attributes: XmlAttributes): void {
    if (this.openClass !== null) throw this.toError('a class inside a class');
    const filename = attributes.get('filename') ?? '';
    if (filename === '') throw this.toError('a class without a filename');
    this.openClass = { filename, own: new CoveredFile(filename), ofMethods: new CoveredFile(filename) };
  }

  private endClass(): void {
    if (this.openClass === null) return;
    const { filename, own, ofMethods } = this.openClass;
    this.files.at(filename).add(own.isEmpty ? ofMethods : own);
    this.openClass = null;
  }

  private line(attributes: XmlAttributes): void {
    if (this.openClass === null) throw this.toError('a line outside of a class');
    const number = requiredCountIn(attributes, 'number', this.toError);
    const target = this.isInMethod ? this.openClass.ofMethods : this.openClass.own;
    target.hitLine(number, requiredCountIn(attributes, 'hits', this.toError) > 0);
    const branches = this.conditions(attributes.get('condition-coverage'));
    if (branches !== null) target.addBranches(number, branches);
  }

  private conditions(text: string | undefined): Counts | null {
    const [, covered, total] = CONDITIONS.exec((text ?? '').slice(0, CONDITIONS_LENGTH)) ?? [];
    if (covered === undefined || total === undefined) return null;
    const counts = { covered: Number(covered), total: Number(total) };
    if (!Number.isSafeInteger(counts.total)) throw this.toError('condition-coverage: a count beyond 2^53');
    if (counts.covered > counts.total) throw this.toError('condition-coverage: the covered count exceeds the total');
    return counts;
  }
}
