import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import { JobHandler } from '../../jobs/job-handlers.js';
import type { JobPayload } from '../../jobs/job.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { RepositoriesRepository } from '../../workspaces/repositories.repository.js';
import { StorageQuotaService } from '../evidence/storage/storage-quota.service.js';
import { ReleasesQueries } from '../releases/records/releases.queries.js';
import { ArtifactsMetrics } from './artifacts.metrics.js';
import { ArtifactsRepository, MAX_BUNDLES, type NewBundle, type StatedArtifact } from './artifacts.repository.js';
import { BundleVerificationService, type VerifiedBundle } from './bundle-verification.service.js';
import { FoundBundlesService } from './found-bundles.service.js';

/** The pauses before the next search, in seconds: within an hour. A build may attest its artifact after it stated it. */
const PAUSES = [60, 240, 900, 2_400] as const;

/** Verifies uploaded bundles, and looks for bundles at GitHub. */
@Injectable()
export class ArtifactVerificationJobs {
  constructor(
    private readonly database: Database,
    private readonly artifacts: ArtifactsRepository,
    private readonly verification: BundleVerificationService,
    private readonly found: FoundBundlesService,
    private readonly repositories: RepositoriesRepository,
    private readonly releases: ReleasesQueries,
    private readonly quota: StorageQuotaService,
    private readonly jobs: JobsService,
    private readonly metrics: ArtifactsMetrics,
    private readonly clock: Clock,
  ) {}

  /** Verifies the bundles that are pending or invalid, and evaluates the release again. Bundles that are verified stay so. */
  @JobHandler('verify-artifact')
  async verify({ orgId, artifactId }: JobPayload<'verify-artifact'>): Promise<void> {
    const unverified = await this.database.inTenant(orgId, async (tx) => {
      const target = await this.verification.findArtifact(tx, artifactId);
      const bundles = await this.artifacts.listUnverified(tx, artifactId);
      return target !== null && bundles.length > 0 ? { target, bundles } : null;
    });
    if (!unverified) return;
    const { target, bundles } = unverified;
    const results = this.verification.verify(bundles, target);
    await this.database.inTenant(orgId, (tx) => this.verification.save(tx, artifactId, target.artifact, results));
  }

  /**
   * Looks for the bundles that GitHub holds of the digest, and stores them with their results. Searches again while the artifact has none. A
   * search that fails is retried, and changes nothing.
   */
  @JobHandler('find-attestations')
  async search({ orgId, artifactId, round = 0 }: JobPayload<'find-attestations'>): Promise<void> {
    const wanted = await this.database.inTenant(orgId, async (tx) => {
      const target = await this.verification.findArtifact(tx, artifactId);
      const repository = target && (await this.repositories.find(tx, target.artifact.repositoryId));
      const known = await this.artifacts.listBundles(tx, artifactId);
      return target && repository?.ref ? { target, ref: repository.ref, known } : null;
    });
    if (!wanted) return;
    const { target, ref, known } = wanted;
    const found = await this.counted(() => this.found.find(ref, target.artifact.digest));
    if (found === null) return;
    const stored = known.map(parse);
    const bundles = found.filter((one) => !stored.some((other) => isDeepStrictEqual(parse(one), other)));
    // Verified before they are stored, so that an open gate is not closed by a bundle that is pending.
    const results = this.verification.verify(bundles, target);
    await this.database.inTenant(orgId, async (tx) => {
      // After a release has shipped, nothing changes what counted for it.
      if ((await this.releases.lockStatus(tx, target.artifact.releaseId)) !== 'live') return;
      await this.saveFound(tx, artifactId, target.artifact, { bundles, results });
      const pause = PAUSES[round];
      if (known.length > 0 || bundles.length > 0 || pause === undefined) return;
      const next = { orgId, artifactId, round: round + 1 };
      await this.jobs.enqueue(tx, 'find-attestations', next, { delaySeconds: pause });
    });
  }

  /** Stores as many as the release can still have. */
  private async saveFound(
    tx: TenantTransaction,
    artifactId: string,
    artifact: StatedArtifact,
    { bundles, results }: { readonly bundles: readonly NewBundle[]; readonly results: readonly VerifiedBundle[] },
  ): Promise<void> {
    const { bundles: count } = await this.artifacts.countOfRelease(tx, artifact.releaseId);
    const added = new Map<string, NewBundle>();
    for (const bundle of bundles) {
      if (count + added.size >= MAX_BUNDLES) break;
      const outcome = await this.artifacts.addBundle(tx, artifactId, bundle, this.clock.now());
      if (outcome === 'created') added.set(bundle.sha256, bundle);
    }
    if (added.size === 0) return;
    await this.verification.save(
      tx,
      artifactId,
      artifact,
      results.filter(({ sha256 }) => added.has(sha256)),
    );
    await this.quota.count(
      tx,
      [...added.values()].reduce((sum, { bytes }) => sum + bytes.length, 0),
    );
  }

  private async counted(find: () => Promise<readonly NewBundle[] | null>): Promise<readonly NewBundle[] | null> {
    try {
      const found = await find();
      const outcome = found === null ? 'not_permitted' : found.length > 0 ? 'found' : 'none';
      this.metrics.searches.inc({ outcome });
      return found;
    } catch (error) {
      this.metrics.searches.inc({ outcome: 'failed' });
      throw error;
    }
  }
}

/** Two bundles are compared by their members, because GitHub may return those of an uploaded one in another order. */
const parse = ({ bytes }: NewBundle): unknown => JSON.parse(bytes.toString());
