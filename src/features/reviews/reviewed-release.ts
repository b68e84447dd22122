import type { Observation } from '../../domain/facts/facts.js';

/** What is stored of a release, as far as its review goes. */
export interface ReviewedRelease {
  readonly id: string;
  readonly repositoryId: string;
  readonly org: string;
  readonly repo: string;
  readonly version: string;
  readonly milestoneUrl: string;
  readonly updatedAt: Date;
  /** It waits for approvals. */
  readonly isPending: boolean;
  /** How it came to its end; null while it has not. */
  readonly ending: 'shipped' | 'cancelled' | null;
  /** The latest evidence pull request, and what was observed of it last; null before the first. */
  readonly pull: {
    readonly number: number;
    readonly url: string;
    readonly observation: Observation<'pull'> | null;
  } | null;
  /** Who wrote the candidate; null where that is not known. */
  readonly authorIds: readonly number[] | null;
  /** Until when its verdict holds, and with it who the authors are; the distant past where it was doubted. */
  readonly validUntil: Date | number;
  /** Null where they were not asked for; no live answer rests on a release without them. */
  readonly branches: CandidateBranches | null;
}

/** The branches that a release's candidate was found by. */
export interface CandidateBranches {
  /** As facts are called. */
  readonly prefixes: readonly string[];
  /** When the one of these that was read longest ago was read; null where none was. */
  readonly seenAt: Date | null;
}
