import { type Counts, buildCoverageResult, type CoveredFile, CoveredFiles } from './coverage.js';
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

/**
 * Clover XML of OpenClover, PHPUnit and Istanbul. A line counts if it has a statement or a condition; a method declaration
 * does not count. The tools use the counts of a single condition differently, so branches are the conditionals of each
 * file.
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

class CloverVisitor implements XmlVisitor {
  private readonly files = new CoveredFiles();
  private readonly elements: string[] = [];
  private readonly totals = { statements: new CloverTotal(), conditionals: new CloverTotal() };
  private packageName: string | null = null;
  private file: CoveredFile | null = null;
  /** The number of open `<testproject>` elements. Test code does not count. */
  private testProjects = 0;

  constructor(
    private readonly limits: ReportLimits,
    private readonly toError: CreateXmlError,
  ) {}

  open(name: string, attributes: XmlAttributes): void {
    const parent = this.elements.at(-1);
    this.elements.push(name);
    if (name === 'testproject') this.testProjects += 1;
    if (this.testProjects > 0) return;
    if (name === 'package') this.packageName = attributes.get('name') ?? null;
    else if (name === 'file') this.beginFile(attributes);
    else if (name === 'line') this.line(attributes);
    else if (name === 'metrics') this.metrics(parent, attributes);
  }

  close(name: string): void {
    this.elements.pop();
    if (name === 'testproject') this.testProjects -= 1;
    else if (name === 'package') this.packageName = null;
    else if (name === 'file') this.file = null;
  }

  text(): void {
    // All data is in attributes.
  }

  result(): ParsedContent {
    const { statements, conditionals } = this.totals;
    const notes = [...statements.disagreement('statements'), ...conditionals.disagreement('conditionals')];
    return buildCoverageResult(this.files.coverage(), this.limits, { notes });
  }

  /** Istanbul and OpenClover have a `path` besides a short name. PHPUnit has the path in `name`. */
  private beginFile(attributes: XmlAttributes): void {
    const path = attributes.get('path') ?? attributes.get('name') ?? '';
    if (path === '') throw this.toError('a file without a name');
    const { packageName } = this;
    const isWhole = packageName === null || attributes.has('path');
    const files = isWhole ? this.files : this.files.within(packageName);
    this.file = files.at(path);
  }

  private line(attributes: XmlAttributes): void {
    if (this.file === null) throw this.toError('a line outside of a file');
    const number = requiredCountIn(attributes, 'num', this.toError);
    const hits = countIn(attributes, 'count', this.toError) ?? this.timesEvaluated(attributes);
    if (attributes.get('type') !== 'method') this.file.hitLine(number, hits > 0);
  }

  /** For a condition, OpenClover states only how often it was true and how often it was false. */
  private timesEvaluated(attributes: XmlAttributes): number {
    return (
      requiredCountIn(attributes, 'truecount', this.toError) + requiredCountIn(attributes, 'falsecount', this.toError)
    );
  }

  private metrics(parent: string | undefined, attributes: XmlAttributes): void {
    if (parent !== 'file' && parent !== 'project') return;
    for (const what of ['statements', 'conditionals'] as const) {
      const counts = this.parseCounts(attributes, what);
      if (counts === null) continue;
      this.totals[what][parent](counts);
      if (what === 'conditionals') this.file?.addBranches(0, counts);
    }
  }

  private parseCounts(attributes: XmlAttributes, what: string): Counts | null {
    const total = countIn(attributes, what, this.toError);
    const covered = countIn(attributes, `covered${what}`, this.toError);
    if (total === null || covered === null) return null;
    if (covered > total) throw this.toError(`covered${what}: the covered count exceeds the total`);
    return { covered, total };
  }
}

/**
 * Compares a stated total of the project with the sum of the totals that its files state. The counted lines do not matter, because
 * statements are not lines.
 */
class CloverTotal {
  private stated: Counts | null = null;
  private covered = 0;
  private total = 0;

  project(counts: Counts): void {
    this.stated = counts;
  }

  file({ covered, total }: Counts): void {
    this.covered += covered;
    this.total += total;
  }

  disagreement(what: string): readonly string[] {
    const { stated, covered, total } = this;
    if (stated === null || (stated.covered === covered && stated.total === total)) return [];
    return [`${stated.covered} of ${stated.total} ${what} stated, ${covered} of ${total} in the files`];
  }
}
