import type { Counts, StatedRate, StatedTotals } from './coverage.js';
import { CoverageEntry } from './coverage-entry.js';
import { type CoverageGroup, CoverageReport } from './coverage-report.js';
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

/** Matches the percentage and the counts of `50% (1/2)`. */
const CONDITIONS = /(?:(\d+)(?:[.,]\d*)?\s*%\s*)?\(\s*(\d+)\s*\/\s*(\d+)\s*\)\s*$/;
const CONDITIONS_LENGTH = 100;
const RATE_LENGTH = 40;

/**
 * Cobertura XML (coverage-04.dtd) of Istanbul, coverage.py, gcovr, Coverlet and other tools. A class is an entry of its
 * file in its package. It is united with other classes of this file if they have the same lines and methods. The rates
 * and totals of classes, packages and the report count where they are lower.
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
  readonly own: CoverageEntry;
  readonly ofMethods: CoverageEntry;
}

class CoberturaVisitor implements XmlVisitor {
  private readonly report: CoverageReport;
  private package: CoverageGroup | null = null;
  private openClass: OpenClass | null = null;
  private isInMethod = false;
  /** The text of the open `<source>`. */
  private source: string | null = null;
  private depth = 0;

  constructor(
    limits: ReportLimits,
    private readonly toError: CreateXmlError,
  ) {
    this.report = new CoverageReport(limits);
  }

  open(name: string, attributes: XmlAttributes): void {
    this.depth += 1;
    if (this.depth === 1) {
      this.report.root.state('lines', this.parseTotals(attributes, 'line'));
      this.report.root.state('branches', this.parseTotals(attributes, 'branch'));
    } else if (name === 'source') this.source = '';
    else if (name === 'package') this.beginPackage(attributes);
    else if (name === 'class') this.beginClass(attributes);
    else if (name === 'method') this.beginMethod(attributes);
    else if (name === 'line') this.line(attributes);
  }

  close(name: string): void {
    this.depth -= 1;
    if (name === 'method') this.isInMethod = false;
    else if (name === 'class') this.endClass();
    else if (name === 'package') this.package = null;
    else if (name === 'source') this.endSource();
  }

  text(chunk: string): void {
    if (this.source !== null) this.source += chunk;
  }

  result(): ParsedContent {
    return this.report.result();
  }

  private endSource(): void {
    const source = (this.source ?? '').trim();
    if (source !== '') this.report.addDirectory(source);
    this.source = null;
  }

  private beginPackage(attributes: XmlAttributes): void {
    this.package = this.report.root.addGroup(attributes.get('name') ?? '');
    this.package.state('lines', this.parseRate(attributes, 'line'));
    this.package.state('branches', this.parseRate(attributes, 'branch'));
  }

  private beginClass(attributes: XmlAttributes): void {
    if (this.openClass !== null) throw this.toError('a class inside a class');
    const filename = attributes.get('filename') ?? '';
    if (filename === '') throw this.toError('a class without a filename');
    const own = new CoverageEntry();
    own.state('lines', this.parseRate(attributes, 'line'));
    own.state('branches', this.parseRate(attributes, 'branch'));
    this.openClass = { filename, own, ofMethods: new CoverageEntry() };
  }

  private endClass(): void {
    if (this.openClass === null) return;
    const { filename, own, ofMethods } = this.openClass;
    if (!own.hasLines) own.takeLines(ofMethods);
    (this.package ?? this.report.root).addEntry(own, filename, '');
    this.openClass = null;
  }

  private beginMethod(attributes: XmlAttributes): void {
    this.isInMethod = true;
    this.openClass?.own.addFunction(`${attributes.get('name') ?? ''} ${attributes.get('signature') ?? ''}`);
  }

  private line(attributes: XmlAttributes): void {
    if (this.openClass === null) throw this.toError('a line outside of a class');
    const number = requiredCountIn(attributes, 'number', this.toError);
    const target = this.isInMethod ? this.openClass.ofMethods : this.openClass.own;
    const isHit = requiredCountIn(attributes, 'hits', this.toError) > 0;
    target.addLine(number, isHit);
    const branches = this.conditions(attributes.get('condition-coverage'), number);
    if (branches === null) return;
    const isContradiction = !isHit && branches.covered > 0;
    if (isContradiction)
      this.report.addNote(this.openClass.filename, `line ${number} was not hit, but its branches were`);
    target.addBranches(number, isContradiction ? { ...branches, covered: 0 } : branches);
  }

  private conditions(text: string | undefined, line: number): Counts | null {
    const [, percent, covered, total] = CONDITIONS.exec((text ?? '').slice(0, CONDITIONS_LENGTH)) ?? [];
    if (covered === undefined || total === undefined) return null;
    const counts = { covered: Number(covered), total: Number(total) };
    if (!Number.isSafeInteger(counts.total)) throw this.toError('condition-coverage: a count beyond 2^53');
    if (counts.covered > counts.total) throw this.toError('condition-coverage: the covered count exceeds the total');
    // Tools round the percentage to a whole number.
    const difference = percent === undefined ? 0 : Number(percent) - (100 * counts.covered) / counts.total;
    if (counts.total === 0 || Math.abs(difference) <= 1) return counts;
    this.report.addNote(this.openClass?.filename ?? '', `the conditions of line ${line} are ${text ?? ''}`);
    return {
      covered: Math.min(counts.covered, Math.floor((Number(percent) * counts.total) / 100)),
      total: counts.total,
    };
  }

  private parseTotals(attributes: XmlAttributes, subject: 'line' | 'branch'): StatedTotals {
    const name = subject === 'line' ? 'lines' : 'branches';
    const covered = countIn(attributes, `${name}-covered`, this.toError);
    const total = countIn(attributes, `${name}-valid`, this.toError);
    return {
      ...(covered !== null && { covered }),
      ...(total !== null && { total }),
      ...this.parseRate(attributes, subject),
    };
  }

  /** A rate that is no number from 0 to 1 states nothing: some tools write NaN where nothing is measured. */
  private parseRate(attributes: XmlAttributes, subject: 'line' | 'branch'): { readonly rate?: StatedRate } {
    const text = (attributes.get(`${subject}-rate`) ?? '').slice(0, RATE_LENGTH).replace(',', '.').trim();
    const value = Number(text);
    if (text === '' || !(value >= 0 && value <= 1)) return {};
    return { rate: { value, tolerance: 10 ** -countDecimals(value) } };
  }
}

/** Returns the number of decimals. Tools round to two at least, and some divide a rounded percentage by 100. */
function countDecimals(rate: number): number {
  let decimals = 2;
  while (decimals < 9 && Math.abs(rate * 10 ** decimals - Math.round(rate * 10 ** decimals)) > 1e-6) decimals += 1;
  return decimals;
}
