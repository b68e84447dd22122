import { describe, expect, it } from '@jest/globals';
import { issue } from '../../../../test/support/given-facts.js';
import { FixedClock } from '../../../../test/support/set-clock.js';
import type { Database, TenantTransaction } from '../../../database/database.js';
import type { IssueFact, Observation } from '../../../domain/facts/facts.js';
import type { ReleaseRefreshService } from '../evaluation/release-refresh.service.js';
import type { FactHints } from '../facts/fact-hints.repository.js';
import type { FactReaderService } from '../facts/fact-reader.service.js';
import type { FactsRepository } from '../facts/facts.repository.js';
import type { ObservationsRepository } from '../facts/observations.repository.js';
import type { NumberedObservation } from '../facts/observations.repository.js';
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

/** What is kept of issue 8 when it is linked: its numbers, whether they count as too old, and whether they are GitHub's word. */
async function keptOf(spec: { readonly stored: Observation[]; readonly seen: NumberedObservation<'issues'> | null }) {
  const kept: Observation[] = [];
  let expired = false;
  const recorder = {
    saveAndInvalidate: (_tx: TenantTransaction, _id: string, observations: readonly Observation[]) => {
      kept.push(...observations);
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
    recorder as unknown as FactsRepository,
    { nextIn: () => Promise.resolve('2') } as unknown as FactHints,
    {} as ReleaseRefreshService,
    clock,
  );
  const change = { action: 'link', number: 8 } as const;
  const isWord = await facts.saveChange(TX, RELEASE, { change, issue: { ...EIGHT, milestone: null }, seen: spec.seen });
  return {
    numbers: kept.flatMap(({ value }) => (value as readonly IssueFact[]).map((i) => i.number)),
    expired,
    isWord,
  };
}

describe('the scope that is kept after a change', () => {
  it.each([
    ['is GitHub’s list where that shows it', [], [SEVEN, EIGHT], { numbers: [7, 8], expired: false, isWord: true }],
    ['has it where the list lags', [], [], { numbers: [8], expired: true, isWord: false }],
    ['has what the list lacked before, too', [SEVEN], [], { numbers: [7, 8], expired: true, isWord: false }],
    ['has it where there is no list', [SEVEN], null, { numbers: [7, 8], expired: true, isWord: false }],
  ] as const)('%s', async (_, stored, seen, kept) => {
    expect(await keptOf({ stored: [issues(stored)], seen: seen && issues(seen) })).toEqual(kept);
  });

  it('is GitHub’s list with the change where nothing was known, and nothing where there is none', async () => {
    const lagging = { stored: [], seen: issues([SEVEN]) };
    expect(await keptOf(lagging)).toEqual({ numbers: [7, 8], expired: true, isWord: false });
    expect(await keptOf({ stored: [], seen: null })).toEqual({ numbers: [], expired: true, isWord: false });
  });
});
