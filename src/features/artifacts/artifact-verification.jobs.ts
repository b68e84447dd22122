import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import { findIdentityProblem, toProvenance } from '../../domain/artifact/provenance.js';
import { EventsRepository } from '../../events/events.repository.js';
import { JobHandler } from '../../jobs/job-handlers.js';
import type { JobPayload } from '../../jobs/job.js';
import { verifyBundle } from '../../provenance/provenance-bundle.js';
import type { TrustRoot } from '../../provenance/trusted-root.js';
import { AuditLogService } from '../audit/audit-log.service.js';
import { ReleaseEvaluationService } from '../releases/evaluation/release-evaluation.service.js';
import { ObservationsRepository } from '../releases/facts/observations.repository.js';
import { ArtifactsRepository, type BundleVerification, type UnverifiedArtifact } from './artifacts.repository.js';

/** The trusted roots of this process. */
export const TRUST_ROOTS = Symbol('trust roots');

/** Verifies provenance bundles. Never in a request, because a verification blocks the process for up to 0.3 s. */
@Injectable()
export class ArtifactVerificationJobs {
  constructor(
    private readonly database: Database,
    private readonly artifacts: ArtifactsRepository,
    private readonly observations: ObservationsRepository,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly events: EventsRepository,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
    @Inject(TRUST_ROOTS) private readonly roots: readonly TrustRoot[],
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Verifies the bundles that are pending or invalid, and evaluates the release again. Bundles that are verified stay so. */
  @JobHandler('verify-artifact')
  async verify({ orgId, artifactId }: JobPayload<'verify-artifact'>): Promise<void> {
    const found = await this.database.inTenant(orgId, async (tx) => {
      const artifact = await this.artifacts.findUnverified(tx, artifactId);
      return artifact && { artifact, evidenceEvents: await this.evidenceEvents(tx, artifact.repositoryId) };
    });
    if (!found) return;
    const { artifact, evidenceEvents } = found;
    const results = artifact.bundles.map(({ sha256, bytes }) => ({
      sha256,
      result: this.verifyOne(bytes, artifact, evidenceEvents),
    }));
    await this.database.inTenant(orgId, (tx) => this.save(tx, artifactId, artifact, results));
  }

  private verifyOne(
    bytes: Buffer,
    artifact: UnverifiedArtifact,
    evidenceEvents: readonly string[],
  ): BundleVerification {
    const checked = verifyBundle(bytes, artifact.digest, this.roots);
    if (checked.status === 'invalid') return checked;
    const { oidcIssuer: issuer } = this.environment;
    const expected = { issuer, repositoryId: artifact.repositoryGithubId, evidenceEvents };
    const problem = findIdentityProblem(checked.identity, expected);
    const provenance = toProvenance(checked.identity);
    if (problem !== null || provenance === null) return { status: 'invalid', reason: problem ?? 'It names no build.' };
    return { status: 'verified', provenance };
  }

  private async save(
    tx: TenantTransaction,
    artifactId: string,
    { releaseId, repositoryId, name, digest }: UnverifiedArtifact,
    results: readonly { readonly sha256: string; readonly result: BundleVerification }[],
  ): Promise<void> {
    const now = this.clock.now();
    for (const { sha256, result } of results)
      await this.artifacts.saveVerification(tx, artifactId, sha256, result, now);
    const binding = await this.artifacts.writeBinding(tx, artifactId);
    await this.events.append(tx, { type: 'artifact.updated', repositoryId, milestoneId: releaseId });
    await this.evaluations.evaluateAndSave(tx, releaseId, { cause: 'artifact', actor: 'service' });
    await this.audit.append(tx, {
      actor: { type: 'service' },
      action: 'artifact.verified',
      subject: `${name}@${digest}`,
      data: {
        artifactId,
        milestoneId: releaseId,
        repositoryId,
        binding,
        bundles: results.map(({ sha256, result }) => ({ sha256, status: result.status })),
      },
      repositoryIds: [repositoryId],
    });
  }

  private async evidenceEvents(tx: TenantTransaction, repositoryId: string): Promise<readonly string[]> {
    return (await this.observations.find(tx, repositoryId))?.evidenceEvents ?? [];
  }
}
