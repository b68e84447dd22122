import { BillOfMaterials, type Component } from './bill-of-materials.js';
import { excerpt } from './excerpt.js';
import { ReportError } from './report-error.js';
import type { Reading, ReportLimits } from './report-format.js';
import type { ReportBeginning, ReportText } from './report-text.js';

const VERSION = /^SPDX-2\.[23]$/;
const COMMENT_OR_SPACE = /\s+|#[^\n]*/y;
const FIRST_TAG = 'SPDXVersion:';
const TAG = /^([A-Za-z][A-Za-z0-9]*):(.*)$/s;
const PACKAGE_URL = /^PACKAGE[-_]MANAGER\s+purl\s+(\S+)$/;
const LINE_LENGTH = 300;

export function isSpdxTagValue({ text }: ReportBeginning): boolean {
  let at = 0;
  for (COMMENT_OR_SPACE.lastIndex = 0; COMMENT_OR_SPACE.test(text); at = COMMENT_OR_SPACE.lastIndex);
  return text.startsWith(FIRST_TAG, at);
}

/** One `Tag: value` a line (SPDX 2.3, § 6 and 7); a value between `<text>` and `</text>` may span lines. */
export function readSpdxTagValue(report: ReportText, limits: ReportLimits): Reading {
  return new TagValueReader(report, limits).read();
}

class TagValueReader {
  private readonly bill: BillOfMaterials;
  private component: { -readonly [K in keyof Component]: Component[K] } | null = null;
  private lineNumber = 0;
  private isInText = false;

  constructor(
    private readonly report: ReportText,
    limits: ReportLimits,
  ) {
    this.bill = new BillOfMaterials(limits);
  }

  read(): Reading {
    const { text } = this.report;
    for (let at = 0; at < text.length;) {
      const newline = text.indexOf('\n', at);
      const end = newline === -1 ? text.length : newline;
      this.lineNumber += 1;
      this.line(text.slice(at, end).trim());
      at = end + 1;
    }
    if (this.isInText) throw this.error('a <text> is not closed');
    this.endComponent();
    return this.bill.reading();
  }

  private line(line: string): void {
    if (this.isInText) {
      this.isInText = !line.includes('</text>');
      return;
    }
    if (line === '' || line.startsWith('#')) return;
    const [, tag, value] = TAG.exec(line) ?? [];
    if (tag === undefined || value === undefined) throw this.error(`"${line}" is no tag with a value`);
    this.isInText = value.includes('<text>') && !value.includes('</text>');
    this.tag(tag, value.trim());
  }

  private tag(tag: string, value: string): void {
    if (tag === 'SPDXVersion' && !VERSION.test(value)) throw this.error('SPDX-2.2 or SPDX-2.3 is expected');
    if (tag === 'PackageName') {
      this.endComponent();
      this.component = { name: value };
    } else if (this.component !== null) {
      if (tag === 'PackageVersion') this.component.version = value;
      else if (tag === 'ExternalRef') this.component.locator ??= PACKAGE_URL.exec(value)?.[1];
    }
  }

  private endComponent(): void {
    if (this.component !== null) this.bill.add(this.component);
    this.component = null;
  }

  private error(reason: string): ReportError {
    return new ReportError(this.report.file, this.lineNumber, null, excerpt(reason, LINE_LENGTH));
  }
}
