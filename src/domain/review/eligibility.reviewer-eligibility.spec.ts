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
  endedEligibility,
  repositoryEligibility,
  reviewerEligibility,
  type ReviewerEligibility,
  selectEligible,
} from './eligibility.js';
import { FreshFacts } from './fresh-facts.js';

const { userId, login } = FIRST_REVIEWER;
const RULES = policyWith({ evidencing: reviewersRule({ teams: ['leads', 'managers'], excludeReleaseAuthors: true }) });
const MINUTE = 60_000;
const SECOND = 1_000;

/** The facts that make the user eligible, all observed now. */
const FACTS: Readonly<Record<string, Pick<Observation, 'kind' | 'key' | 'value'>>> = {
  policy: { kind: 'policy', key: '', value: valid(RULES) },
  pull: { kind: 'pull', key: String(PULL_NUMBER), value: pull() },
  permission: { kind: 'permission', key: login, value: { userId, level: 'write' } },
  leads: { kind: 'team', key: 'leads', value: { exists: true, userIds: [userId] } },
  managers: { kind: 'team', key: 'managers', value: { exists: true, userIds: [] } },
};
type Name = 'policy' | 'pull' | 'permission' | 'leads' | 'managers';

interface Given {
  /** Values that replace those of the facts. Undefined means that the fact was never observed. */
  readonly values?: Partial<Record<Name, Observation['value'] | undefined>>;
  readonly ages?: Partial<Record<Name, number>>;
  readonly authors?: readonly number[] | null;
  readonly pullNumber?: number | null;
  /** The milliseconds since GitHub was queried, or null if it was not. */
  readonly queriedAgo?: number | null;
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
  const { queriedAgo = null } = given;
  return new FreshFacts(observed(given), NOW, queriedAgo === null ? null : new Date(NOW.getTime() - queriedAgo));
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
/** The facts that decide the eligibility here. Membership of the other team does not matter. */
const DECIDING: readonly Name[] = ['policy', 'pull', 'permission', 'leads'];

describe('reviewerEligibility', () => {
  it('is derived from fresh facts', () => {
    expect(eligibility()).toEqual({ status: 'eligible', login, reason: 'first-reviewer may approve this release.' });
  });

  it('never uses stale facts, in any number and combination', () => {
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
  ])('names the missing fact "%s" and the reason', (name, subject) => {
    const minutes = name === 'policy' ? 20 : 5;
    expect(eligibility({ values: { [name]: undefined } }).reason).toBe(`${subject} is not known yet.`);
    const old = eligibility({ ages: { [name]: LIFETIMES[name] + SECOND } });
    expect(old).toMatchObject({ status: 'unknown', login });
    expect(old.reason).toBe(`${subject} was last read more than ${minutes} minutes ago.`);
    for (const given of [{ ages: { [name]: 2 } }, { values: { [name]: undefined } }]) {
      const notReturned = eligibility({ ...given, queriedAgo: 1 });
      expect(notReturned).toMatchObject({ status: 'unknown', login });
      expect(notReturned.reason).toBe(`${subject} was not read from GitHub in time.`);
    }
  });

  it('counts facts that were read at the time of the query', () => {
    const ages = { policy: 1, pull: 1, permission: 1, leads: 1, managers: 1 };
    expect(eligibility({ ages, queriedAgo: 1 }).status).toBe('eligible');
  });

  it.each<[string, Given, string]>([
    ['there is no pull request yet', { pullNumber: null }, 'There is no evidence pull request to approve yet.'],
    ['the pull request is missing', { values: { pull: null } }, 'The evidence pull request #7 no longer exists.'],
    [
      'the pull request was closed',
      { values: { pull: pull({ state: 'closed' }) } },
      'The evidence pull request #7 was closed without a merge.',
    ],
    [
      'the pull request was merged',
      { values: { pull: pull({ state: 'merged' }) } },
      'The evidence pull request #7 was merged.',
    ],
    [
      'the pull request was merged long ago',
      { values: { pull: pull({ state: 'merged' }) }, ages: { pull: 99 * MINUTE }, queriedAgo: 0 },
      'The evidence pull request #7 was merged.',
    ],
    [
      'the user has only read access',
      { values: { permission: { userId, level: 'triage' } } },
      'first-reviewer has no write access to the repository.',
    ],
    [
      'the user left the team',
      { values: { leads: { exists: true, userIds: [] } } },
      'first-reviewer belongs to none of the teams "leads", "managers".',
    ],
    ['the user wrote a commit', { authors: [9, userId] }, 'first-reviewer wrote a commit of this release.'],
  ])('is "ineligible" when %s', (_name, given, reason) => {
    expect(eligibility(given)).toEqual({ status: 'ineligible', login, reason });
  });

  it.each<[string, Given]>([
    [
      'the pull request was closed more than 5 minutes ago',
      { values: { pull: pull({ state: 'closed' }) }, ages: { pull: 5 * MINUTE } },
    ],
    ['the authors of the release are not known', { authors: null }],
    ['sdlc.yaml is not valid', { values: { policy: { status: 'invalid', problems: [], defaultBranch: 'main' } } }],
    ['there is no sdlc.yaml', { values: { policy: { status: 'missing', defaultBranch: 'main' } } }],
  ])('is "unknown" when %s', (_name, given) => {
    expect(eligibility(given)).toMatchObject({ status: 'unknown', login });
  });

  it('is "unknown" for an account with another login', () => {
    for (const other of [null, 2]) {
      const {
        status,
        login: name,
        reason,
      } = eligibility({ values: { permission: { userId: other, level: 'admin' } } });
      expect([status, name]).toEqual(['unknown', null]);
      expect(reason).toContain('no longer has the login "first-reviewer"');
    }
  });
});

describe('repositoryEligibility', () => {
  const eligibilityFor = (given: Given = {}) => repositoryEligibility(FIRST_REVIEWER, factsOf(given));

  it('is the eligibility for an open pull request by other authors', () => {
    expect(eligibilityFor()).toEqual({ status: 'eligible', excludesAuthors: true, lacks: null });
    expect(eligibilityFor({ values: { permission: { userId, level: 'read' } } })).toMatchObject({
      status: 'ineligible',
    });
    expect(eligibilityFor({ values: { pull: undefined } })).toMatchObject({ status: 'eligible' });
  });

  it.each<[string, Given, FactKey | null]>([
    ['the policy', { ages: { policy: 20 * MINUTE } }, { kind: 'policy', key: '' }],
    ['the permission', { values: { permission: undefined } }, { kind: 'permission', key: login }],
    ['a team', { ages: { leads: 5 * MINUTE } }, { kind: 'team', key: 'leads' }],
    ['nothing that GitHub could provide', { values: { policy: { status: 'missing', defaultBranch: 'main' } } }, null],
    ['only the login', { values: { permission: { userId: null, level: 'none' } } }, null],
  ])('is "unknown" when it lacks %s', (_name, given, lacks) => {
    expect(eligibilityFor(given)).toMatchObject({ status: 'unknown', lacks });
  });

  it('does not exclude authors without a known policy', () => {
    expect(eligibilityFor({ values: { policy: undefined } }).excludesAuthors).toBe(false);
    expect(eligibilityFor({ values: { policy: { status: 'missing', defaultBranch: 'main' } } }).excludesAuthors).toBe(
      false,
    );
  });
});

describe('endedEligibility', () => {
  it.each(['shipped', 'cancelled'] as const)('is final for a release that is %s', (ending) => {
    expect(endedEligibility('v1.2.0', ending, FIRST_REVIEWER)).toEqual({
      status: 'ineligible',
      login,
      reason: `v1.2.0 is ${ending}: its evidence can no longer be reviewed.`,
    });
  });
});

describe('selectEligible', () => {
  const users = [FIRST_REVIEWER, { userId: 2, login: 'stranger' }];
  const release = { pullNumber: PULL_NUMBER, authors: new Set<number>() };

  it('returns the users who are known to be eligible', () => {
    expect(selectEligible(users, release, factsOf({}))).toEqual([FIRST_REVIEWER]);
  });

  it.each<[string, Given, ReadonlySet<number>, readonly unknown[] | null]>([
    ['no users if every known user is ineligible', {}, new Set([userId]), []],
    ['no users if the pull request was merged', { values: { pull: pull({ state: 'merged' }) } }, new Set(), []],
    ['null if nothing fresh is known of any user', { ages: { permission: 5 * MINUTE } }, new Set(), null],
    ['null without users', {}, new Set(), null],
  ])('returns %s', (name, given, authors, expected) => {
    const reviewers = name.endsWith('without users') ? [] : users;
    expect(selectEligible(reviewers, { ...release, authors }, factsOf(given))).toEqual(expected);
  });
});

describe('listReviewFacts', () => {
  const ids = (number: number | null, policy: Policy | null) =>
    listReviewFacts(FIRST_REVIEWER, number, policy).map(factId);

  it('lists the policy, the user, the pull request and the teams of the policy', () => {
    expect(ids(7, RULES)).toEqual(['policy:', 'permission:first-reviewer', 'pull:7', 'team:leads', 'team:managers']);
    expect(ids(null, null)).toEqual(['policy:', 'permission:first-reviewer']);
  });
});
