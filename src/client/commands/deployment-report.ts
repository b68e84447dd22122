import { createHash, randomBytes } from 'node:crypto';
import type { CiEnvironment } from '../ci-environment.js';
import { type CommandResult, errorMessage, EXIT, unknownError, usageError } from '../command-result.js';
import { plainText } from '../plain-text.js';
import { answerError, jsonBody, type ServiceAnswer, type ServiceClient } from '../service/service-client.js';
import { checkGate, type CheckedRelease, describeReason, type Reason, readReasons } from './check-gate.js';
import { type CommandContext, getRepository, parseDigest, readDeployedCommit, readVersion } from './command-context.js';
import { findRelease } from './find-release.js';
import { toGateResult } from './gate.js';

const ANSWER_MS = 15_000;
const BUDGET_MS = 120_000;

/** How a deployment ended. */
export const FINAL_STATUSES = ['succeeded', 'failed', 'cancelled'] as const;
export type FinalStatus = (typeof FINAL_STATUSES)[number];

/** What all reports of one deployment have in common. */
export interface ReportedDeployment {
  readonly repo: string;
  readonly environment: string;
  /** The id of the deployment in the system that makes it. */
  readonly deployment: string;
  readonly commit_sha?: string;
  readonly version?: string;
  readonly digest?: string;
  readonly run_url?: string;
}

/** Sends one report. After a failure it is repeated; a repetition changes nothing. */
export function report(
  client: ServiceClient,
  deployment: ReportedDeployment,
  status: 'started' | FinalStatus,
): Promise<ServiceAnswer> {
  return client.send({
    method: 'POST',
    path: '/api/deployments',
    ...jsonBody({ ...deployment, status }),
    answerMs: ANSWER_MS,
    budgetMs: BUDGET_MS,
  });
}

/** Throws unless the service has stored the report. */
export function assertStored(answer: ServiceAnswer): void {
  if (answer.status !== 200 && answer.status !== 201) throw answerError('change', answer);
}

/** Returns the environment, which has no default: the wrong one would be deployed without its gate. */
export function getEnvironment({ args }: CommandContext): string {
  const environment = args.text('environment');
  if (environment === undefined) throw usageError('The environment is missing. Use --environment NAME.');
  return environment;
}

/**
 * Returns an id that is the same in one attempt of one job, so that two calls of the job mean one deployment; undefined outside of a
 * known CI system. It is never a number, which could be the id of a deployment on GitHub.
 */
export function jobDeploymentId(ci: CiEnvironment, environment: string): string | undefined {
  if (ci.system === null || ci.runUrl === undefined) return undefined;
  const parts = [ci.system, ci.runUrl, ci.job ?? null, ci.attempt ?? null, environment.toLowerCase()];
  return `job-${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)}`;
}

/** Returns an id that no other call has. */
export const newDeploymentId = (): string => `cli-${randomBytes(16).toString('hex')}`;

/** The gate was closed: nothing was started. */
export interface NotStarted {
  readonly isStarted: false;
  readonly result: CommandResult;
}

/** The service has stored the start, and answered that the gate is open. */
export interface Started {
  readonly isStarted: true;
  readonly deployment: ReportedDeployment;
  readonly members: Readonly<Record<string, unknown>>;
}

/** Checks the gate, reports the start of the deployment, and starts it only if that answer, too, says that the gate is open. */
export async function startDeployment(
  context: CommandContext,
  client: ServiceClient,
  deploymentId: string,
): Promise<Started | NotStarted> {
  const { args, ci, note } = context;
  const [environment, repo, sha] = [getEnvironment(context), getRepository(context), readDeployedCommit(context)];
  const digest = args.text('digest');
  if (digest !== undefined) parseDigest(digest, '--digest');
  const release = await findRelease(context, client, readVersion(context), { repo, commit: sha ?? undefined });
  if (release.version === null) throw unknownError(release.because);
  const { version } = release;
  const request: CheckedRelease = { release: version, repo, sha, environment, digest };
  const gate = toGateResult(request, await checkGate(client, request, { explain: true, budgetMs: BUDGET_MS }));
  if (gate.exit !== EXIT.yes) return { isStarted: false, result: gate };
  const runUrl = args.text('run-url') ?? ci.runUrl;
  const deployment: ReportedDeployment = {
    repo,
    environment,
    deployment: deploymentId,
    version,
    ...(sha !== null && { commit_sha: sha }),
    ...(digest !== undefined && { digest }),
    ...(runUrl !== undefined && { run_url: runUrl }),
  };
  const answer = await report(client, deployment, 'started');
  assertStored(answer);
  const { deploymentId: id, gate: asked } = (answer.json ?? {}) as {
    readonly deploymentId?: unknown;
    readonly gate?: { readonly can_deploy?: unknown; readonly reasons?: unknown };
  };
  const members = { ...gate.members, deployment: deploymentId, deployment_id: typeof id === 'string' ? id : null };
  if (typeof asked?.can_deploy !== 'boolean') {
    throw unknownError('The answer does not say whether the gate is open, so nothing was deployed.', members);
  }
  if (asked.can_deploy) return { isStarted: true, deployment, members };
  await reportEnd(client, deployment, 'cancelled', note);
  return { isStarted: false, result: closedSince(version, members, readReasons(asked.reasons)) };
}

/** Reports the end of a deployment. A failure is told and changes nothing: the deployment is over. Returns whether it was stored. */
export async function reportEnd(
  client: ServiceClient,
  deployment: ReportedDeployment,
  status: FinalStatus,
  note: CommandContext['note'],
): Promise<boolean> {
  try {
    assertStored(await report(client, deployment, status));
    return true;
  } catch (error) {
    note(`Shipgate did not store that the deployment ${status}: ${errorMessage(error)}`);
    return false;
  }
}

const closedSince = (
  version: string,
  members: Readonly<Record<string, unknown>>,
  reasons: readonly Reason[],
): CommandResult => ({
  exit: EXIT.no,
  outcome: 'closed',
  members: { ...members, reasons },
  lines: [
    `The gate of ${plainText(version)} closed before the deployment started.`,
    ...reasons.map((reason) => `  ${reason.actor}  ${describeReason(reason)}`),
  ],
});
