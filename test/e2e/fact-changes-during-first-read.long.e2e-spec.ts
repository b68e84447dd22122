import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { FACT_LIFETIME_MS } from '../../src/domain/facts/facts.js';
import { CHANGING_KINDS } from '../faults/release-under-test.js';
import { CLOSED_AND_CURRENT, FIRST_READERS, FirstReads, type FirstRead } from '../faults/first-reads.js';
import { TestEnvironment } from '../support/test-environment.js';
import { PLAIN_POLICY, RepositoryScenario } from './scenarios/repository-scenario.js';

/** Each kind with one of the readers. `npm run test:faults` combines each kind with all of them. */
const READS: readonly FirstRead[] = CHANGING_KINDS.map((kind, index) => ({
  kind,
  reader: FIRST_READERS[index % FIRST_READERS.length]!,
}));

describe('a fact that changes during its first read', () => {
  let env: TestEnvironment;
  let reads: FirstReads;

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    reads = await FirstReads.start(env, READS);
  }, 600_000);
  afterAll(async () => {
    await reads.stop();
    await env.stop();
  });
  afterEach(() => {
    env.github.faults.clear();
    expect(env.violations).toEqual([]);
  });

  it('covers every kind of fact that expires and that verdicts use', async () => {
    const ageing = (await reads.usedFacts()).filter((kind) => Number.isFinite(FACT_LIFETIME_MS[kind]));
    expect(ageing.toSorted()).toEqual(CHANGING_KINDS.toSorted());
  });

  it.each(READS)('opens no gate and is read again within seconds: $kind, read by $reader', async (read) => {
    expect(await reads.change(read)).toEqual(CLOSED_AND_CURRENT);
  });

  it('is not a missing policy if it was pushed while the repository had no release', async () => {
    await env.install();
    const held = env.github.faults.hold(({ url }) => url.startsWith('/repos/acme/unruled/contents/sdlc.yaml'));
    const { repository } = new RepositoryScenario(env, { name: 'unruled', sdlc: null });
    await held.came;
    repository.commit({ files: { 'sdlc.yaml': PLAIN_POLICY } });
    await reads.untilDelivered();
    held.letThrough();
    await env.waitUntilIdle();
    expect(
      await env.asSuperuser(
        `select o.value ->> 'status' as status, o.observed_at > 'epoch' as counts
         from observation o join repository r on r.id = o.repository_id where r.name = 'unruled' and o.kind = 'policy'`,
      ),
    ).toEqual([{ status: 'valid', counts: true }]);
  });
});
