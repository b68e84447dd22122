import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { sha256 } from '../../../crypto/digests.js';
import type { TenantTransaction } from '../../../database/database.js';
import type { Artifact } from '../../../domain/artifact/artifact.js';
import type { RunCoverage } from '../../../domain/evidence/run-coverage.js';
import { factId, parseFactId, factExpiresAt, type FactKey, type Observation } from '../../../domain/facts/facts.js';
import { evaluate, type Verdict, type VerdictInputs } from '../../../domain/release/evaluate.js';
import type { ReportedChange } from '../../../domain/release/environment-soak.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { traced } from '../../../observability/tracing.js';
import { ObservationsRepository } from '../facts/observations.repository.js';
import type { StoredRelease } from '../records/releases.repository.js';
import { CompletedSoaksRepository } from './completed-soaks.repository.js';
import { VerdictInputsQueries } from './verdict-inputs.queries.js';

/** A verdict, its inputs, and the facts that it lacks. */
export interface DerivedVerdict {
  readonly verdict: Verdict;
  readonly inputs: VerdictInputs;
  /** The facts of the verdict that were never read or are stale. */
  readonly missingFacts: readonly FactKey[];
}

/** Derives the verdict of a release from stored facts. It writes nothing. */
@Injectable()
export class VerdictService {
  constructor(
    private readonly inputs: VerdictInputsQueries,
    private readonly observations: ObservationsRepository,
    private readonly soaks: CompletedSoaksRepository,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * Loads facts until the verdict needs no more that are stored. The supposed observations replace stored ones, so that a
   * hypothetical verdict can be derived. Throws `unavailable` while the time is not certain: a freeze could seem to have ended, and
   * the gate would open.
   */
  async derive(
    tx: TenantTransaction,
    release: StoredRelease,
    hypotheticalFacts: readonly Observation[] = [],
  ): Promise<DerivedVerdict> {
    const span = { name: 'evaluate release', kind: 'internal', attributes: { release: release.id } } as const;
    return traced(span, async (describe) => {
      const derived = await this.deriveFrom(tx, release, hypotheticalFacts);
      describe({ stage: derived.verdict.stage, open: derived.verdict.gate.openUntil !== null });
      return derived;
    });
  }

  private async deriveFrom(
    tx: TenantTransaction,
    release: StoredRelease,
    hypotheticalFacts: readonly Observation[],
  ): Promise<DerivedVerdict> {
    const evidence = await this.inputs.listEvidence(tx, release.id);
    const now = this.clock.now();
    if (!this.clock.isCertain()) throw timeUncertain();
    const overrides = await this.inputs.listOverrides(tx, release.id, now);
    const stored = await this.soaks.list(tx, release.id);
    const soaks = stored.length > 0 ? { soaks: stored } : {};
    const record = this.environment.billing ? release.record : withoutPlanLimit(release.record);
    const read = new Map<string, Observation | null>();
    let requested: readonly FactKey[] = release.usedFacts.map(parseFactId);
    let artifacts: { readonly artifacts?: readonly Artifact[] } = {};
    let reports: readonly ReportedChange[] | null = null;
    let coverages: { readonly runCoverages?: readonly RunCoverage[] } = {};
    for (;;) {
      for (const key of requested) read.set(factId(key), null);
      for (const found of await this.observations.list(tx, release.repositoryId, requested))
        read.set(factId(found), found);
      for (const observation of hypotheticalFacts) read.set(factId(observation), observation);
      const observations = [...read.values()].filter((observation) => observation !== null);
      const verdict = evaluate({
        record,
        evidence,
        ...coverages,
        ...artifacts,
        ...soaks,
        ...(reports !== null && reports.length > 0 && { reports }),
        observations,
        overrides,
        now,
        digest: sha256,
      });
      requested = verdict.missing.filter((key) => !read.has(factId(key)));
      if (requested.length > 0) continue;
      if (verdict.missingCoverage.length > 0 && !coverages.runCoverages) {
        coverages = { runCoverages: await this.inputs.listRunCoverages(tx, release.id) };
        continue;
      }
      // The verdict of a shipped release has the artifacts of its frozen facts.
      if (verdict.artifacts && !artifacts.artifacts && !record.shipped) {
        artifacts = { artifacts: await this.inputs.listArtifacts(tx, release.id) };
        continue;
      }
      const environments = verdict.usedFacts.flatMap(({ kind, key }) => (kind === 'deployments' ? [key] : []));
      // Which environments a verdict reads depends on neither GitHub's deployments nor the reported ones.
      if (environments.length > 0 && reports === null) {
        reports = await this.inputs.listReportedChanges(tx, release.repositoryId, environments, now);
        continue;
      }
      const used = selectUsed(verdict, read);
      const inputs = {
        record,
        evidence,
        ...coverages,
        ...artifacts,
        ...soaks,
        ...(reports !== null && reports.length > 0 && { reports }),
        observations: used,
        overrides,
        now,
        digest: sha256,
      };
      return { verdict, inputs, missingFacts: listMissing(verdict, inputs) };
    }
  }
}

const timeUncertain = (): DomainError =>
  new DomainError(
    'unavailable',
    'The clock of this server was set, or the server was suspended. Try again in a second.',
    {
      retryAfterSeconds: 1,
    },
  );

const selectUsed = (verdict: Verdict, read: ReadonlyMap<string, Observation | null>): readonly Observation[] =>
  verdict.usedFacts.flatMap((key) => read.get(factId(key)) ?? []);

const listMissing = (verdict: Verdict, { observations, now }: VerdictInputs): readonly FactKey[] => [
  ...verdict.missing,
  ...observations
    .filter((observation) => factExpiresAt(observation) <= now.getTime())
    .map(({ kind, key }) => ({ kind, key })),
];

const withoutPlanLimit = (record: StoredRelease['record']): StoredRelease['record'] => ({
  ...record,
  repository: { ...record.repository, withinPlan: true },
});
