import { excerpt } from './bounded-list.js';
import type { ParsedContent, ReportDetail, ReportLimits } from './report-format.js';

const NAME_LENGTH = 300;

/** A component of a bill of materials. A missing member is unknown. */
export interface Component {
  /** The namespace of its name, such as `org.slf4j`. */
  readonly group?: string | undefined;
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  /** A package URL, or another locator. */
  readonly locator?: string | undefined;
}

/** A visible character: not blank, ignorable or a control by Unicode, and not the replacement of an invalid byte. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\uFFFD]/u;

/** Returns whether the value contains, at any depth, a text with a visible character, a number or a boolean. */
export function isNotBlank(value: unknown): boolean {
  if (typeof value === 'string') return VISIBLE.test(value);
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isNotBlank);
  return typeof value === 'number' || typeof value === 'boolean';
}

/** Counts and lists the components of a document. A verdict uses only their number. */
export class BillOfMaterials {
  private readonly details: ReportDetail[] = [];
  private components = 0;

  constructor(private readonly limits: ReportLimits) {}

  /** Adds a component. Ignores one without any content. */
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

  result(notes: readonly string[] = []): ParsedContent {
    return {
      measure: { of: 'components', value: { components: this.components } },
      failures: [],
      notes: [...(this.components === 0 ? ['it lists no component'] : []), ...notes],
      details: this.details,
    };
  }
}

/** Returns the note on vulnerabilities in a bill of materials. They do not count, because it is not a scan. */
export const vulnerabilityNotes = (count: number): readonly string[] =>
  count === 0 ? [] : [`${count} listed vulnerabilities do not count: only the report of a scan counts`];
