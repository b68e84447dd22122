import type { FactKey } from '../../domain/facts/facts.js';
import { isManagedBranch } from '../../domain/repository/managed-files.js';
import type { WebhookEventName, WebhookPayload } from '../../github/webhooks.js';
import type { FactHint } from '../releases/facts/fact-hints.repository.js';
import type { MergeHead } from '../repositories/merge-check/change-analysis.service.js';
import type { DeliveryIds } from './delivery-ids.js';

/**
 * What a delivery hints at: facts that may have changed, and work to do. Nothing of the payload itself is believed,
 * because deliveries come late, twice and out of order; GitHub is asked again for whatever is named here.
 */
export interface PayloadChanges {
  readonly facts: readonly FactHint[];
  /** A branch that moved, came or went. */
  readonly branch: string | null;
  /** Milestones that changed. */
  readonly milestones: readonly number[];
  readonly deployments: readonly number[];
  /** Commits that somebody proposes to merge. */
  readonly heads: readonly MergeHead[];
  /** A branch of the service's own, for managed files, of which a pull request changed. */
  readonly installationBranch: string | null;
  /** The rules of branches may have changed. */
  readonly branchRules: boolean;
  /** The installation itself, or the organization, changed. */
  readonly installationChanged: boolean;
  /** Which repositories there are, or what they are called, changed. */
  readonly repositoriesChanged: boolean;
  /** Repositories that the installation reaches now, or no more, by their ids. Nobody told of what changed in between. */
  readonly reached: readonly number[];
  /** Facts of every repository of the organization may have changed, as a team's members. */
  readonly wholeOrganization: boolean;
  /** Of whom it may have changed that they belong to the organization, by their ids. */
  readonly belonging: readonly number[];
  /** Of whom it may have changed what they may read there. */
  readonly reading: readonly number[] | 'everyone';
}

/** GitHub gives no member such a name. */
const UNREAD = ' unread';

type Reader<Event extends WebhookEventName> = (payload: WebhookPayload<Event>) => Partial<PayloadChanges>;

const NOTHING: PayloadChanges = {
  facts: [],
  branch: null,
  milestones: [],
  deployments: [],
  heads: [],
  installationBranch: null,
  branchRules: false,
  installationChanged: false,
  repositoriesChanged: false,
  reached: [],
  wholeOrganization: false,
  belonging: [],
  reading: [],
};

/** What happens to a repository that decides who may read it. */
const ACTS_ON_READERS: ReadonlySet<unknown> = new Set(['created', 'publicized', 'privatized', 'transferred']);

/** What happens to a repository after which nobody may have told of what changed in it meanwhile. */
const ACTS_ON_REACH: ReadonlySet<unknown> = new Set(['created', 'deleted', 'transferred']);

/** What happens to an organization that is about one of its people. */
const ACTS_ON_BELONGING: ReadonlySet<unknown> = new Set(['member_added', 'member_invited', 'member_removed']);

const EVERYTHING: FactHint = { kind: null, key: null };
/** Whatever a delivery that was not read may have told. */
const ANYTHING: Partial<PayloadChanges> = { installationChanged: true, facts: [EVERYTHING] };
const POLICY: FactHint = { kind: 'policy', key: '' };
const EVERY_ISSUE: FactHint = { kind: 'issues', key: null };
const EVERY_TEAM: FactHint = { kind: 'team', key: null };
const EVERY_PERMISSION: FactHint = { kind: 'permission', key: null };

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

/** A run, or a job of one: which jobs a run has, and how they stand, is one fact. */
const jobsOf = (payload: WebhookPayload<'workflow_job' | 'workflow_run'>): readonly FactKey[] =>
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

const proposedPull: Reader<'pull_request'> = (payload) => {
  const sha = payload.pull_request?.head?.sha;
  const isProposed = payload.action !== 'closed' && isSha(sha);
  const branch = payload.pull_request?.head?.ref;
  return {
    ...pullRequest(payload),
    heads: isProposed ? [{ sha, mergeGroup: null }] : [],
    installationBranch: isText(branch) && isManagedBranch(branch) ? branch : null,
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
  // While the app was suspended, not installed or without a permission, nobody told it of changes.
  installation: () => ({
    installationChanged: true,
    wholeOrganization: true,
    facts: [EVERYTHING],
    reading: 'everyone',
  }),
  installation_repositories: (payload: WebhookPayload<'installation_repositories'>) => ({
    repositoriesChanged: true,
    facts: [EVERYTHING],
    reached: [...idsIn(payload.repositories_added), ...idsIn(payload.repositories_removed)],
    reading: 'everyone',
  }),
  repository: (payload: WebhookPayload<'repository'>) => ({
    repositoriesChanged: true,
    facts: [ACTS_ON_REACH.has(payload.action) ? EVERYTHING : POLICY],
    reading: ACTS_ON_READERS.has(payload.action) ? 'everyone' : [],
  }),
  milestone: (payload: WebhookPayload<'milestone'>) => ({ milestones: counts(payload.milestone?.number) }),
  issues: (payload: WebhookPayload<'issues'>) => {
    const milestones = [...counts(payload.milestone?.number), ...counts(payload.issue?.milestone?.number)];
    return { facts: [...new Set(milestones)].map((number) => fact('issues', number)) };
  },
  // GitHub says nothing of the issues that bore a label which has another name now, or is gone.
  label: (payload: WebhookPayload<'label'>) => ({ facts: payload.action === 'created' ? [] : [EVERY_ISSUE] }),
  pull_request: proposedPull,
  pull_request_review: pullRequest,
  merge_group: mergeGroup,
  status: checksAt,
  check_run: checksAt,
  check_suite: checksAt,
  workflow_job: (payload: WebhookPayload<'workflow_job'>) => ({ facts: jobsOf(payload) }),
  workflow_run: (payload: WebhookPayload<'workflow_run'>) => ({
    facts: [...(checksAt(payload).facts ?? []), ...jobsOf(payload)],
  }),
  push: movedBranch,
  create: movedBranch,
  delete: movedBranch,
  deployment_status: (payload: WebhookPayload<'deployment_status'>) => ({
    deployments: counts(payload.deployment?.id),
  }),
  release: () => ({}),
  repository_ruleset: () => ({ branchRules: true }),
  branch_protection_rule: () => ({ branchRules: true }),
  organization: (payload: WebhookPayload<'organization'>) => ({
    // Who comes and goes changes what people may do, and nothing of the organization itself.
    installationChanged: !ACTS_ON_BELONGING.has(payload.action),
    wholeOrganization: true,
    // Who leaves the organization leaves its teams.
    facts: [EVERY_TEAM, permissionOf(payload.membership?.user)],
    belonging: counts(payload.membership?.user?.id),
  }),
  member: (payload: WebhookPayload<'member'>) => ({
    facts: [permissionOf(payload.member)],
    reading: counts(payload.member?.id),
  }),
  membership: (payload: WebhookPayload<'membership'>) => ({
    wholeOrganization: true,
    // The members of a team belong to each team above it too.
    facts: [EVERY_TEAM, permissionOf(payload.member)],
    reading: counts(payload.member?.id),
  }),
  // A team gives permissions to its members, and to those of the teams below it.
  team: () => ({ wholeOrganization: true, facts: [EVERY_TEAM, EVERY_PERMISSION], reading: 'everyone' }),
} satisfies Readonly<Partial<Record<WebhookEventName, (payload: never) => Partial<PayloadChanges>>>>;

/** The events that the service listens to; deliveries of any other are remembered and ignored. */
export const HANDLED_EVENTS: ReadonlySet<string> = new Set(Object.keys(READERS));

/** What is kept of a delivery that is too large to be read: whom it is about. */
export const unreadPayload = ({ installationId, repositoryId }: DeliveryIds): Buffer =>
  Buffer.from(
    JSON.stringify({ [UNREAD]: true, installation: { id: installationId }, repository: { id: repositoryId } }),
  );

const isUnread = (payload: unknown): boolean => isObject(payload) && payload[UNREAD] === true;

/** Reads the hints of a delivery; a payload of an unusual shape hints at less and never fails. */
export const readPayloadChanges = (event: string, payload: unknown): PayloadChanges => ({
  ...NOTHING,
  ...(isUnread(payload) ? ANYTHING : isObject(payload) && isHandled(event) ? READERS[event](payload) : undefined),
});

const isHandled = (event: string): event is keyof typeof READERS => Object.hasOwn(READERS, event);

const field = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);

const fact = (kind: 'pull' | 'reviews' | 'issues', number: number): FactKey => ({ kind, key: String(number) });

/** Of a user who is not named it is everybody's. */
const permissionOf = (user: unknown): FactHint => {
  const login = field(user, 'login');
  return isText(login) ? { kind: 'permission', key: login } : EVERY_PERMISSION;
};

const idsIn = (repositories: unknown): readonly number[] =>
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
