import { describe, expect, it } from '@jest/globals';
import { issue } from '../../../../test/support/given-facts.js';
import { FixedClock } from '../../../../test/support/fixed-clock.js';
import type { Database, TenantTransaction } from '../../../database/database.js';
import type { IssueFact, Observation } from '../../../domain/facts/facts.js';
import type { ReleaseRefreshService } from '../evaluation/release-refresh.service.js';
import type { FactHintsRepository } from '../facts/fact-hints.repository.js';
import type { FactReaderService } from '../facts/fact-reader.service.js';
import type { FactsService } from '../facts/facts.service.js';
import type { ObservationsRepository, NumberedObservation } from '../facts/observations.repository.js';
import { ScopeFactsService } from './scope-facts.service.js';
import type { ScopedRelease } from './scope.repository.js';

const TX = {} as TenantTransaction;
const RELEASE = { repository: { id: 'repository' }, milestoneNumber: 3 } as ScopedRelease;
const SEVEN = issue({ number: 7 });
const EIGHT = issue({ number: 8 });
const clock = new FixedClock();

const issues = (value: readonly IssueFact[]): NumberedObservation<'issues'> => ({
  kind: 'issues',
  key: '3',
  value,
  observedAt: clock.now(),
  readNumber: '1',
});

/**
 * Returns what is stored of issue 8 after it was linked: its number, whether the facts count as stale, and whether they come from
 * GitHub.
 */
async function saveAndRead(spec: {
  readonly stored: Observation[];
  readonly seen: NumberedObservation<'issues'> | null;
}) {
  const saved: Observation[] = [];
  let expired = false;
  const factsRepository = {
    saveAndInvalidate: (_tx: TenantTransaction, _id: string, observations: readonly Observation[]) => {
      saved.push(...observations);
      return Promise.resolve();
    },
    expire: () => {
      expired = true;
      return Promise.resolve();
    },
  };
  const facts = new ScopeFactsService(
    {} as Database,
    {} as FactReaderService,
    { list: () => Promise.resolve(spec.stored) } as unknown as ObservationsRepository,
    factsRepository as unknown as FactsService,
    { nextIn: () => Promise.resolve('2') } as unknown as FactHintsRepository,
    {} as ReleaseRefreshService,
    clock,
  );
  const change = { action: 'link', number: 8 } as const;
  const isFromGitHub = await facts.saveChange(TX, RELEASE, {
    change,
    issue: { ...EIGHT, milestone: null },
    seen: spec.seen,
  });
  return {
    numbers: saved.flatMap(({ value }) => (value as readonly IssueFact[]).map((i) => i.number)),
    expired,
    isFromGitHub,
  };
}

describe('the scope that is stored after a change', () => {
  it.each([
    [
      'is GitHub’s list if that shows the change',
      [],
      [SEVEN, EIGHT],
      { numbers: [7, 8], expired: false, isFromGitHub: true },
    ],
    ['contains the change if the list is late', [], [], { numbers: [8], expired: true, isFromGitHub: false }],
    [
      'contains earlier changes that the list does not show',
      [SEVEN],
      [],
      { numbers: [7, 8], expired: true, isFromGitHub: false },
    ],
    ['contains the change if there is no list', [SEVEN], null, { numbers: [7, 8], expired: true, isFromGitHub: false }],
  ] as const)('%s', async (_, stored, seen, saved) => {
    expect(await saveAndRead({ stored: [issues(stored)], seen: seen && issues(seen) })).toEqual(saved);
  });

  it('is GitHub’s list with the change if nothing was stored, and nothing if there is no list', async () => {
    const lagging = { stored: [], seen: issues([SEVEN]) };
    expect(await saveAndRead(lagging)).toEqual({ numbers: [7, 8], expired: true, isFromGitHub: false });
    expect(await saveAndRead({ stored: [], seen: null })).toEqual({ numbers: [], expired: true, isFromGitHub: false });
  });
});
