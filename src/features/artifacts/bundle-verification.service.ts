import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import type { TenantTransaction } from '../../database/database.js';
import { findIdentityProblem, toProvenance } from '../../domain/artifact/provenance.js';
import { EventsRepository } from '../../events/events.repository.js';
import { verifyBundle } from '../../provenance/provenance-bundle.js';
import type { TrustRoot } from '../../provenance/trusted-root.js';
import { AuditLogService } from '../audit/audit-log.service.js';
import { ReleaseEvaluationService } from '../releases/evaluation/release-evaluation.service.js';
import { ObservationsRepository } from '../releases/facts/observations.repository.js';
import { ArtifactsMetrics } from './artifacts.metrics.js';
import {
  ArtifactsRepository,
  type BundleVerification,
  type NewBundle,
  type StatedArtifact,
} from './artifacts.repository.js';

/** The trusted roots of this process. */
export const TRUST_ROOTS = Symbol('trust roots');

/** An artifact, and the events that its repository lets prove it. */
export interface VerifiableArtifact {
  readonly artifact: StatedArtifact;
  readonly evidenceEvents: readonly string[];
}

export interface VerifiedBundle {
  readonly sha256: string;
  readonly result: BundleVerification;
}

/** Verifies provenance bundles. Only jobs call it, because a verification blocks the process for up to 0.3 s. */
@Injectable()
export class BundleVerificationService {
  constructor(
    private readonly artifacts: ArtifactsRepository,
    private readonly observations: ObservationsRepository,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly events: EventsRepository,
    private readonly audit: AuditLogService,
    private readonly metrics: ArtifactsMetrics,
    private readonly clock: Clock,
    @Inject(TRUST_ROOTS) private readonly roots: readonly TrustRoot[],
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Returns null if there is no such artifact. */
  async findArtifact(tx: TenantTransaction, artifactId: string): Promise<VerifiableArtifact | null> {
    const artifact = await this.artifacts.find(tx, artifactId);
    if (artifact === null) return null;
    const policy = await this.observations.find(tx, artifact.repositoryId);
    return { artifact, evidenceEvents: policy?.evidenceEvents ?? [] };
  }

  verify(bundles: readonly NewBundle[], { artifact, evidenceEvents }: VerifiableArtifact): readonly VerifiedBundle[] {
    return bundles.map(({ sha256, bytes }) => {
      const result = this.verifyOne(bytes, artifact, evidenceEvents);
      this.metrics.verifications.inc({ outcome: result.status });
      return { sha256, result };
    });
  }

  private verifyOne(bytes: Buffer, artifact: StatedArtifact, evidenceEvents: readonly string[]): BundleVerification {
    const checked = verifyBundle(bytes, artifact.digest, this.roots);
    if (checked.status === 'invalid') return checked;
    const { oidcIssuer: issuer } = this.environment;
    const expected = { issuer, repositoryId: artifact.repositoryGithubId, evidenceEvents };
    const problem = findIdentityProblem(checked.identity, expected);
    const provenance = toProvenance(checked.identity);
    if (problem !== null || provenance === null) return { status: 'invalid', reason: problem ?? 'It names no build.' };
    return { status: 'verified', provenance };
  }

  /** Saves the results of bundles that are stored, and evaluates the release again. */
  async save(
    tx: TenantTransaction,
    artifactId: string,
    { releaseId, repositoryId, name, digest }: StatedArtifact,
    results: readonly VerifiedBundle[],
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
}
