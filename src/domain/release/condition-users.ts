import type { Condition } from '../facts/condition.js';
import type { ConditionCode } from '../facts/condition-catalogue.js';
import { isOfCommits, type Sha } from '../facts/facts.js';
import { TrackedFacts } from '../facts/tracked-facts.js';
import { candidateAuthors, type Verdict, type VerdictInputs } from './evaluate.js';

/** More users than this are no help to a reader: the role of the condition then stands for them. */
export const MAX_CONDITION_USERS = 3;

/** A user as a fact names them: by the id or by the login on GitHub. */
export type NamedUser = number | string;

type UsedVerdict = Pick<Verdict, 'approval' | 'candidateSha' | 'developmentHead'>;
type UsedInputs = Pick<VerdictInputs, 'record' | 'observations'>;
/** Lists users by the values that identify the first subject of the condition. */
type ListUsers = (subject: readonly unknown[], verdict: UsedVerdict, inputs: UsedInputs) => readonly NamedUser[];

/** The author of the candidate, whose run failed. */
const listCandidateAuthors: ListUsers = (_subject, { candidateSha }, inputs) => listCommitAuthors(candidateSha, inputs);

const USERS: Readonly<Partial<Record<ConditionCode, ListUsers>>> = {
  issue_open: ([number], _verdict, { record, observations }) => {
    const issues = new TrackedFacts(observations).read('issues', String(record.milestoneNumber)) ?? [];
    return issues.find((issue) => issue.number === number)?.assignees ?? [];
  },
  check_failing: listCandidateAuthors,
  evidence_failing: listCandidateAuthors,
  quality_gate_failing: listCandidateAuthors,
  too_few_tests: listCandidateAuthors,
  approvals_missing: listReviewers,
  changes_requested: (subject) => subject.filter((userId) => typeof userId === 'number'),
};

/**
 * Returns the users of whom the facts of the verdict say that they can meet the condition. Empty if the facts name none, or more than
 * `MAX_CONDITION_USERS`. A verdict does not depend on it.
 */
export function conditionUsers(
  { code, subjects: [first] = [] }: Condition,
  verdict: UsedVerdict,
  inputs: UsedInputs,
): readonly NamedUser[] {
  // `toSubjectId` wrote the kind and then the values.
  const [, ...subject] = first === undefined ? [] : (JSON.parse(first.id) as readonly unknown[]);
  const users = [...new Set(USERS[code]?.(subject, verdict, inputs))];
  return users.length > MAX_CONDITION_USERS ? [] : users;
}

function listCommitAuthors(sha: Sha | null, { observations }: UsedInputs): readonly number[] {
  const commits = observations.filter(isOfCommits).flatMap(({ value }) => ('commits' in value ? value.commits : value));
  const authorId = commits.find((commit) => commit.sha === sha)?.authorId ?? null;
  return authorId === null ? [] : [authorId];
}

/** The members of the required teams who did not write the release, if that is required, and did not approve it yet. */
function listReviewers(subject: readonly unknown[], verdict: UsedVerdict, inputs: UsedInputs): readonly number[] {
  const [, authorship, ...teams] = subject;
  const facts = new TrackedFacts(inputs.observations);
  const authors = authorship === 'without authors' ? candidateAuthors(verdict, inputs) : new Set<number>();
  const members = teams.map((slug) => facts.read('team', String(slug)));
  if (authors === null || members.includes(undefined)) return [];
  const approvers = new Set(verdict.approval?.approvers);
  const reviews = facts.read('reviews', String(inputs.record.evidencePull?.number)) ?? [];
  const done = new Set(reviews.filter(({ login }) => approvers.has(login ?? '')).map(({ userId }) => userId));
  return members.flatMap((team) => team?.userIds ?? []).filter((userId) => !authors.has(userId) && !done.has(userId));
}
