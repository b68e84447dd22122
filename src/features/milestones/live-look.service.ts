import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { GitHubError } from '../../github/github-error.js';
import { SharedWork } from '../../github/shared-work.js';
import { ReleaseRefresh, type RefreshResult } from '../releases/release-refresh.service.js';
import { ReposReader } from '../repos/repos.reader.js';
import { LiveFacts } from './live-facts.reader.js';

/** How long a person waits for GitHub, in milliseconds: as long as the deploy gate does. */
const DEADLINE_MS = 3_000;
/** What was observed a moment ago is not asked for again: ten people at one screen are one question. */
const MOMENT_MS = 5_000;

/** Whether all that a release rests on was read just now, and where it was not, why. */
export interface Verification {
  readonly status: 'verified' | 'unknown';
  /** A sentence; null where it was verified. */
  readonly reason: string | null;
  /** False while no installation of the app reaches the repository: then nothing was asked. */
  readonly isReached: boolean;
}

/** Reads a release from GitHub while somebody waits for it. */
@Injectable()
export class LiveLook {
  readonly #looks = new SharedWork<RefreshResult>();

  constructor(
    private readonly database: Database,
    private readonly facts: LiveFacts,
    private readonly refresh: ReleaseRefresh,
    private readonly repos: ReposReader,
    private readonly clock: Clock,
  ) {}

  /** Shared by all who ask for the same release at once. It goes on after the deadline, and what comes of it is kept. */
  async look(orgId: OrgId, releaseId: string): Promise<Verification> {
    const isReached = await this.database.inTenant(
      orgId,
      async (tx) => ((await this.repos.findByRelease(tx, releaseId))?.ref ?? null) !== null,
    );
    if (!isReached) return { ...unknown('The app is not installed for the repository, or suspended.'), isReached };
    try {
      const read = this.#looks.of(
        `${orgId}/${releaseId}`,
        () => this.read(orgId, releaseId, 'live look'),
        AbortSignal.timeout(DEADLINE_MS),
      );
      return verificationOf((await read).failures);
    } catch (error) {
      if (GitHubError.is(error, 'timeout'))
        return unknown(`GitHub did not tell all of it within ${DEADLINE_MS / 1000} seconds.`);
      throw error;
    }
  }

  /** The same for a job, which is tried again where GitHub does not answer. */
  async lookOrFail(orgId: OrgId, releaseId: string, cause: string): Promise<void> {
    const { failures } = await this.read(orgId, releaseId, cause);
    const passing = failures.find(({ isPassing }) => isPassing);
    if (passing) throw passing;
  }

  private async read(orgId: OrgId, releaseId: string, cause: string): Promise<RefreshResult> {
    const before = new Date(this.clock.now().getTime() - MOMENT_MS);
    const hints = await this.database.inTenant(orgId, (tx) => this.facts.listSeenBefore(tx, releaseId, before));
    return this.refresh.refresh(orgId, releaseId, { cause, actor: 'service' }, { hints });
  }
}

function verificationOf(failures: readonly GitHubError[]): Verification {
  if (failures.length === 0) return { status: 'verified', reason: null, isReached: true };
  return failures.some(({ isPassing }) => isPassing)
    ? unknown('GitHub does not answer now: what it said before may be out of date.')
    : unknown('GitHub does not let the app read all that the release rests on.');
}

const unknown = (reason: string): Verification => ({ status: 'unknown', reason, isReached: true });
