import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { FACT_KINDS } from './release-under-test.js';
import { FAILED_CLOSED, FailingGitHub } from './failing-github.js';
import { COMMON_FAILURES, RARE_FAILURES, SLOWNESS } from './github-failures.js';

const FAILURES = [...COMMON_FAILURES, ...RARE_FAILURES];

let host: FailingGitHub;
beforeAll(async () => {
  host = await FailingGitHub.start([...FAILURES, SLOWNESS]);
});
afterAll(() => host.stop());
afterEach(() => expect(host.troubles()).toEqual([]));

it.each(FACT_KINDS)(
  'no failure of GitHub opens a gate that depends on %s, and the gate recovers from each',
  async (kind) => {
    const closed = Object.fromEntries(FAILURES.map(({ name }) => [name, FAILED_CLOSED]));
    expect(await host.fail(kind, FAILURES, 'all is read anew')).toEqual(closed);
  },
);

it.each(FACT_KINDS)('no late response opens a gate that depends on %s before it arrives', async (kind) => {
  expect(await host.fail(kind, [SLOWNESS], 'the answer comes')).toEqual({ [SLOWNESS.name]: FAILED_CLOSED });
});
