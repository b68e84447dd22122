import { type Counts, buildCoverageResult, type CoveredFile, CoveredFiles, type StatedCoverage } from './coverage.js';
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

/** The elements that the root may contain (JaCoCo's report.dtd 1.1). */
const ROOT_CHILDREN: ReadonlySet<string> = new Set(['sessioninfo', 'group', 'package', 'counter']);

/**
 * JaCoCo XML (report.dtd 1.1), also of Kover. A line is covered if one of its instructions ran, as JaCoCo counts. The lines
 * of source files count, not the stated counters.
 */
export const jacoco: ReportFormat = {
  name: 'jacoco',
  title: 'JaCoCo XML',
  defaultKind: 'coverage',

  detect: ({ prolog }) => prolog?.root === 'report' && prolog.attributes.has('name'),

  read: (report: ReportText, limits: ReportLimits): ParsedContent =>
    readXml(report, limits, (toError) => new JacocoVisitor(limits, toError)).result(),
};

class JacocoVisitor implements XmlVisitor {
  private readonly files = new CoveredFiles();
  private readonly stated: StatedCoverage = {};
  private readonly elements: string[] = [];
  /** The open groups (modules) and package, innermost last. Two modules may have a file of the same name. */
  private readonly groups: CoveredFiles[] = [];
  private file: CoveredFile | null = null;

  constructor(
    private readonly limits: ReportLimits,
    private readonly toError: CreateXmlError,
  ) {}

  open(name: string, attributes: XmlAttributes): void {
    const parent = this.elements.at(-1);
    this.elements.push(name);
    if (this.elements.length === 2 && !ROOT_CHILDREN.has(name))
      throw this.toError(`<${name}> is not part of a JaCoCo report`);
    if (name === 'group' || name === 'package') this.groups.push(this.group.within(this.requireName(name, attributes)));
    else if (name === 'sourcefile') this.file = this.group.at(this.requireName(name, attributes));
    else if (name === 'line') this.line(attributes);
    else if (name === 'counter' && parent === 'report') this.counter(attributes);
  }

  close(name: string): void {
    this.elements.pop();
    if (name === 'group' || name === 'package') this.groups.pop();
    else if (name === 'sourcefile') this.file = null;
  }

  text(): void {
    // All data is in attributes.
  }

  result(): ParsedContent {
    return buildCoverageResult(this.files.coverage(), this.limits, { stated: this.stated });
  }

  private get group(): CoveredFiles {
    return this.groups.at(-1) ?? this.files;
  }

  /** `mi` and `ci` are missed and covered instructions, `mb` and `cb` branches. */
  private line(attributes: XmlAttributes): void {
    if (this.file === null) throw this.toError('a line outside of a source file');
    const line = requiredCountIn(attributes, 'nr', this.toError);
    const instructions = this.parseCounts(attributes, 'mi', 'ci');
    const branches = this.parseCounts(attributes, 'mb', 'cb');
    if (instructions.total > 0) this.file.hitLine(line, instructions.covered > 0);
    if (branches.total > 0) this.file.addBranches(line, branches);
  }

  private counter(attributes: XmlAttributes): void {
    const counts = this.parseCounts(attributes, 'missed', 'covered');
    const type = attributes.get('type');
    if (type === 'LINE') this.stated.lines = counts;
    else if (type === 'BRANCH') this.stated.branches = counts;
  }

  /** Both are optional in the DTD, and some converters omit branches. */
  private parseCounts(attributes: XmlAttributes, missedName: string, coveredName: string): Counts {
    const missed = countIn(attributes, missedName, this.toError) ?? 0;
    const covered = countIn(attributes, coveredName, this.toError) ?? 0;
    return { covered, total: missed + covered };
  }

  private requireName(element: string, attributes: XmlAttributes): string {
    const name = attributes.get('name');
    if (name === undefined) throw this.toError(`a ${element} without a name`);
    return name;
  }
}
