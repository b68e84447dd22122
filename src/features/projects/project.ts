import type { Outcome } from '../../domain/release/outcome.js';
import type { Stage } from '../../domain/release/stage.js';

/** What people say of a project. */
export interface ProjectDetails {
  readonly name: string;
  readonly description: string | null;
  /** A day of no particular time zone, as `YYYY-MM-DD`. */
  readonly targetDate: string | null;
}

/** The release that a project awaits of a repository. */
export interface ProjectRelease {
  readonly milestoneId: string;
  readonly version: string;
  readonly stage: Stage;
  /** Null where it is not active: shipped or cancelled. */
  readonly outcome: Outcome | null;
}

/** A repository of a project. */
export interface ProjectRepository {
  readonly repoId: string;
  /** Without its organization. */
  readonly repo: string;
  /** Null as long as nobody has said which, and where its milestone was deleted. */
  readonly release: ProjectRelease | null;
}

/** A project as one person sees it: without what belongs to repositories that they may not read. */
export interface Project extends ProjectDetails {
  readonly id: string;
  readonly org: string;
  /** By name. */
  readonly repos: readonly ProjectRepository[];
  /** The worst of its active releases; null where none is active. */
  readonly outcome: Outcome | null;
  /** Of its active releases. */
  readonly counts: Readonly<Record<'all' | Outcome, number>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
