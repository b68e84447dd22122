import type { EvidenceKind } from '../../domain/evidence/evidence.js';

/** Which release groups are asked for; null is any. A group has to have a result of both type and environment. */
export interface QualityFilter {
  /** The organization's login, in any case. */
  readonly owner: string | null;
  /** The repository's name without its organization, in any case. */
  readonly repo: string | null;
  /** The version, exactly. */
  readonly milestone: string | null;
  readonly type: EvidenceKind | null;
  /** Exactly. */
  readonly environment: string | null;
}
