import type { OrgId } from '../../../database/ids.js';
import type { Blocks } from '../../../http/body/byte-blocks.js';

/** Token under which the store is injected that takes new content. */
export const REPORT_STORE = Symbol('report store');

/** The bytes of a report and their digest, by which they are found again. */
export interface ReportContent {
  readonly sha256: string;
  readonly blocks: Blocks;
}

/** Content as the rows of the database hold it. */
export interface DatabaseContent {
  /** The first megabyte, or all of what is smaller, as it is. */
  readonly bytes: Uint8Array;
  /** What follows, a megabyte each and deflated by itself (RFC 1951). */
  readonly deflated: readonly Uint8Array[];
}

/** Where content lies: in the rows that speak of it, or at an address that its row names. */
export type ContentLocation = DatabaseContent | { readonly location: string };

/** Keeps the content of reports, each once a workspace. */
export interface ReportStore {
  /**
   * Sees to it that the content is where it will be read, before any row speaks of it: an upload that comes to nothing
   * afterwards leaves at most an object that no row names.
   * @throws DomainError `unavailable` where the store cannot be reached.
   */
  store(orgId: OrgId, content: ReportContent): Promise<ContentLocation>;
}
