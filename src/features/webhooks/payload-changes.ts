import type { FactKey } from '../../domain/facts/facts.js';
import { isManagedBranch } from '../../domain/repository/managed-files.js';
import type { WebhookEventName, WebhookPayload } from '../../github/webhooks.js';
import type { HoldRequest } from '../deployment-holds/deployment-holds.repository.js';
import type { FactHint } from '../releases/facts/fact-hints.repository.js';
import type { MergeHead } from '../repositories/merge-check/change-analysis.service.js';
import type { DeliveryIds } from './payload-bytes.js';

/**
 * The facts that may have changed according to a delivery, and the resulting work. The values of the payload are not used,
 * because deliveries come late, twice and out of order. The facts are read from GitHub instead.
 */
export interface PayloadChanges {
  readonly facts: readonly FactHint[];
  /** A branch that was created, deleted or moved. */
  readonly branch: string | null;
  /** Milestones that changed. */
  readonly milestones: readonly number[];
  readonly deployments: readonly number[];
  /** Deployments that may wait for the protection rule. */
  readonly holds: readonly HoldRequest[];
  /** Head commits of pull requests and merge groups. */
  readonly heads: readonly MergeHead[];
  /** A branch that the service created for managed files and whose pull request changed. */
  readonly managedBranch: string | null;
  /** Rulesets or branch protection may have changed. */
  readonly branchRules: boolean;
  /** The installation itself, or the organization, changed. */
  readonly installationChanged: boolean;
  /** The list of repositories or their names changed. */
  readonly repositoriesChanged: boolean;
  /** The ids of repositories that were added to the installation or removed from it. Changes in between caused no delivery. */
  readonly reached: readonly number[];
  /** Facts of every repository of the organization may have changed, for example the members of a team. */
  readonly wholeOrganization: boolean;
  /** The ids of users whose membership of the organization may have changed. */
  readonly belonging: readonly number[];
  /** The ids of users whose read access to repositories may have changed. */
  readonly reading: readonly number[] | 'everyone';
}

/** A member that marks a payload that was not read. No payload of GitHub has a member of this name. */
const UNREAD = ' unread';

type Reader<Event extends WebhookEventName> = (payload: WebhookPayload<Event>) => Partial<PayloadChanges>;

const NOTHING: PayloadChanges = {
  facts: [],
  branch: null,
  milestones: [],
  deployments: [],
  holds: [],
  heads: [],
  managedBranch: null,
  branchRules: false,
  installationChanged: false,
  repositoriesChanged: false,
  reached: [],
  wholeOrganization: false,
  belonging: [],
  reading: [],
};

/** Actions on a repository that change who may read it. */
const ACTIONS_ON_READERS: ReadonlySet<unknown> = new Set(['created', 'publicized', 'privatized', 'transferred']);

/** Actions on a repository after which earlier changes may have caused no delivery. */
const ACTIONS_ON_REACH: ReadonlySet<unknown> = new Set(['created', 'deleted', 'transferred']);

/** Actions on an organization that concern one member. */
const ACTIONS_ON_MEMBERS: ReadonlySet<unknown> = new Set(['member_added', 'member_invited', 'member_removed']);

const EVERYTHING: FactHint = { kind: null, key: null };
/** The possible changes of a delivery that was not read. */
const ANYTHING: Partial<PayloadChanges> = { installationChanged: true, facts: [EVERYTHING] };
const POLICY: FactHint = { kind: 'policy', key: '' };
const EVERY_ISSUE: FactHint = { kind: 'issues', key: null };
const EVERY_TEAM: FactHint = { kind: 'team', key: null };
const EVERY_PERMISSION: FactHint = { kind: 'permission', key: null };

/** The maximum length of the name of an environment at GitHub. A control character cannot be stored. */
const ENVIRONMENT = /^[^\p{Cc}\p{Cs}]{1,255}$/u;
const SHA = /^[0-9a-f]{40}$/;
const HEADS = 'refs/heads/';

const checksAt: Reader<'status' | 'check_run' | 'check_suite' | 'workflow_run'> = (payload) => {
  const shas = [
    payload.sha,
    payload.check_run?.head_sha,
    payload.check_suite?.head_sha,
    payload.workflow_run?.head_sha,
  ];
  return { facts: shas.filter(isSha).map((sha) => ({ kind: 'checks', key: sha })) };
};

/** The jobs of a run with their states are one fact. */
const runJobFacts = (payload: WebhookPayload<'workflow_job' | 'workflow_run'>): readonly FactKey[] =>
  [payload.workflow_job?.run_id, payload.workflow_run?.id]
    .flatMap(counts)
    .map((run) => ({ kind: 'run_jobs', key: String(run) }));

const pullRequest: Reader<'pull_request' | 'pull_request_review'> = (payload) => {
  const number = count(payload.pull_request?.number);
  const text = [payload.pull_request?.title, payload.pull_request?.body].filter(isText).join('\n');
  const issues = new Set(Array.from(text.matchAll(/#(\d{1,9})\b/g), ([, digits]) => String(Number(digits))));
  return {
    facts: [
      ...(number === null ? [] : [fact('pull', number), fact('reviews', number)]),
      ...[...issues].slice(0, 50).map((issue): FactKey => ({ kind: 'pulls_of_issue', key: issue })),
    ],
  };
};

const openPullRequest: Reader<'pull_request'> = (payload) => {
  const sha = payload.pull_request?.head?.sha;
  const isOpen = payload.action !== 'closed' && isSha(sha);
  const branch = payload.pull_request?.head?.ref;
  return {
    ...pullRequest(payload),
    heads: isOpen ? [{ sha, mergeGroup: null }] : [],
    managedBranch: isText(branch) && isManagedBranch(branch) ? branch : null,
  };
};

const mergeGroup: Reader<'merge_group'> = (payload) => {
  const sha = payload.merge_group?.head_sha;
  const baseSha = payload.merge_group?.base_sha;
  const ref = payload.merge_group?.head_ref;
  if (payload.action !== 'checks_requested' || !isSha(sha) || !isSha(baseSha) || !isText(ref)) return {};
  return { heads: [{ sha, mergeGroup: { branch: ref.startsWith(HEADS) ? ref.slice(HEADS.length) : ref, baseSha } }] };
};

const movedBranch: Reader<'push' | 'create' | 'delete'> = (payload) => {
  const { ref } = payload;
  if (!isText(ref)) return {};
  if (ref.startsWith(HEADS)) return { branch: ref.slice(HEADS.length) };
  return payload.ref_type === 'branch' ? { branch: ref } : {};
};

const READERS = {
  // While the app was suspended, not installed or without a permission, it received no deliveries.
  installation: () => ({
    installationChanged: true,
    wholeOrganization: true,
    facts: [EVERYTHING],
    reading: 'everyone',
  }),
  installation_repositories: (payload: WebhookPayload<'installation_repositories'>) => ({
    repositoriesChanged: true,
    facts: [EVERYTHING],
    reached: [...readIds(payload.repositories_added), ...readIds(payload.repositories_removed)],
    reading: 'everyone',
  }),
  repository: (payload: WebhookPayload<'repository'>) => ({
    repositoriesChanged: true,
    facts: [ACTIONS_ON_REACH.has(payload.action) ? EVERYTHING : POLICY],
    reading: ACTIONS_ON_READERS.has(payload.action) ? 'everyone' : [],
  }),
  milestone: (payload: WebhookPayload<'milestone'>) => ({ milestones: counts(payload.milestone?.number) }),
  issues: (payload: WebhookPayload<'issues'>) => {
    const milestones = [...counts(payload.milestone?.number), ...counts(payload.issue?.milestone?.number)];
    return { facts: [...new Set(milestones)].map((number) => fact('issues', number)) };
  },
  // GitHub sends no delivery for the issues with a label that was renamed or deleted.
  label: (payload: WebhookPayload<'label'>) => ({ facts: payload.action === 'created' ? [] : [EVERY_ISSUE] }),
  pull_request: openPullRequest,
  pull_request_review: pullRequest,
  merge_group: mergeGroup,
  status: checksAt,
  check_run: checksAt,
  check_suite: checksAt,
  workflow_job: (payload: WebhookPayload<'workflow_job'>) => ({ facts: runJobFacts(payload) }),
  workflow_run: (payload: WebhookPayload<'workflow_run'>) => ({
    facts: [...(checksAt(payload).facts ?? []), ...runJobFacts(payload)],
  }),
  push: movedBranch,
  create: movedBranch,
  delete: movedBranch,
  deployment_protection_rule: (payload: WebhookPayload<'deployment_protection_rule'>) => {
    const runId = count(field(field(payload, 'workflow_run'), 'id')) ?? readRunId(payload.deployment_callback_url);
    const { environment } = payload;
    if (runId === null || !isText(environment) || !ENVIRONMENT.test(environment)) return {};
    return { holds: [{ runId, environment, deploymentId: count(payload.deployment?.id) }] };
  },
  deployment_status: (payload: WebhookPayload<'deployment_status'>) => ({
    deployments: counts(payload.deployment?.id),
    facts: isText(payload.deployment?.environment)
      ? [{ kind: 'deployments', key: payload.deployment.environment.toLowerCase() }]
      : [],
  }),
  release: () => ({}),
  repository_ruleset: () => ({ branchRules: true }),
  branch_protection_rule: () => ({ branchRules: true }),
  organization: (payload: WebhookPayload<'organization'>) => ({
    // A change of members changes permissions, but not the organization itself.
    installationChanged: !ACTIONS_ON_MEMBERS.has(payload.action),
    wholeOrganization: true,
    // A user who leaves the organization leaves its teams.
    facts: [EVERY_TEAM, permissionHint(payload.membership?.user)],
    belonging: counts(payload.membership?.user?.id),
  }),
  member: (payload: WebhookPayload<'member'>) => ({
    facts: [permissionHint(payload.member)],
    reading: counts(payload.member?.id),
  }),
  membership: (payload: WebhookPayload<'membership'>) => ({
    wholeOrganization: true,
    // The members of a team belong to its parent teams, too.
    facts: [EVERY_TEAM, permissionHint(payload.member)],
    reading: counts(payload.member?.id),
  }),
  // A team gives permissions to its members and to those of its child teams.
  team: () => ({ wholeOrganization: true, facts: [EVERY_TEAM, EVERY_PERMISSION], reading: 'everyone' }),
} satisfies Readonly<Partial<Record<WebhookEventName, (payload: never) => Partial<PayloadChanges>>>>;

/** The events that the service processes. Of other deliveries it stores only the GUID. */
export const HANDLED_EVENTS: ReadonlySet<string> = new Set(Object.keys(READERS));

/** The payload that is stored instead of one that is too large. It has only the ids. */
export const unreadPayload = ({ installationId, repositoryId }: DeliveryIds): Buffer =>
  Buffer.from(
    JSON.stringify({ [UNREAD]: true, installation: { id: installationId }, repository: { id: repositoryId } }),
  );

const isUnread = (payload: unknown): boolean => isObject(payload) && payload[UNREAD] === true;

/** Reads the possible changes of a delivery. Ignores unexpected members and never throws. */
export const readPayloadChanges = (event: string, payload: unknown): PayloadChanges => ({
  ...NOTHING,
  ...(isUnread(payload) ? ANYTHING : isObject(payload) && isHandled(event) ? READERS[event](payload) : undefined),
});

const isHandled = (event: string): event is keyof typeof READERS => Object.hasOwn(READERS, event);

/** Reads the id of the run from the path of an address, which is never called. */
function readRunId(address: unknown): number | null {
  const [, digits] =
    (isText(address) && /\/actions\/runs\/(\d{1,16})\/deployment_protection_rule$/.exec(address)) || [];
  return count(Number(digits));
}

const field = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);

const fact = (kind: 'pull' | 'reviews' | 'issues', number: number): FactKey => ({ kind, key: String(number) });

/** The permission of the user; of all users if the login is missing. */
const permissionHint = (user: unknown): FactHint => {
  const login = field(user, 'login');
  return isText(login) ? { kind: 'permission', key: login } : EVERY_PERMISSION;
};

const readIds = (repositories: unknown): readonly number[] =>
  Array.isArray(repositories) ? repositories.flatMap((repository) => counts(field(repository, 'id'))) : [];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= 100_000;
const isSha = (value: unknown): value is string => typeof value === 'string' && SHA.test(value);
const count = (value: unknown): number | null =>
  Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : null;
const counts = (value: unknown): readonly number[] => {
  const number = count(value);
  return number === null ? [] : [number];
};
