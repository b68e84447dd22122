import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { OrgId } from '../../database/ids.js';
import { Clock } from '../../clock/clock.js';
import { Database, type TenantTx } from '../../database/database.js';
import { isReleaseVersion } from '../../domain/policy/release-version.js';
import { DEFAULT_POLICY } from '../../domain/policy/default-policy.js';
import type { ReleaseNamingFormat } from '../../domain/policy/policy.js';
import type { MilestoneFact, Observation } from '../../domain/release/facts.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import type { Observed } from '../../github/observed.js';
import { Jobs } from '../../jobs/jobs.js';
import { ObservationsReader } from '../observations/observations.reader.js';
import { ObservationsRecorder } from '../observations/observations.recorder.js';
import type { GovernedRepository } from '../repos/governed-repository.js';
import { ReposReader } from '../repos/repos.reader.js';
import { MilestonesRepository } from './milestones.repository.js';
import { RecentMisses } from './recent-misses.js';

/** Makes releases of milestones: a release is never made by anything else. */
@Injectable()
export class ReleaseDiscovery {
  private readonly misses: RecentMisses;

  constructor(
    private readonly database: Database,
    private readonly milestones: MilestonesRepository,
    private readonly observations: ObservationsReader,
    private readonly recorder: ObservationsRecorder,
    private readonly repos: ReposReader,
    private readonly github: GitHubGateway,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {
    this.misses = new RecentMisses(clock);
  }

  /**
   * Looks once at the host for a version that is not known here; true where there is a release of it now. A version
   * that the host does not know either is not looked up again for a minute.
   */
  async lookFor(orgId: OrgId, repositoryId: string, version: string): Promise<boolean> {
    const question = `${orgId}/${repositoryId}/${version}`;
    if (this.misses.has(question)) return false;
    const repository = await this.database.inTenant(orgId, (tx) => this.repos.find(tx, repositoryId));
    if (!repository?.ref) return false;
    await this.discover(orgId, repository);
    const found = await this.database.inTenant(orgId, (tx) => this.milestones.knows(tx, repositoryId, version));
    if (!found) this.misses.add(question);
    return found;
  }

  /** Brings the releases of a repository in line with all of its milestones. */
  async discover(orgId: OrgId, repository: GovernedRepository): Promise<void> {
    if (!repository.ref) return;
    const observed = await this.github.milestones.list(repository.ref);
    await this.database.inTenant(orgId, async (tx) => {
      for (const milestone of observed.value) await this.take(tx, repository.id, { ...observed, value: milestone });
      const missing = await this.milestones.listMissing(
        tx,
        repository.id,
        observed.value.map(({ githubId }) => githubId),
        observed.observedAt,
      );
      for (const gone of missing) await this.forget(tx, repository.id, gone, observed.observedAt);
    });
  }

  /** The same for one milestone. */
  async discoverOne(orgId: OrgId, repository: GovernedRepository, number: number): Promise<void> {
    if (!repository.ref) return;
    const { value: milestone, observedAt } = await this.github.milestones.find(repository.ref, number);
    await this.database.inTenant(orgId, async (tx) => {
      if (milestone) return this.take(tx, repository.id, { value: milestone, observedAt });
      const releaseId = await this.milestones.findByNumber(tx, repository.id, number);
      if (releaseId !== null) await this.forget(tx, repository.id, { releaseId, number }, observedAt);
    });
  }

  /** Brings the release of one milestone in line with it, or makes it, or notes why there is none. */
  async take(
    tx: TenantTx,
    repositoryId: string,
    { value: milestone, observedAt }: Observed<MilestoneFact>,
  ): Promise<void> {
    const now = this.clock.now();
    await this.recorder.record(tx, repositoryId, [asObservation(milestone.number, milestone, observedAt)]);
    const known = await this.milestones.find(tx, repositoryId, milestone.githubId);
    if (known) {
      // A release that has a candidate keeps its version: its evidence speaks of that one.
      const rename = known.candidateSha === null && (await this.isVersion(tx, repositoryId, milestone.title));
      await this.milestones.update(tx, known.id, milestone, rename ? milestone.title : known.version, now);
      await this.askForRefresh(tx, known.id, 'milestone');
      return;
    }
    const reason = await this.whyIgnored(tx, repositoryId, milestone);
    if (reason !== null) {
      await this.milestones.ignore(tx, repositoryId, milestone, reason, now);
      return;
    }
    const releaseId = randomUUID();
    if (await this.milestones.create(tx, releaseId, repositoryId, milestone, now)) {
      await this.askForRefresh(tx, releaseId, 'milestone created');
    }
  }

  /** Notes that the host has the milestone no more; the release is cancelled when it is thought over. */
  private async forget(
    tx: TenantTx,
    repositoryId: string,
    { releaseId, number }: { readonly releaseId: string; readonly number: number },
    observedAt: Date,
  ): Promise<void> {
    await this.recorder.record(tx, repositoryId, [asObservation(number, null, observedAt)]);
    await this.askForRefresh(tx, releaseId, 'milestone deleted');
  }

  private async askForRefresh(tx: TenantTx, releaseId: string, cause: string): Promise<void> {
    await this.jobs.add(tx, 'refresh-release', { orgId: tx.orgId, releaseId, cause }, { key: `refresh:${releaseId}` });
  }

  private async whyIgnored(
    tx: TenantTx,
    repositoryId: string,
    { title, state }: MilestoneFact,
  ): Promise<string | null> {
    const format = await this.namingOf(tx, repositoryId);
    if (!isReleaseVersion(title, format)) return `"${title}" is not a version under the release naming "${format}".`;
    if (state === 'closed') return 'It was closed already when it was first seen.';
    if (await this.milestones.knows(tx, repositoryId, title))
      return `Another milestone is the release ${title} already.`;
    return null;
  }

  private async isVersion(tx: TenantTx, repositoryId: string, title: string): Promise<boolean> {
    if (!isReleaseVersion(title, await this.namingOf(tx, repositoryId))) return false;
    return !(await this.milestones.knows(tx, repositoryId, title));
  }

  private async namingOf(tx: TenantTx, repositoryId: string): Promise<ReleaseNamingFormat> {
    const [observation] = await this.observations.list(tx, repositoryId, [{ kind: 'policy', key: '' }]);
    const state = (observation as Observation<'policy'> | undefined)?.value;
    return state?.status === 'valid' ? state.policy.releaseNaming : DEFAULT_POLICY.releaseNaming;
  }
}

const asObservation = (number: number, value: MilestoneFact | null, observedAt: Date): Observation<'milestone'> => ({
  kind: 'milestone',
  key: String(number),
  value,
  observedAt,
});
