import { isNotBlank } from '../upload/upload-body.js';
import { excerpt } from './bounded-list.js';
import type { ParsedContent, ReportDetail, ReportLimits } from './report-format.js';

const NAME_LENGTH = 300;

/** What a bill of materials tells of one component, as far as it does. */
export interface Component {
  /** The namespace of its name, such as `org.slf4j`. */
  readonly group?: string | undefined;
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  /** A package URL, or what else locates it. */
  readonly locator?: string | undefined;
}

/** Counts the components of a document. It is kept for people and for the record; nothing in it is a verdict. */
export class BillOfMaterials {
  private readonly details: ReportDetail[] = [];
  private components = 0;

  constructor(private readonly limits: ReportLimits) {}

  /** One of which nothing is told is none. */
  add({ group, name, version, locator }: Component): void {
    if (![group, name, version, locator].some(isNotBlank)) return;
    this.components += 1;
    if (this.components > this.limits.details) return;
    const fullName = [group, name].filter(Boolean).join('/');
    this.details.push({
      title: excerpt([fullName, version].filter(Boolean).join(' '), NAME_LENGTH),
      location: excerpt(locator ?? '', NAME_LENGTH) || null,
      message: '',
    });
  }

  reading(notes: readonly string[] = []): ParsedContent {
    return {
      measure: { of: 'components', value: { components: this.components } },
      failures: [],
      notes: [...(this.components === 0 ? ['it lists no component'] : []), ...notes],
      details: this.details,
    };
  }
}

/** What is said of vulnerabilities in a bill of materials, which is no scan: it decides nothing. */
export const vulnerabilitiesNoted = (count: number): readonly string[] =>
  count === 0 ? [] : [`${count} vulnerabilities are listed, and decide nothing: only the report of a scan does`];
