import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { sha256 } from '../../../crypto/digests.js';
import type { TenantTransaction } from '../../../database/database.js';
import { factId, parseFactId, factExpiresAt, type FactKey, type Observation } from '../../../domain/facts/facts.js';
import { evaluate, type Verdict, type VerdictInputs } from '../../../domain/release/evaluate.js';
import { ObservationsRepository } from '../facts/observations.repository.js';
import type { StoredRelease } from '../records/releases.repository.js';
import { VerdictInputsQueries } from './verdict-inputs.queries.js';

/** A verdict, what it was derived from, and what it lacks. */
export interface DerivedVerdict {
  readonly verdict: Verdict;
  readonly inputs: VerdictInputs;
  /** Of what the verdict rests on: what was never read, or is too old to open anything. */
  readonly wanted: readonly FactKey[];
}

/** Answers where a release stands by what is stored now. It writes nothing. */
@Injectable()
export class VerdictService {
  constructor(
    private readonly evidence: VerdictInputsQueries,
    private readonly observations: ObservationsRepository,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * Reads what the verdict asks for until it asks for nothing more that is there. What is supposed stands in for what is
   * stored, so that a verdict can be given of what is not so.
   */
  async derive(
    tx: TenantTransaction,
    release: StoredRelease,
    supposed: readonly Observation[] = [],
  ): Promise<DerivedVerdict> {
    const evidence = await this.evidence.listEvidence(tx, release.id);
    const now = this.clock.now();
    const acts = await this.evidence.listOverrides(tx, release.id, now);
    const record = this.environment.billing ? release.record : unlimited(release.record);
    const read = new Map<string, Observation | null>();
    let asked: readonly FactKey[] = release.consulted.map(parseFactId);
    for (;;) {
      for (const key of asked) read.set(factId(key), null);
      for (const found of await this.observations.list(tx, release.repositoryId, asked)) read.set(factId(found), found);
      for (const observation of supposed) read.set(factId(observation), observation);
      const observations = [...read.values()].filter((observation) => observation !== null);
      const verdict = evaluate({ record, evidence, observations, acts, now, digest: sha256 });
      asked = verdict.missing.filter((key) => !read.has(factId(key)));
      if (asked.length > 0) continue;
      const inputs = { record, evidence, observations: consultedOf(verdict, read), acts, now, digest: sha256 };
      return { verdict, inputs, wanted: wantedOf(verdict, inputs) };
    }
  }
}

const consultedOf = (verdict: Verdict, read: ReadonlyMap<string, Observation | null>): readonly Observation[] =>
  verdict.consulted.flatMap((key) => read.get(factId(key)) ?? []);

const wantedOf = (verdict: Verdict, { observations, now }: VerdictInputs): readonly FactKey[] => [
  ...verdict.missing,
  ...observations
    .filter((observation) => factExpiresAt(observation) <= now.getTime())
    .map(({ kind, key }) => ({ kind, key })),
];

const unlimited = (record: StoredRelease['record']): StoredRelease['record'] => ({
  ...record,
  repository: { ...record.repository, withinPlan: true },
});
