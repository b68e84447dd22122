import type { Counts } from './coverage.js';
import { CoverageEntry, digest } from './coverage-entry.js';
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

/** The elements that the root may contain (JaCoCo's report.dtd 1.1). */
const ROOT_CHILDREN: ReadonlySet<string> = new Set(['sessioninfo', 'group', 'package', 'counter']);

/**
 * JaCoCo XML (report.dtd 1.1), also of Kover. A line is covered if one of its instructions ran, as JaCoCo counts. The
 * counters of source files, packages, groups and the report count where they are lower.
 */
export const jacoco: ReportFormat = {
  name: 'jacoco',
  title: 'JaCoCo XML',
  defaultKind: 'coverage',

  detect: ({ prolog }) => prolog?.root === 'report' && prolog.attributes.has('name'),

  read: (report: ReportText, limits: ReportLimits): ParsedContent =>
    readXml(report, limits, (toError) => new JacocoVisitor(limits, toError)).result(),
};

/** An open group (module) or package, or the report. Its source files end with it, because classes name their functions. */
interface OpenGroup {
  readonly group: CoverageGroup;
  readonly sources: { readonly name: string; readonly entry: CoverageEntry }[];
  readonly classes: OpenClass[];
}

interface OpenClass {
  readonly name: string;
  /** The digest of the name, which each of its functions repeats. */
  readonly id: string;
  /** Null if the class does not name its source file. */
  readonly source: string | null;
  readonly functions: string[];
  readonly totals: CoverageEntry;
}

class JacocoVisitor implements XmlVisitor {
  private report: CoverageReport | null = null;
  private readonly elements: string[] = [];
  /** The innermost group is last. Two modules may have a file of the same name. */
  private readonly groups: OpenGroup[] = [];
  private openClass: OpenClass | null = null;
  private file: CoverageEntry | null = null;

  constructor(
    private readonly limits: ReportLimits,
    private readonly toError: CreateXmlError,
  ) {}

  open(name: string, attributes: XmlAttributes): void {
    const parent = this.elements.at(-1);
    this.elements.push(name);
    if (this.elements.length === 1) this.beginReport(attributes);
    if (this.elements.length === 2 && !ROOT_CHILDREN.has(name))
      throw this.toError(`<${name}> is not part of a JaCoCo report`);
    if (name === 'group' || name === 'package') this.beginGroup(this.requireName(name, attributes));
    else if (name === 'class') this.beginClass(attributes);
    else if (name === 'method') {
      const { openClass } = this;
      openClass?.functions.push(`${openClass.id} ${attributes.get('name') ?? ''} ${attributes.get('desc') ?? ''}`);
    } else if (name === 'sourcefile') this.beginFile(this.requireName(name, attributes));
    else if (name === 'line') this.line(attributes);
    else if (name === 'counter') this.counter(parent, attributes);
  }

  close(name: string): void {
    this.elements.pop();
    if (name === 'group' || name === 'package') this.endGroup();
    else if (name === 'class') this.openClass = null;
    else if (name === 'sourcefile') this.file = null;
    if (this.elements.length === 0) this.endGroup();
  }

  text(): void {
    // All data is in attributes.
  }

  result(): ParsedContent {
    return (this.report ?? new CoverageReport(this.limits)).result();
  }

  private beginReport(attributes: XmlAttributes): void {
    this.report = new CoverageReport(this.limits, attributes.get('name'));
    this.groups.push({ group: this.report.root, sources: [], classes: [] });
  }

  private beginGroup(name: string): void {
    const parent = this.groups.at(-1)?.group;
    if (parent) this.groups.push({ group: parent.addGroup(name), sources: [], classes: [] });
  }

  private endGroup(): void {
    const open = this.groups.pop();
    if (!open) return;
    const { group, sources, classes } = open;
    const functions = digestFunctions(classes);
    const listed = new Set(sources.map(({ name }) => name));
    for (const { name, entry } of sources) {
      const ofSource = functions.get(name);
      if (ofSource !== undefined) entry.addFunction(ofSource);
      group.addEntry(entry, name);
    }
    // JaCoCo lists no source file for classes that do not name theirs.
    for (const { name, source, totals } of classes) {
      const isListed = source !== null && listed.has(source);
      if (!isListed && totals.totals.lines !== null) group.addEntry(totals, source ?? name);
    }
  }

  private beginClass(attributes: XmlAttributes): void {
    const name = attributes.get('name') ?? '';
    const source = attributes.get('sourcefilename') ?? null;
    this.openClass = { name, id: digest(name), source, functions: [], totals: new CoverageEntry() };
    this.groups.at(-1)?.classes.push(this.openClass);
  }

  private beginFile(name: string): void {
    this.file = new CoverageEntry(true);
    this.groups.at(-1)?.sources.push({ name, entry: this.file });
  }

  /** `mi` and `ci` are missed and covered instructions, `mb` and `cb` branches. */
  private line(attributes: XmlAttributes): void {
    if (this.file === null) throw this.toError('a line outside of a source file');
    const line = requiredCountIn(attributes, 'nr', this.toError);
    const instructions = this.parseCounts(attributes, 'mi', 'ci');
    const branches = this.parseCounts(attributes, 'mb', 'cb');
    if (instructions.total > 0) this.file.addLine(line, instructions.covered > 0);
    if (branches.total === 0) return;
    const isContradiction = attributes.has('ci') && instructions.covered === 0 && branches.covered > 0;
    if (isContradiction) this.note(`line ${line} was not hit, but its branches were`);
    this.file.addBranches(line, isContradiction ? { ...branches, covered: 0 } : branches);
  }

  private counter(parent: string | undefined, attributes: XmlAttributes): void {
    const counts = this.parseCounts(attributes, 'missed', 'covered');
    const type = attributes.get('type');
    if (type !== 'LINE' && type !== 'BRANCH') return;
    const of = type === 'LINE' ? 'lines' : 'branches';
    if (parent === 'sourcefile') this.file?.state(of, counts);
    else if (parent === 'class') this.openClass?.totals.state(of, counts);
    else if (parent === 'report' || parent === 'group' || parent === 'package')
      this.groups.at(-1)?.group.state(of, counts);
  }

  private note(note: string): void {
    const open = this.groups.at(-1);
    this.report?.addNote(`${open?.group.path ?? ''}${open?.sources.at(-1)?.name ?? ''}`, note);
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

/** Returns the digest of the functions of each source file, because a group may list a file many times. */
function digestFunctions(classes: readonly OpenClass[]): ReadonlyMap<string, string> {
  const functions = new Map<string, Set<string>>();
  for (const { source, functions: own } of classes) {
    if (source === null) continue;
    const known = functions.get(source) ?? new Set();
    functions.set(source, known);
    for (const name of own) known.add(name);
  }
  return new Map([...functions].map(([source, names]) => [source, digest(...[...names].sort())]));
}
