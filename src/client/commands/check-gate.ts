import { plainText } from '../plain-text.js';
import { answerError, BAD_REQUEST, errorSentence, type ServiceClient } from '../service/service-client.js';

const ANSWER_MS = 15_000;

export interface Reason {
  readonly code: string;
  readonly actor: string;
  readonly detail?: string;
  readonly url?: string;
  /** The document that states the requirement. */
  readonly source?: string;
  /** When a soak ends. */
  readonly endsAt?: string;
}

/** Returns the sentence of a reason, with a note if the organization's default states the requirement. */
export const describeReason = ({ code, detail, source }: Reason): string =>
  `${detail ?? code}${source === 'organization' ? ' (required by the organization)' : ''}`;

interface Override {
  readonly kind: string;
  readonly id: string;
  readonly reason?: string;
  readonly expiresAt: string;
}

/** An answer of the gate that can be trusted: a 200 with a boolean `can_deploy` for the version of the request. */
interface KnownGate {
  readonly isOpen: boolean;
  readonly stage: string | null;
  readonly candidate: string | null;
  readonly decisionId: string | null;
  /** The id of the release; null from an older service, and in the short form. */
  readonly releaseId: string | null;
  /** The time until which an open answer stands; null if it is closed, from an older service, and in the short form. */
  readonly openUntil: string | null;
  /** The page of the release; null from an older service, and in the short form. */
  readonly releaseUrl: string | null;
  /** Null if the short form was requested. */
  readonly reasons: readonly Reason[] | null;
  readonly overrides: readonly Override[];
  /** Changes if the short form changes. */
  readonly summary: string;
  readonly requestId: string | null;
}

interface UnknownGate {
  readonly isOpen: null;
  readonly problem: string;
  readonly status: number | null;
  readonly retryAfterMs: number;
  readonly requestId: string | null;
}

export type Gate = KnownGate | UnknownGate;

export interface CheckedRelease {
  readonly release: string;
  readonly repo: string;
  /** Null with `--any-sha`. */
  readonly sha: string | null;
  /** The environment of the deployment; the target of the policy if absent. */
  readonly environment?: string | undefined;
  /** The artifact that would be deployed. */
  readonly digest?: string | undefined;
}

/** Queries the gate once. After a failure it queries again until `budgetMs` is used up. */
export async function checkGate(
  client: ServiceClient,
  { release, repo, sha, environment, digest }: CheckedRelease,
  { explain, budgetMs }: { readonly explain: boolean; readonly budgetMs: number },
): Promise<Gate> {
  const query = new URLSearchParams({
    repo,
    version: release,
    ...(sha !== null && { sha }),
    ...(environment !== undefined && { environment }),
    ...(digest !== undefined && { digest }),
    ...(explain && { explain: 'true' }),
  });
  const path = `/api/milestones/check?${query.toString()}`;
  const answer = await client.send({ method: 'GET', path, answerMs: ANSWER_MS, budgetMs });
  const { status, json, requestId } = answer;
  const known = status === 200 ? readGate(json, release, explain) : null;
  if (known !== null) return { ...known, requestId };
  // Wrong use does not become right by waiting.
  if (status === BAD_REQUEST) throw answerError('question', answer);
  const problem = status === 200 ? 'The answer is not one of the deploy gate.' : errorSentence(answer);
  return { isOpen: null, problem, status, retryAfterMs: answer.retryAfterMs ?? 0, requestId };
}

/** Reads an answer of the gate; null if it is not about this version. Only the boolean `true` is open. */
function readGate(json: unknown, release: string, explain: boolean): Omit<KnownGate, 'requestId'> | null {
  if (typeof json !== 'object' || json === null) return null;
  const answer = json as Readonly<Record<string, unknown>>;
  if (answer['version'] !== release || typeof answer['can_deploy'] !== 'boolean') return null;
  const text = (name: string): string | null => {
    const value = answer[name];
    return typeof value === 'string' ? plainText(value) : null;
  };
  const { can_deploy: isOpen, current_stage: stage, evidence_pr_approved: isApproved, tests_passing: pass } = answer;
  return {
    isOpen,
    stage: text('current_stage'),
    candidate: text('candidate_sha'),
    decisionId: text('decision_id'),
    releaseId: text('release_id'),
    openUntil: text('open_until'),
    releaseUrl: text('release_url'),
    reasons: explain ? readReasons(answer['reasons']) : null,
    overrides: readList(answer['overrides'], ['kind', 'id', 'expiresAt'], ['reason']),
    summary: JSON.stringify([isOpen, stage, isApproved, pass]),
  };
}

/** Reads the reasons of a closed gate. */
export const readReasons = (list: unknown): readonly Reason[] =>
  readList(list, ['code', 'actor'], ['detail', 'url', 'source', 'endsAt']);

/** Reads objects with texts from an answer and makes them safe for a terminal. Skips objects of another shape. */
function readList<R extends string, O extends string>(
  list: unknown,
  required: readonly R[],
  optional: readonly O[],
): readonly (Readonly<Record<R, string>> & Readonly<Partial<Record<O, string>>>)[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    const given = (item ?? {}) as Readonly<Record<string, unknown>>;
    const entries = [...required, ...optional]
      .map((name) => [name, given[name]] as const)
      .filter((entry): entry is readonly [R | O, string] => typeof entry[1] === 'string')
      .map(([name, value]) => [name, plainText(value)] as const);
    const texts = Object.fromEntries(entries) as Record<R, string> & Partial<Record<O, string>>;
    return required.every((name) => Object.hasOwn(texts, name)) ? [texts] : [];
  });
}
