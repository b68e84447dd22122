import type { Artifact } from '../../src/domain/artifact/artifact.js';
import type { EvidenceItem } from '../../src/domain/evidence/evidence.js';
import {
  factId,
  type FactKind,
  type FactValues,
  type Observation,
  type RefFact,
} from '../../src/domain/facts/facts.js';
import { NO_OVERRIDES, type ReleaseOverrides } from '../../src/domain/override/override.js';
import type { Policy } from '../../src/domain/policy/policy.js';
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
  overrides = NO_OVERRIDES;
  private readonly facts = new Map<string, Observation>();

  know<K extends FactKind>(kind: K, key: string, value: FactValues[K], observedAt = this.now): this {
    this.facts.set(factId({ kind, key }), { kind, key, value, observedAt });
    return this;
  }

  deleteFact(kind: FactKind, key: string): this {
    this.facts.delete(factId({ kind, key }));
    return this;
  }

  /** Makes a fact older by so many minutes. */
  age(kind: FactKind, key: string, minutes: number): this {
    const known = this.facts.get(factId({ kind, key }));
    if (!known) throw new Error(`The world holds no fact ${kind}:${key}.`);
    this.facts.set(factId(known), { ...known, observedAt: new Date(known.observedAt.getTime() - minutes * 60_000) });
    return this;
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
    const { record, evidence, artifacts, overrides, now } = this;
    return {
      record,
      evidence,
      ...(artifacts && { artifacts }),
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

/** A release on its own branch under the strict policy: tested, approved by two reviewers, with an open gate. */
export function givenOpenRelease(): ReleaseBuilder {
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
  return release.uploaded(evidenceItem(), coverageItem(84.5), scanItem('sast_scan'), scanItem('security')).pullOpened();
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
