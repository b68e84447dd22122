import { setTimeout as sleep } from 'node:timers/promises';
import { type ConditionCode, getTraits, isConditionCode } from '../../domain/facts/condition-catalogue.js';
import { CommandError, type CommandResult, EXIT } from '../command-result.js';
import { plainText } from '../plain-text.js';
import { durationMs } from '../settings.js';
import { ServiceClient } from '../service/service-client.js';
import { checkGate, describeReason, type Gate, type CheckedRelease, type Reason } from './check-gate.js';
import { type CommandContext, getRepository, parseDigest, readDeployedCommit, readVersion } from './command-context.js';
import { findRelease } from './find-release.js';
import { withStatement } from './save-statement.js';

const BUDGET_MS = 120_000;
const MAX_WAIT_MS = 6 * 3_600_000;
/** The pause between two requests. Four requests a minute leave room for 75 waiting jobs under the limit of a repository. */
const PAUSE_MS = 15_000;
/** The pause while the service has to act, which takes seconds. */
const SHORT_PAUSE_MS = 3_000;
const SHORT_PAUSES = 10;
/** Every tenth request includes the reasons, which cost the service more than the short answer. */
const REASONS_EVERY = 10;
/**
 * An opening after a wait is confirmed after this time. GitHub reports the start of a deployment in whole seconds, so a deployment
 * that starts in the second of the opening could count as earlier.
 */
const CONFIRM_AFTER_MS = 3_000;
/** The time after which the wait for an unknown release or for another candidate ends. */
const HOPELESS_AFTER_MS = 60_000;
const NOT_THE_CANDIDATE: ConditionCode = 'not_the_candidate';
const NOT_FOUND = 404;
const UNAUTHORIZED = 401;

/** Queries the deploy gate, and with `--wait` waits until it opens. Ends with 0 only if the gate is open. */
export async function gate(context: CommandContext): Promise<CommandResult> {
  const { args, env, note, maskToken } = context;
  const sha = readDeployedCommit(context);
  const digest = args.text('digest');
  if (digest !== undefined) parseDigest(digest, '--digest');
  const environment = args.text('environment');
  const wait = args.text('wait');
  const waitMs = wait === undefined ? 0 : durationMs('--wait', wait, MAX_WAIT_MS);
  const [version, repo] = [readVersion(context), getRepository(context)];
  const client = new ServiceClient(args.text('url'), env, note, { maskToken });
  try {
    const release = await findRelease(context, client, version, { repo, commit: sha ?? undefined });
    if (release.version === null) throw new CommandError(EXIT.unknown, 'unknown', release.because);
    const request: CheckedRelease = { release: release.version, repo, sha, environment, digest };
    const answer = await (waitMs === 0
      ? checkGate(client, request, { explain: true, budgetMs: BUDGET_MS })
      : new Wait(client, request, context, waitMs).untilOpen());
    const result = toGateResult(request, answer);
    const file = args.text('statement');
    return file === undefined ? result : await withStatement(client, { file, request, answer, result });
  } finally {
    await client.close();
  }
}

/** Queries the gate repeatedly until it is open, waiting cannot help, or the time is over. */
class Wait {
  private readonly deadline: number;
  private readonly since = new Map<string, number>();
  private requests = 0;
  private shortPauses = 0;
  private summary: string | null = null;
  /** The last answer with the state of the gate. It decides if the last request gets no answer. */
  private last: Gate | null = null;

  constructor(
    private readonly client: ServiceClient,
    private readonly request: CheckedRelease,
    private readonly context: CommandContext,
    waitMs: number,
  ) {
    this.deadline = Date.now() + waitMs;
  }

  async untilOpen(): Promise<Gate> {
    for (;;) {
      const isLast = Date.now() >= this.deadline;
      let answer = await this.checkAndConfirm(isLast);
      if (answer.isOpen === false && answer.reasons === null && this.isHopeless(answer)) {
        // The last reasons may be a minute old. Only current reasons end the wait.
        answer = await this.checkAndConfirm(true);
      }
      if (answer.isOpen === true || this.isHopeless(answer)) return answer;
      if (isLast) return answer.isOpen === null && this.last?.isOpen === false ? this.last : answer;
      await this.pause(answer);
    }
  }

  /** After the first request, an open gate counts only if it is still open some seconds later. */
  private async checkAndConfirm(withReasons: boolean): Promise<Gate> {
    const answer = await this.check(withReasons);
    if (answer.isOpen !== true || this.requests === 1) return answer;
    await sleep(CONFIRM_AFTER_MS);
    return this.check(true);
  }

  /** Checks the gate once. A failure is not final while there is time. */
  private async check(withReasons: boolean): Promise<Gate> {
    const explain = withReasons || this.requests % REASONS_EVERY === 0;
    this.requests += 1;
    const answer = await this.once(explain);
    if (answer.isOpen === null) {
      this.context.note(`Still waiting: ${answer.problem}`);
      return answer;
    }
    const hasChanged = answer.summary !== this.summary;
    this.summary = answer.summary;
    const full = answer.reasons === null && hasChanged ? await this.once(true) : answer;
    if (full.isOpen === null) return full;
    if (full.reasons !== null) {
      this.last = full;
      if (!full.isOpen) {
        this.context.note(`Still closed (${full.stage}): ${full.reasons.map(({ code }) => code).join(', ')}`);
      }
    }
    return full;
  }

  private async once(explain: boolean): Promise<Gate> {
    try {
      return await checkGate(this.client, this.request, { explain, budgetMs: 0 });
    } catch (error) {
      if (!(error instanceof CommandError) || error.exit !== EXIT.unknown) throw error;
      // A rejected credential stays rejected, and each use of it counts as a failure of this address.
      if (error.members['status'] === UNAUTHORIZED) throw error;
      return { isOpen: null, problem: error.message, status: null, retryAfterMs: 0, requestId: null };
    }
  }

  private isHopeless(answer: Gate): boolean {
    const codes = answer.isOpen === false ? (answer.reasons?.map(({ code }) => code) ?? []) : [];
    if (codes.some((code) => isConditionCode(code) && getTraits(code).isFinal)) return true;
    const isNotFound = answer.isOpen === null && answer.status === NOT_FOUND;
    // Only an answer with reasons shows whether the commit is the candidate.
    const isOther = answer.isOpen === false && answer.reasons === null ? null : codes.includes(NOT_THE_CANDIDATE);
    return this.lasts('not found', isNotFound) || this.lasts(NOT_THE_CANDIDATE, isOther);
  }

  /** Whether a state has lasted so long that it will not change. Null does not change the known state. */
  private lasts(state: string, isSo: boolean | null): boolean {
    if (isSo === false) this.since.delete(state);
    if (isSo === true && !this.since.has(state)) this.since.set(state, Date.now());
    const since = this.since.get(state);
    return since !== undefined && Date.now() - since >= HOPELESS_AFTER_MS;
  }

  private async pause(answer: Gate): Promise<void> {
    const isServiceActing = this.last?.isOpen === false && this.last.reasons?.some(({ actor }) => actor === 'service');
    const isShort = isServiceActing === true && this.shortPauses < SHORT_PAUSES;
    this.shortPauses += isShort ? 1 : 0;
    const jitter = 0.8 + Math.random() * 0.4;
    const pauseMs = Math.max(
      (isShort ? SHORT_PAUSE_MS : PAUSE_MS) * jitter,
      answer.isOpen === null ? answer.retryAfterMs : 0,
    );
    await sleep(Math.max(0, Math.min(pauseMs, this.deadline - Date.now())));
  }
}

/** Shipgate returns the details of a private repository only to its own runs, and to keys that are restricted to it. */
const NO_DETAILS =
  '  Details are for runs of this repository, and for API keys that are limited to repositories and list this one.';

/** The actors in the order in which users usually act. */
const ACTORS = ['ci', 'team', 'reviewer', 'admin', 'deployer', 'service'];

/** The result of an answer of the gate. Throws if it is unknown whether the gate is open. */
export function toGateResult({ release, repo, sha, environment }: CheckedRelease, answer: Gate): CommandResult {
  const requested = {
    release,
    repo,
    sha,
    ...(environment !== undefined && { environment }),
    request_id: answer.requestId,
  };
  if (answer.isOpen === null) {
    throw new CommandError(EXIT.unknown, 'unknown', answer.problem, { ...requested, status: answer.status });
  }
  const reasons = [...(answer.reasons ?? [])].sort((left, right) => rank(left) - rank(right));
  const { isOpen, stage, candidate, decisionId, openUntil, releaseUrl, overrides } = answer;
  const place = environment === undefined ? '' : ` for ${plainText(environment)}`;
  const state = `${plainText(release)} of ${plainText(repo)}${place} is ${isOpen ? 'open' : 'closed'}${stage === null ? '' : ` (${stage})`}`;
  const width = Math.max(0, ...reasons.map(({ actor }) => actor.length));
  return {
    exit: isOpen ? EXIT.yes : EXIT.no,
    outcome: isOpen ? 'open' : 'closed',
    members: {
      ...requested,
      stage,
      candidate_sha: candidate,
      decision_id: decisionId,
      open_until: openUntil,
      release_url: releaseUrl,
      reasons,
      overrides,
    },
    lines: [
      candidate === null ? state : `${state}; candidate ${candidate.slice(0, 7)}`,
      ...reasons.flatMap((reason) => [
        `  ${reason.actor.padEnd(width)}  ${describeReason(reason)}`,
        ...(reason.url === undefined ? [] : [`  ${' '.repeat(width)}  ${reason.url}`]),
      ]),
      ...overrides.map(
        ({ kind, reason, expiresAt }) =>
          `  depends on a ${kind.replace('_', '-')} that ends at ${expiresAt}${reason ? `: ${reason}` : ''}`,
      ),
      ...(reasons.some(({ detail }) => detail === undefined) ? [NO_DETAILS] : []),
      ...(releaseUrl === null ? [] : [releaseUrl]),
      `decision ${decisionId ?? 'none'}, request ${answer.requestId ?? 'unknown'}`,
    ],
  };
}

const rank = ({ actor }: Reason): number => {
  const index = ACTORS.indexOf(actor);
  return index === -1 ? ACTORS.length : index;
};
