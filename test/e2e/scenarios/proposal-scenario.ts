import { expect } from '@jest/globals';
import type { Sha } from '../../github-sim/git/git-object.js';
import type { CheckRun } from '../../github-sim/state/check-runs.js';
import type { Pull } from '../../github-sim/state/pull.js';
import type { User } from '../../github-sim/state/user.js';
import { RepositoryScenario } from './repository-scenario.js';

interface ProposalSpec {
  readonly branch: string;
  readonly files: Readonly<Record<string, string | null>>;
  readonly author?: User;
  readonly base?: string;
  readonly title?: string;
}

/** A repository with pull requests, and the results of the merge check on them. */
export class ProposalScenario extends RepositoryScenario {
  async propose({ branch, files, author, base, title = branch }: ProposalSpec): Promise<Pull> {
    const by = author === undefined ? {} : { author };
    this.repository.commit({ branch, files, ...by });
    const pull = this.repository.pulls.open({ head: branch, title, ...(base === undefined ? {} : { base }), ...by });
    await this.env.waitUntilIdle();
    return pull;
  }

  checksAt(sha: Sha): readonly CheckRun[] {
    return this.repository.checkRuns.ofCommit(sha, 'all').filter(({ name }) => name === 'Shipgate');
  }

  /** The only check run. */
  checkAt(sha: Sha): { readonly conclusion: unknown; readonly title: unknown; readonly summary: string } {
    const [run, ...others] = this.checksAt(sha);
    expect(others.length).toBe(0);
    return { conclusion: run?.conclusion, title: run?.output.title, summary: run?.output.summary ?? '' };
  }
}
