import type { Sha } from '../facts/facts.js';
import { ENFORCE_WORKFLOW, POLICY_FILE } from './managed-files.js';

/** A file that a bootstrap would put into a repository. */
export interface WantedFile {
  readonly path: string;
  readonly content: string;
  readonly blobSha: Sha;
}

/** A file that lies at a wanted path already. */
export interface PresentFile {
  readonly blobSha: Sha;
  /** Whether it is, to the byte, what the service published at this path once. */
  readonly published: boolean;
}

/** What a bootstrap does to each of its paths. */
export interface BootstrapPlan {
  readonly write: readonly WantedFile[];
  /** Paths at which a file of the repository's own stays. */
  readonly kept: readonly string[];
  /** Paths at which a file of the repository's own gives way. */
  readonly replaced: readonly string[];
}

/** Leaves alone what is the repository's own: its rules, its guide, and a CI workflow that somebody wrote themselves. */
export function planBootstrap(wanted: readonly WantedFile[], present: ReadonlyMap<string, PresentFile>): BootstrapPlan {
  const write: WantedFile[] = [];
  const kept: string[] = [];
  const replaced: string[] = [];
  for (const file of wanted) {
    const found = present.get(file.path);
    if (found?.blobSha === file.blobSha) continue;
    if (found && !givesWay(file.path, found)) {
      kept.push(file.path);
      continue;
    }
    write.push(file);
    if (found && !found.published) replaced.push(file.path);
  }
  return { write, kept, replaced };
}

/** Without the enforcement workflow nothing governs, so nobody else's file stays at its path. */
const givesWay = (path: string, { published }: PresentFile): boolean =>
  path !== POLICY_FILE && (published || path === ENFORCE_WORKFLOW);
