import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { FactKind } from '../../src/domain/facts/facts.js';
import { FACT_KINDS } from '../faults/release-under-test.js';
import { FAILED_CLOSED, FailingGitHub } from '../faults/failing-github.js';
import { COMMON_FAILURES, SLOWNESS } from '../faults/github-failures.js';

/** One kind for each source: files, branches, CI and users. `npm run test:faults` tests all kinds. */
const SOME_KINDS: readonly FactKind[] = ['policy', 'refs', 'checks', 'permission'];

describe('an open gate', () => {
  let host: FailingGitHub;
  beforeAll(async () => {
    host = await FailingGitHub.start([...COMMON_FAILURES, SLOWNESS]);
  }, 120_000);
  afterAll(() => host.stop());
  afterEach(() => expect(host.troubles()).toEqual([]));

  const closed = (failures: readonly { readonly name: string }[]): object =>
    Object.fromEntries(failures.map(({ name }) => [name, FAILED_CLOSED]));

  it('depends on a fact of every kind', async () => {
    expect((await host.usedFacts()).toSorted()).toEqual(FACT_KINDS.toSorted());
  });

  it.each(SOME_KINDS)(
    'closes while %s has expired and cannot be read, makes no call during a requested pause, and opens again',
    async (kind) => {
      expect(await host.fail(kind, COMMON_FAILURES)).toEqual(closed(COMMON_FAILURES));
    },
  );

  it('closes while the response is late, and opens again', async () => {
    expect(await host.fail('reviews', [SLOWNESS], 'the answer comes')).toEqual(closed([SLOWNESS]));
  });
});
