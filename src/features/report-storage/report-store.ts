import type { OrgId } from '../../database/ids.js';
import type { Pieces } from '../../http/body/piece-gatherer.js';

/** Token under which the store is injected that takes new content. */
export const REPORT_STORE = Symbol('report store');

/** The bytes of a report and their digest, by which they are found again. */
export interface ReportContent {
  readonly sha256: string;
  readonly pieces: Pieces;
}

/** Where content lies: in the rows that speak of it, or at an address that its row names. */
export type Placement = { readonly pieces: Pieces } | { readonly location: string };

/** Keeps the content of reports, each once a workspace. */
export interface ReportStore {
  /**
   * Sees to it that the content is where it will be read, before any row speaks of it: an upload that comes to nothing
   * afterwards leaves at most an object that no row names.
   * @throws DomainError `unavailable` where the store cannot be reached.
   */
  place(orgId: OrgId, content: ReportContent): Promise<Placement>;
}
