import { CoverageEntry } from './coverage-entry.js';
import { type CoverageGroup, CoverageReport } from './coverage-report.js';
import type { ParsedContent, ReportFormat, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';
import type { StatedTotals } from './coverage.js';
import {
  countIn,
  readXml,
  requiredCountIn,
  type XmlAttributes,
  type CreateXmlError,
  type XmlVisitor,
} from './xml-reader.js';

/**
 * Clover XML of OpenClover, PHPUnit and Istanbul. A line counts if it has a statement or a condition; a method declaration
 * does not count. The statements of files, packages and projects count where their share is lower. The tools use the
 * counts of a single condition differently, so branches are the conditionals of each file.
 */
export const clover: ReportFormat = {
  name: 'clover',
  title: 'Clover XML',
  defaultKind: 'coverage',

  // Cobertura's root has the same name, but also rates.
  detect: ({ prolog }) =>
    prolog?.root === 'coverage' && prolog.attributes.has('generated') && !prolog.attributes.has('line-rate'),

  read: (report: ReportText, limits: ReportLimits): ParsedContent =>
    readXml(report, limits, (toError) => new CloverVisitor(limits, toError)).result(),
};

const UNITS = {
  lines: { counted: 'lines', rate: 'line', stated: 'statements' },
  branches: { counted: 'branches', rate: 'branch', stated: 'conditionals' },
};

class CloverVisitor implements XmlVisitor {
  private readonly report: CoverageReport;
  private readonly elements: string[] = [];
  private project: CoverageGroup;
  private package: CoverageGroup | null = null;
  private file: { readonly attributes: XmlAttributes; readonly entry: CoverageEntry } | null = null;
  /** The number of open `<testproject>` elements. Test code does not count. */
  private testProjects = 0;

  constructor(
    limits: ReportLimits,
    private readonly toError: CreateXmlError,
  ) {
    this.report = new CoverageReport(limits, '', UNITS);
    this.project = this.report.root;
  }

  open(name: string, attributes: XmlAttributes): void {
    const parent = this.elements.at(-1);
    this.elements.push(name);
    if (name === 'testproject') this.testProjects += 1;
    if (this.testProjects > 0) return;
    if (name === 'project') this.project = this.report.root.addGroup(attributes.get('name') ?? '', '');
    else if (name === 'package') this.package = this.project.addGroup(attributes.get('name') ?? '');
    else if (name === 'file') this.beginFile(attributes);
    else if (name === 'line') this.line(attributes);
    else if (name === 'metrics') this.metrics(parent, attributes);
  }

  close(name: string): void {
    this.elements.pop();
    if (name === 'testproject') this.testProjects -= 1;
    if (this.testProjects > 0) return;
    if (name === 'project') this.project = this.report.root;
    else if (name === 'package') this.package = null;
    else if (name === 'file') this.endFile();
  }

  text(): void {
    // All data is in attributes.
  }

  result(): ParsedContent {
    return this.report.result();
  }

  private beginFile(attributes: XmlAttributes): void {
    if (this.file !== null) throw this.toError('a file inside a file');
    if (pathIn(attributes) === '') throw this.toError('a file without a name');
    this.file = { attributes, entry: new CoverageEntry() };
  }

  private endFile(): void {
    if (this.file === null) return;
    const { attributes, entry } = this.file;
    const path = pathIn(attributes);
    const group = this.package ?? this.project;
    group.addEntry(entry, path, attributes.has('path') ? '' : group.path);
    this.file = null;
  }

  private line(attributes: XmlAttributes): void {
    if (this.file === null) throw this.toError('a line outside of a file');
    const number = requiredCountIn(attributes, 'num', this.toError);
    const hits = countIn(attributes, 'count', this.toError) ?? this.timesEvaluated(attributes);
    if (attributes.get('type') !== 'method') this.file.entry.addLine(number, hits > 0);
    else this.file.entry.addFunction(attributes.get('name') ?? attributes.get('signature') ?? '');
  }

  /** For a condition, OpenClover states only how often it was true and how often it was false. */
  private timesEvaluated(attributes: XmlAttributes): number {
    return (
      requiredCountIn(attributes, 'truecount', this.toError) + requiredCountIn(attributes, 'falsecount', this.toError)
    );
  }

  private metrics(parent: string | undefined, attributes: XmlAttributes): void {
    const stating =
      parent === 'file'
        ? this.file?.entry
        : parent === 'package'
          ? this.package
          : parent === 'project'
            ? this.project
            : undefined;
    stating?.state('lines', this.parseTotals(attributes, 'statements'));
    stating?.state('branches', this.parseTotals(attributes, 'conditionals'));
  }

  private parseTotals(attributes: XmlAttributes, what: string): StatedTotals {
    const total = countIn(attributes, what, this.toError);
    const covered = countIn(attributes, `covered${what}`, this.toError);
    if (covered !== null && total !== null && covered > total) {
      throw this.toError(`covered${what}: the covered count exceeds the total`);
    }
    return { ...(covered !== null && { covered }), ...(total !== null && { total }) };
  }
}

/** Istanbul and OpenClover have a `path` besides a short name. PHPUnit has the path in `name`. */
const pathIn = (attributes: XmlAttributes): string => attributes.get('path') ?? attributes.get('name') ?? '';
