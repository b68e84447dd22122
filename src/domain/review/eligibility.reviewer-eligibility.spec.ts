import { describe, expect, it } from '@jest/globals';
import {
  FIRST_REVIEWER,
  NOW,
  PULL_NUMBER,
  policyWith,
  pull,
  reviewersRule,
  valid,
} from '../../../test/support/given-facts.js';
import { factId, type FactKey, type Observation } from '../facts/facts.js';
import type { Policy } from '../policy/policy.js';
import {
  listReviewFacts,
  repositoryEligibility,
  reviewerEligibility,
  type ReviewerEligibility,
} from './eligibility.js';
import { FreshFacts } from './fresh-facts.js';

const { userId, login } = FIRST_REVIEWER;
const RULES = policyWith({ evidencing: reviewersRule({ teams: ['leads', 'managers'], excludeReleaseAuthors: true }) });
const MINUTE = 60_000;
const SECOND = 1_000;

/** Everything that speaks for the person, as it was observed this very moment. */
const FACTS: Readonly<Record<string, Pick<Observation, 'kind' | 'key' | 'value'>>> = {
  policy: { kind: 'policy', key: '', value: valid(RULES) },
  pull: { kind: 'pull', key: String(PULL_NUMBER), value: pull() },
  permission: { kind: 'permission', key: login, value: { userId, level: 'write' } },
  leads: { kind: 'team', key: 'leads', value: { exists: true, userIds: [userId] } },
  managers: { kind: 'team', key: 'managers', value: { exists: true, userIds: [] } },
};
type Name = 'policy' | 'pull' | 'permission' | 'leads' | 'managers';

interface Given {
  /** In place of what a fact says; undefined is one that was never observed. */
  readonly values?: Partial<Record<Name, Observation['value'] | undefined>>;
  readonly ages?: Partial<Record<Name, number>>;
  readonly authors?: readonly number[] | null;
  readonly pullNumber?: number | null;
  /** How long ago the host was asked; null where it was not. */
  readonly askedBefore?: number | null;
}

const observed = ({ values = {}, ages = {} }: Given): readonly Observation[] =>
  (Object.keys(FACTS) as Name[])
    .filter((name) => !(name in values) || values[name] !== undefined)
    .map((name) => ({
      ...(FACTS[name] as Observation),
      ...(name in values && { value: values[name] as Observation['value'] }),
      observedAt: new Date(NOW.getTime() - (ages[name] ?? 0)),
    }));

function factsOf(given: Given): FreshFacts {
  const { askedBefore = null } = given;
  return new FreshFacts(observed(given), NOW, askedBefore === null ? null : new Date(NOW.getTime() - askedBefore));
}

function eligibility(given: Given = {}): ReviewerEligibility {
  const { authors = [9], pullNumber = PULL_NUMBER } = given;
  const known = authors && new Set(authors);
  return reviewerEligibility({ reviewer: FIRST_REVIEWER, pullNumber, authors: known }, factsOf(given));
}

const LIFETIMES: Readonly<Record<Name, number>> = {
  policy: 20 * MINUTE,
  pull: 5 * MINUTE,
  permission: 5 * MINUTE,
  leads: 5 * MINUTE,
  managers: 5 * MINUTE,
};
/** What makes up the person's eligibility here: that they are in no other team decides nothing. */
const DECIDING: readonly Name[] = ['policy', 'pull', 'permission', 'leads'];

describe('whether a person may review now', () => {
  it('is told by what is known at this moment', () => {
    expect(eligibility()).toEqual({ status: 'eligible', login, reason: 'first-reviewer may approve this release.' });
  });

  it('is told by no fact that is older than it lives, whichever and however many are', () => {
    const ages = (name: Name) => [0, LIFETIMES[name] - 1, LIFETIMES[name], LIFETIMES[name] + SECOND, null] as const;
    let tried = 0;
    const combine = (rest: readonly Name[], given: Given, fresh: boolean): void => {
      const [name, ...others] = rest;
      if (name === undefined) {
        const { status, reason } = eligibility(given);
        expect([given, status]).toEqual([given, fresh ? 'eligible' : 'unknown']);
        expect(reason).toMatch(/^[^.]+( sdlc\.yaml)?[^.]*\.$/);
        tried += 1;
        return;
      }
      for (const age of ages(name)) {
        const values = age === null ? { ...given.values, [name]: undefined } : { ...given.values };
        const older = age === null ? { ...given.ages } : { ...given.ages, [name]: age };
        combine(others, { ...given, values, ages: older }, fresh && age !== null && age < LIFETIMES[name]);
      }
    };
    combine(DECIDING, {}, true);
    expect(tried).toBe(5 ** DECIDING.length);
  });

  it.each<[Name, string]>([
    ['policy', 'The review rules in sdlc.yaml'],
    ['pull', 'The state of the evidence pull request'],
    ['permission', 'The permission of first-reviewer in the repository'],
    ['leads', 'The member list of the team "leads"'],
  ])('says what it lacks of the fact "%s", and why', (name, subject) => {
    const minutes = name === 'policy' ? 20 : 5;
    expect(eligibility({ values: { [name]: undefined } }).reason).toBe(`${subject} is not known yet.`);
    const old = eligibility({ ages: { [name]: LIFETIMES[name] + SECOND } });
    expect(old).toMatchObject({ status: 'unknown', login });
    expect(old.reason).toBe(`${subject} was last read more than ${minutes} minutes ago.`);
    for (const given of [{ ages: { [name]: 2 } }, { values: { [name]: undefined } }]) {
      const untold = eligibility({ ...given, askedBefore: 1 });
      expect(untold).toMatchObject({ status: 'unknown', login });
      expect(untold.reason).toBe(`${subject} was not told by the code host in time.`);
    }
  });

  it('counts what the host said at the moment at which it was asked', () => {
    const ages = { policy: 1, pull: 1, permission: 1, leads: 1, managers: 1 };
    expect(eligibility({ ages, askedBefore: 1 }).status).toBe('eligible');
  });

  it.each<[string, Given, string]>([
    ['there is no pull request yet', { pullNumber: null }, 'There is no evidence pull request to approve yet.'],
    ['it is gone', { values: { pull: null } }, 'The evidence pull request #7 is gone.'],
    [
      'it was closed',
      { values: { pull: pull({ state: 'closed' }) } },
      'The evidence pull request #7 was closed without a merge.',
    ],
    ['it was merged', { values: { pull: pull({ state: 'merged' }) } }, 'The evidence pull request #7 was merged.'],
    [
      'it was merged long ago',
      { values: { pull: pull({ state: 'merged' }) }, ages: { pull: 99 * MINUTE }, askedBefore: 0 },
      'The evidence pull request #7 was merged.',
    ],
    [
      'they may only read',
      { values: { permission: { userId, level: 'triage' } } },
      'first-reviewer has no write access to the repository.',
    ],
    [
      'they left the team',
      { values: { leads: { exists: true, userIds: [] } } },
      'first-reviewer belongs to none of the teams "leads", "managers".',
    ],
    ['they wrote a commit', { authors: [9, userId] }, 'first-reviewer wrote a commit of this release.'],
  ])('is no where %s', (_name, given, reason) => {
    expect(eligibility(given)).toEqual({ status: 'ineligible', login, reason });
  });

  it.each<[string, Given]>([
    [
      'it was closed more than 5 minutes ago',
      { values: { pull: pull({ state: 'closed' }) }, ages: { pull: 5 * MINUTE } },
    ],
    ['nobody knows who wrote the release', { authors: null }],
    ['sdlc.yaml is not valid', { values: { policy: { status: 'invalid', problems: [], defaultBranch: 'main' } } }],
    ['there is no sdlc.yaml', { values: { policy: { status: 'missing', defaultBranch: 'main' } } }],
  ])('is unknown where %s', (_name, given) => {
    expect(eligibility(given)).toMatchObject({ status: 'unknown', login });
  });

  it('is unknown of an account that is called otherwise by now', () => {
    for (const other of [null, 2]) {
      const {
        status,
        login: name,
        reason,
      } = eligibility({ values: { permission: { userId: other, level: 'admin' } } });
      expect([status, name]).toEqual(['unknown', null]);
      expect(reason).toContain('not called "first-reviewer" any more');
    }
  });
});

describe('what can be told of a person for a whole repository', () => {
  const standing = (given: Given = {}) => repositoryEligibility(FIRST_REVIEWER, factsOf(given));

  it('is what it would be of an open pull request that others wrote', () => {
    expect(standing()).toEqual({ status: 'eligible', excludesAuthors: true, lacks: null });
    expect(standing({ values: { permission: { userId, level: 'read' } } })).toMatchObject({ status: 'ineligible' });
    expect(standing({ values: { pull: undefined } })).toMatchObject({ status: 'eligible' });
  });

  it.each<[string, Given, FactKey | null]>([
    ['the policy', { ages: { policy: 20 * MINUTE } }, { kind: 'policy', key: '' }],
    ['the permission', { values: { permission: undefined } }, { kind: 'permission', key: login }],
    ['a team', { ages: { leads: 5 * MINUTE } }, { kind: 'team', key: 'leads' }],
    ['nothing that the host could tell', { values: { policy: { status: 'missing', defaultBranch: 'main' } } }, null],
    ['nothing but the name', { values: { permission: { userId: null, level: 'none' } } }, null],
  ])('is unknown where it lacks %s', (_name, given, lacks) => {
    expect(standing(given)).toMatchObject({ status: 'unknown', lacks });
  });
});

describe('what the host is asked about a review', () => {
  const ids = (number: number | null, policy: Policy | null) =>
    listReviewFacts(FIRST_REVIEWER, number, policy).map(factId);

  it('is the rules, the person, the pull request and the teams that the rules name', () => {
    expect(ids(7, RULES)).toEqual(['policy:', 'permission:first-reviewer', 'pull:7', 'team:leads', 'team:managers']);
    expect(ids(null, null)).toEqual(['policy:', 'permission:first-reviewer']);
  });
});
