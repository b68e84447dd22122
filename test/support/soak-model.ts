/**
 * Random histories of an environment, and what they allow by the text of the decisions, without the code of the service: only the time
 * counts during which the candidate, or an equivalent commit, is the latest successful deployment of the environment, and during which
 * the service knew it without a gap. A reported deployment counts from the time at which its success was received, if its start was
 * reported and nothing else succeeded since it truly did.
 */
import type { EnvironmentDeploymentFact, MomentRange, Observation } from '../../src/domain/facts/facts.js';
import type { ReportedChange } from '../../src/domain/release/environment-soak.js';
import { randomNumbers } from './policy-oracle.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** How long a read answers for the deployments. */
const LIFETIME = 20 * MINUTE;
const START = Date.parse('2026-05-04T10:00:00Z');
/** The times of GitHub are rounded, and the clocks are compared with an error. */
const UNCERTAINTY = 5 * SECOND;

/** Commits with the same letter are equivalent. */
const COMMITS = ['c1', 'c2', 'x1', 'y1'] as const;
type Commit = (typeof COMMITS)[number];

interface Deployment {
  readonly githubId: number;
  readonly sha: Commit;
  /** The statuses with their true times. */
  readonly statuses: { readonly isSuccess: boolean; readonly at: number }[];
}

interface Report {
  readonly id: string;
  readonly sha: Commit;
  /** When the start was reported. Null if it was not. */
  readonly startedAt: number | null;
  /** When it truly succeeded or failed. */
  readonly doneAt: number;
  end: { readonly status: 'succeeded' | 'failed' | 'unknown'; readonly at: number } | null;
}

/** A time in which a commit was the latest successful deployment. Null if it is not certain which one was. */
interface Stay {
  readonly sha: Commit | null;
  /** The earliest time at which the deployment can have succeeded, as far as it was reported. */
  readonly earliest: number;
  readonly from: number;
  to: number;
}

/** An environment, what GitHub says about it, and which reads the service made. */
class EnvironmentModel {
  now = START;
  private readonly deployments: Deployment[] = [];
  private readonly stays: Stay[] = [];
  private readonly reported: Report[] = [];
  /** The GitHub deployment that is the latest one; null if there is none, or if it was reported. */
  private currentId: number | null = null;
  private readonly reads: number[] = [];
  private readonly offset: number;
  private readonly error: () => number;
  private observed: Observation<'deployments'> | null = null;

  constructor(private readonly random: (limit: number) => number) {
    this.offset = (random(3) - 1) * random(7200) * SECOND;
    this.error = () => random(300);
  }

  pass(milliseconds: number): void {
    this.now += milliseconds;
  }

  deploy(sha: Commit, isSuccess: boolean): void {
    const deployment: Deployment = { githubId: this.deployments.length + 1, sha, statuses: [] };
    this.deployments.push(deployment);
    if (isSuccess) this.succeed(deployment);
    else deployment.statuses.push({ isSuccess: false, at: this.now });
  }

  /** A further status of an earlier deployment. */
  setStatus(isSuccess: boolean): void {
    const deployment = this.deployments[this.random(this.deployments.length)];
    if (!deployment) return;
    if (isSuccess) this.succeed(deployment);
    else this.end(deployment);
  }

  /** A CI system deploys, and reports the start. */
  reportStart(sha: Commit, isReported: boolean): void {
    this.pass(1);
    const doneAt = this.now + this.random(5 * MINUTE);
    const id = String(this.reported.length + 1);
    this.reported.push({ id, sha, startedAt: isReported ? this.now : null, doneAt, end: null });
  }

  /** Reports the end of the oldest deployment without one, perhaps late. */
  reportEnd(status: 'succeeded' | 'failed' | 'unknown'): void {
    const report = this.reported.find(({ end }) => end === null);
    if (!report) return;
    this.pass(1);
    this.now = Math.max(this.now, status === 'unknown' ? 0 : report.doneAt + 1);
    report.end = { status, at: this.now };
    if (status === 'failed') return;
    const hasStart = status === 'succeeded' && report.startedAt !== null;
    const isOvertaken = [
      ...this.deployments.flatMap(({ sha, statuses }) =>
        statuses.flatMap(({ isSuccess, at }) => (isSuccess ? [{ sha, at }] : [])),
      ),
      ...this.reported.flatMap(({ sha, doneAt, end }) =>
        end && end.at < this.now && end.status !== 'failed' ? [{ sha, at: doneAt }] : [],
      ),
    ].some(({ sha, at }) => !isLike(sha, report.sha) && at > report.doneAt);
    const counts = hasStart && !isOvertaken;
    const last = this.stays.at(-1);
    if (!counts && last?.sha && isLike(last.sha, report.sha)) return;
    this.leave();
    this.currentId = null;
    const [earliest, to] = [report.startedAt ?? this.now, Number.POSITIVE_INFINITY];
    this.stays.push({ sha: counts ? report.sha : null, earliest, from: this.now, to });
  }

  /** The reports as the service stores them. */
  reports(): readonly ReportedChange[] {
    return this.reported.flatMap(({ id, sha, startedAt, end }) =>
      end === null || end.status === 'failed'
        ? []
        : [
            {
              id,
              environment: 'staging',
              commitSha: sha,
              startedAt: end.status === 'succeeded' ? startedAt : null,
              endedAt: end.at,
            },
          ],
    );
  }

  /** The service reads the environment. */
  read(): void {
    this.pass(1);
    const previous = this.reads.at(-1);
    const isGap = previous === undefined || previous + LIFETIME <= this.now;
    this.reads.push(this.now);
    const moments: Record<string, MomentRange> = {};
    const toTime = (at: number): string => {
      const text = new Date(Math.floor((at + this.offset) / SECOND) * SECOND).toISOString();
      const local = Date.parse(text) - this.offset;
      const known = this.observed?.moments?.[text] ?? moments[text];
      const range: MomentRange = [local - this.error(), local + SECOND + this.error()];
      moments[text] = known ? [Math.min(known[0], range[0]), Math.max(known[1], range[1])] : range;
      return text;
    };
    const value = this.deployments.toReversed().flatMap(({ githubId, sha, statuses }): EnvironmentDeploymentFact[] => {
      const periods = statuses.flatMap(({ isSuccess, at }, index) => {
        const next = statuses[index + 1];
        return isSuccess ? [{ from: toTime(at), to: next ? toTime(next.at) : null }] : [];
      });
      return periods.length > 0 ? [{ githubId, sha, periods }] : [];
    });
    const knownSince = isGap ? this.now : (this.observed?.knownSince ?? this.now);
    this.observed = { kind: 'deployments', key: 'staging', value, observedAt: new Date(this.now), knownSince, moments };
  }

  /** A delivery says that something changed. What was read counts as stale. */
  hint(): void {
    if (this.observed) this.observed = { ...this.observed, observedAt: new Date(0) };
  }

  observation(): Observation<'deployments'> | null {
    return this.observed;
  }

  /** The longest time for which commits like this one stayed and the service knew it, in milliseconds. Null if no read saw it there. */
  longestKnownStay(sha: Commit, until = this.now): number | null {
    const lengths = this.runsOf(sha).flatMap(({ from, to }) =>
      this.chains().map(([first, last]) => Math.min(to, last, until) - Math.max(from, first)),
    );
    const longest = Math.max(Number.NEGATIVE_INFINITY, ...lengths);
    return longest >= 0 ? longest : null;
  }

  /** For how long it surely stays until now by the last read; null if that was not now or the history is ambiguous. */
  presentKnownStay(sha: Commit): number | null {
    const run = this.runsOf(sha).at(-1);
    const [first, last] = this.chains().at(-1) ?? [0, 0];
    if (!run || run.to !== Number.POSITIVE_INFINITY || last !== this.now) return null;
    const times = [
      ...this.deployments.flatMap(({ statuses }) => statuses.map(({ at }) => at)),
      ...this.reported.flatMap(({ end }) => (end ? [end.at] : [])),
    ];
    const isAmbiguous = this.stays.some(
      (stay) =>
        stay.sha !== null &&
        isLike(stay.sha, sha) &&
        stay.from >= run.from &&
        times.some((at) => at > stay.earliest - UNCERTAINTY && at < stay.from + UNCERTAINTY && at !== stay.from),
    );
    return isAmbiguous ? null : last - Math.max(run.from, first);
  }

  private succeed(deployment: Deployment): void {
    this.pass(1);
    this.leave();
    deployment.statuses.push({ isSuccess: true, at: this.now });
    this.stays.push({ sha: deployment.sha, earliest: this.now, from: this.now, to: Number.POSITIVE_INFINITY });
    this.currentId = deployment.githubId;
    if (this.random(3) === 0) return;
    // GitHub makes the other deployments inactive.
    for (const other of this.deployments) {
      if (other !== deployment && other.statuses.at(-1)?.isSuccess) this.end(other);
    }
  }

  private end(deployment: Deployment): void {
    this.pass(1);
    deployment.statuses.push({ isSuccess: false, at: this.now });
    if (deployment.githubId !== this.currentId) return;
    this.leave();
    this.currentId = null;
  }

  private leave(): void {
    const last = this.stays.at(-1);
    if (last && last.to > this.now) last.to = this.now;
  }

  /**
   * The times in which commits like this one were there without another commit in between. GitHub tells whole seconds, so a shorter
   * time without any deployment is not known.
   */
  private runsOf(sha: Commit): readonly { readonly from: number; readonly to: number }[] {
    const runs: { from: number; to: number }[] = [];
    for (const [index, stay] of this.stays.entries()) {
      if (stay.sha === null || !isLike(stay.sha, sha)) continue;
      const [last, before] = [runs.at(-1), this.stays[index - 1]];
      if (last && before && before.sha !== null && isLike(before.sha, sha) && stay.from - before.to < SECOND)
        last.to = stay.to;
      else runs.push({ from: stay.from, to: stay.to });
    }
    return runs;
  }

  /** The first and the last read of each time without a gap. */
  private chains(): readonly (readonly [number, number])[] {
    const chains: [number, number][] = [];
    for (const read of this.reads) {
      const last = chains.at(-1);
      if (last && last[1] + LIFETIME > read) last[1] = read;
      else chains.push([read, read]);
    }
    return chains;
  }
}

const isLike = (one: Commit, other: Commit): boolean => one.startsWith(other.slice(0, 1));

export interface ModelStep {
  readonly model: EnvironmentModel;
  readonly candidate: { readonly sha: Commit; readonly shas: readonly Commit[] };
  readonly soakMs: number;
}

/** Plays random histories, and calls `evaluate` at random times. `begin` is called before each history. */
export function playHistories(
  count: number,
  seed: number,
  { begin, evaluate }: { readonly begin: () => void; readonly evaluate: (step: ModelStep) => void },
): void {
  const random = randomNumbers(seed);
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;
  for (let index = 0; index < count; index += 1) {
    begin();
    const model = new EnvironmentModel(random);
    let candidate: ModelStep['candidate'] = CANDIDATES[0];
    let soakMs = pick(SOAKS);
    for (let steps = 6 + random(8); steps > 0; steps -= 1) {
      const action = random(18);
      if (action < 4) model.deploy(random(2) === 0 ? candidate.sha : pick(COMMITS), random(5) > 0);
      else if (action === 4) model.setStatus(random(2) === 0);
      else if (action === 5) candidate = pick(CANDIDATES);
      else if (action === 6) soakMs = pick(SOAKS);
      else if (action === 7) model.hint();
      else if (action < 14) model.read();
      else if (action === 14) model.reportStart(random(2) === 0 ? candidate.sha : pick(COMMITS), random(5) > 0);
      else if (action === 15) model.reportEnd(pick(['succeeded', 'succeeded', 'succeeded', 'failed', 'unknown']));
      model.pass(random(3) === 0 ? random(3 * SECOND) : random(random(4) === 0 ? 40 * MINUTE : 12 * MINUTE));
      if (random(3) > 0) evaluate({ model, candidate, soakMs });
      if (random(3) === 0) {
        model.read();
        evaluate({ model, candidate, soakMs });
      }
    }
  }
}

const SOAKS = [0, 30 * SECOND, 10 * MINUTE, 30 * MINUTE] as const;
const CANDIDATES = [
  { sha: 'c1', shas: ['c1', 'c2'] },
  { sha: 'c1', shas: ['c1'] },
  { sha: 'c2', shas: ['c2', 'c1'] },
  { sha: 'x1', shas: ['x1'] },
] as const satisfies readonly ModelStep['candidate'][];
