import type { Artifact } from '../../src/domain/artifact/artifact.js';
import type { EvidenceItem } from '../../src/domain/evidence/evidence.js';
import {
  factId,
  type FactKey,
  type FactKind,
  type FactValues,
  listTimes,
  type Observation,
  type RefFact,
} from '../../src/domain/facts/facts.js';
import { NO_OVERRIDES, type ReleaseOverrides } from '../../src/domain/override/override.js';
import type { Policy } from '../../src/domain/policy/policy.js';
import type { ReportedChange } from '../../src/domain/release/environment-soak.js';
import { evaluate, type Verdict, type VerdictInputs } from '../../src/domain/release/evaluate.js';
import type { ReleaseRecord } from '../../src/domain/release/release-record.js';
import type { EvidencePullRecord } from '../../src/domain/review/evidence-pull.js';
import {
  NOW,
  RELEASE_BRANCH,
  CANDIDATE,
  DEVELOPMENT_HEAD,
  PULL_NUMBER,
  PREDECESSOR,
  FIRST_REVIEWER,
  SECOND_REVIEWER,
  AUTHOR,
  digest,
  valid,
  PLAIN_POLICY,
  STRICT_POLICY,
  COMPLETE_POLICY,
  artifact,
  verifiedBundle,
  deployedFor,
  runJobs,
  evidenceItem,
  coverageItem,
  scanItem,
  milestone,
  issue,
  check,
  commit,
  comparison,
  pull,
  review,
  evidencePull,
  releaseRecord,
} from './given-facts.js';

/** A release with its facts and evidence. Each test names only what differs. */
export class ReleaseBuilder {
  now = NOW;
  record = releaseRecord();
  evidence: readonly EvidenceItem[] = [];
  artifacts: readonly Artifact[] | null = null;
  reports: readonly ReportedChange[] = [];
  overrides = NO_OVERRIDES;
  private readonly facts = new Map<string, Observation>();

  /** Saves a fact that was just read, by a GitHub whose clock is ours. Deployments were known without a gap. */
  know<K extends FactKind>(kind: K, key: string, value: FactValues[K]): this {
    const times = listTimes({ kind, value }).map((time) => [time, [Date.parse(time), Date.parse(time)]] as const);
    const known = { kind, key, value, observedAt: this.now };
    this.facts.set(factId(known), {
      ...known,
      ...(kind === 'deployments' && { knownSince: 0 }),
      ...(times.length > 0 && { moments: Object.fromEntries(times) }),
    });
    return this;
  }

  /** Changes how a fact was read. */
  change(kind: FactKind, key: string, changes: Omit<Partial<Observation>, keyof FactKey | 'value'>): this {
    const known = this.facts.get(factId({ kind, key }));
    if (!known) throw new Error(`The world holds no fact ${kind}:${key}.`);
    this.facts.set(factId(known), { ...known, ...changes });
    return this;
  }

  deleteFact(kind: FactKind, key: string): this {
    this.facts.delete(factId({ kind, key }));
    return this;
  }

  /** Makes a fact older by so many minutes. */
  age(kind: FactKind, key: string, minutes: number): this {
    const observedAt = this.facts.get(factId({ kind, key }))?.observedAt ?? this.now;
    return this.change(kind, key, { observedAt: new Date(observedAt.getTime() - minutes * 60_000) });
  }

  /** Refreshes every fact without a change. */
  renew(): this {
    for (const known of this.facts.values()) this.facts.set(factId(known), { ...known, observedAt: this.now });
    return this;
  }

  later(minutes: number): this {
    this.now = new Date(this.now.getTime() + minutes * 60_000);
    return this;
  }

  ruledBy(policy: Policy): this {
    return this.know('policy', '', valid(policy));
  }

  branches(...refs: readonly RefFact[]): this {
    for (const prefix of ['release/', 'hotfix/', 'main']) {
      this.know(
        'refs',
        prefix,
        refs.filter(({ branch }) => branch.startsWith(prefix)),
      );
    }
    return this;
  }

  recorded(changes: Partial<ReleaseRecord>): this {
    this.record = { ...this.record, ...changes };
    return this;
  }

  uploaded(...items: readonly EvidenceItem[]): this {
    this.evidence = [...this.evidence, ...items];
    return this;
  }

  /** Adds overrides. */
  decided(overrides: Partial<ReleaseOverrides>): this {
    this.overrides = { ...this.overrides, ...overrides };
    return this;
  }

  /** Opens the evidence pull request with the effective evidence set. */
  pullOpened(changes: Partial<EvidencePullRecord> = {}): this {
    const { setDigest } = this.recorded({ evidencePull: null }).verdict();
    return this.recorded({ evidencePull: evidencePull({ setDigest: setDigest ?? '', ...changes }) });
  }

  observations(): readonly Observation[] {
    return [...this.facts.values()];
  }

  inputs(): VerdictInputs {
    const { record, evidence, artifacts, reports, overrides, now } = this;
    return {
      record,
      evidence,
      ...(artifacts && { artifacts }),
      ...(reports.length > 0 && { reports }),
      observations: this.observations(),
      overrides,
      now,
      digest,
    };
  }

  verdict(): Verdict {
    return evaluate(this.inputs());
  }

  isOpen(): boolean {
    const { openUntil } = this.verdict().gate;
    return openUntil !== null && openUntil > this.now.getTime();
  }

  /** The codes of the gate reasons. */
  reasons(): readonly string[] {
    return [...new Set(this.verdict().gate.reasons.map(({ code }) => code))];
  }
}

/** A release on its own branch under the strict policy: tested, with the reviews of a pull request that is not opened yet. */
function givenTestedRelease(): ReleaseBuilder {
  const approvers = [FIRST_REVIEWER, SECOND_REVIEWER];
  const release = new ReleaseBuilder()
    .ruledBy(STRICT_POLICY)
    .recorded({ predecessor: { candidateSha: PREDECESSOR, linePercent: 85 } })
    .know('milestone', '5', milestone())
    .know('issues', '5', [issue()])
    .branches({ branch: RELEASE_BRANCH, sha: CANDIDATE }, { branch: 'main', sha: DEVELOPMENT_HEAD })
    .know('checks', CANDIDATE, [check('build'), check('e2e')])
    .know(
      'comparison',
      `${PREDECESSOR}...${CANDIDATE}`,
      comparison(PREDECESSOR, { commits: [commit(CANDIDATE, [PREDECESSOR])] }),
    )
    .know('pull', String(PULL_NUMBER), pull())
    .know(
      'reviews',
      String(PULL_NUMBER),
      approvers.map((reviewer) => review(reviewer)),
    )
    .know('team', 'release-managers', { exists: true, userIds: [1, 2, 9] });
  for (const { userId, login } of [...approvers, AUTHOR]) {
    release.know('permission', login, { userId, level: 'write' });
  }
  return release.uploaded(evidenceItem(), coverageItem(84.5), scanItem('sast_scan'), scanItem('security'));
}

/** A release on its own branch under the strict policy: tested, approved by two reviewers, with an open gate. */
export const givenOpenRelease = (): ReleaseBuilder => givenTestedRelease().pullOpened();

/**
 * The same release under the complete policy: its candidate soaked in `dev`, its tests began after its deployment to `staging`, and its
 * artifact has a verified provenance.
 */
export function givenSoakedRelease(): ReleaseBuilder {
  const release = givenTestedRelease()
    .ruledBy(COMPLETE_POLICY)
    .know('deployments', 'dev', deployedFor(120))
    .know('deployments', 'staging', deployedFor(90))
    .know('run_jobs', '100', runJobs(60));
  release.artifacts = [artifact({ bundles: [verifiedBundle()] })];
  return release.pullOpened();
}

/** A release that ships from the trunk: without its own branch, one passing run of the trunk's head, approved by one reviewer. */
export function givenTrunkRelease(): ReleaseBuilder {
  return new ReleaseBuilder()
    .ruledBy(PLAIN_POLICY)
    .know('milestone', '5', milestone())
    .know('issues', '5', [issue()])
    .branches({ branch: 'main', sha: CANDIDATE })
    .know('history', CANDIDATE, [commit(CANDIDATE, [PREDECESSOR])])
    .know('pull', String(PULL_NUMBER), pull({ baseSha: CANDIDATE }))
    .know('reviews', String(PULL_NUMBER), [review(FIRST_REVIEWER)])
    .know('permission', FIRST_REVIEWER.login, { userId: FIRST_REVIEWER.userId, level: 'write' })
    .uploaded(evidenceItem())
    .pullOpened();
}
