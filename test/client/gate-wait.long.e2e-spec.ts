import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestServer } from '../workflows/runner-services.js';
import { buildClient, type ClientOutcome, removeClient, shipgate } from './client-process.js';
import { writeFastClock } from './fast-clock.js';
import { keySecret } from '../../src/domain/keys/key-secret.js';

const SHA = '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392';

type Answer = { readonly status?: number; readonly reasons?: readonly string[]; readonly actor?: string } | 'open';

const APPROVALS: Answer = { reasons: ['approvals_missing'], actor: 'service' };

/** Answers like the gate, in turn. The last answer repeats. */
async function waitFor(
  answers: readonly Answer[],
  wait: string,
  given: Readonly<Record<string, string>> = {},
): Promise<ClientOutcome & { readonly times: readonly number[]; readonly explained: readonly boolean[] }> {
  const times: number[] = [];
  const explained: boolean[] = [];
  const server = await TestServer.answering((request, response) => {
    request.resume();
    const answer = answers[Math.min(times.length, answers.length - 1)] ?? 'open';
    const isExplained = (request.url ?? '').includes('explain=true');
    times.push(performance.now());
    explained.push(isExplained);
    const status = answer === 'open' ? 200 : (answer.status ?? 200);
    const { reasons = [], actor = 'reviewer' } = answer === 'open' ? {} : answer;
    const body = {
      version: 'v1.4.0',
      current_stage: answer === 'open' ? 'DEPLOYMENT' : 'EVIDENCING',
      evidence_pr_approved: answer === 'open',
      tests_passing: true,
      can_deploy: answer === 'open',
      ...(isExplained && { reasons: reasons.map((code) => ({ code, actor, detail: code })) }),
    };
    response.writeHead(status, { 'content-type': 'application/json', ...(status === 429 && { 'retry-after': '1' }) });
    response.end(JSON.stringify(status === 200 ? body : { error: 'Not now.' }));
  });
  try {
    const outcome = await shipgate(
      ['gate', '--release', 'v1.4.0', '--repo', 'acme/payments', '--sha', SHA, '--wait', wait, '--json'],
      {
        env: { SHIPGATE_URL: server.url, SHIPGATE_API_KEY: keySecret('sgk', new Uint8Array(32)), ...given },
      },
    );
    return Object.assign(outcome, { times, explained });
  } finally {
    await server.stop();
  }
}

describe('shipgate gate --wait', () => {
  beforeAll(buildClient);
  afterAll(removeClient);

  it('ends at once if the gate is open', async () => {
    const { code, times } = await waitFor(['open'], '1m');
    expect([code, times.length]).toEqual([0, 1]);
  });

  it('confirms an opening that it waited for after three seconds', async () => {
    const { code, times, explained } = await waitFor([APPROVALS, 'open'], '1m');
    const confirmed = (times.at(-1) ?? 0) - (times.at(-2) ?? 0);
    expect([code, explained.at(-1)]).toEqual([0, true]);
    expect(confirmed).toBeGreaterThanOrEqual(2_900);
  }, 30_000);

  it('does not trust an opening that does not last', async () => {
    const { code, json } = await waitFor([APPROVALS, 'open', 'open', APPROVALS], '8s');
    expect([code, json['outcome']]).toEqual([1, 'closed']);
  }, 30_000);

  it.each<[string, Answer, number]>([
    ['closed', APPROVALS, 1],
    ['not answered', { status: 503 }, 3],
  ])(
    'does not trust an opening at its limit if the confirmation is %s',
    async (_, confirmation, expected) => {
      const { code } = await waitFor([{ status: 503 }, 'open', confirmation], '3s');
      expect(code).toBe(expected);
    },
    30_000,
  );

  it('ends at once if the credential is refused', async () => {
    const { code, times } = await waitFor([APPROVALS, { status: 401 }], '1m');
    expect([code, times.length]).toEqual([3, 2]);
  }, 30_000);

  it('ends with 1 at its limit, and not much later, if the gate stays closed', async () => {
    const start = performance.now();
    const { code, json } = await waitFor([APPROVALS], '5s');
    expect([code, json['outcome']]).toEqual([1, 'closed']);
    const elapsedMs = performance.now() - start;
    expect(elapsedMs).toBeGreaterThanOrEqual(5_000);
    expect(elapsedMs).toBeLessThan(20_000);
  }, 30_000);

  it.each(['cancelled', 'repository_removed'])('ends with 1 at once for %s, which no waiting clears', async (code) => {
    const outcome = await waitFor([{ reasons: [code] }], '1m');
    expect([outcome.code, outcome.times.length]).toEqual([1, 1]);
  });

  it('continues during a rate limit or an outage, and ends with the last known answer', async () => {
    const { code, json, times } = await waitFor([APPROVALS, { status: 429 }, { status: 503 }], '9s');
    expect([code, json['outcome']]).toEqual([1, 'closed']);
    expect(times.length).toBeGreaterThan(2);
  }, 30_000);

  it('ends with 0 if the gate opens after an outage', async () => {
    const away: Answer = { status: 503 };
    const { code, stderr } = await waitFor([APPROVALS, away, away, 'open'], '1m');
    expect([code, stderr.match(/Still waiting: Not now\./g)?.length]).toEqual([0, 2]);
  }, 60_000);

  it('ends with 3 if the gate never answered', async () => {
    const { code, json } = await waitFor([{ status: 503 }], '4s');
    expect([code, json['outcome']]).toEqual([3, 'unknown']);
  }, 30_000);

  describe('with a fast clock, so that the second answer comes more than a minute after the first', () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(path.join(tmpdir(), 'shipgate-clock-'));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    // More requests would mean that the wait continued.
    it.each<[string, Answer, readonly boolean[], number, string]>([
      ['3 if the release is not found', { status: 404 }, [true, false], 3, 'unknown'],
      [
        '1 if only another commit is the candidate',
        { reasons: ['not_the_candidate'], actor: 'service' },
        [true, false, true],
        1,
        'closed',
      ],
    ])(
      'ends long before its limit with %s',
      async (_, answer, explained, code, outcome) => {
        const clock = { NODE_OPTIONS: `--require=${writeFastClock(folder)}` };
        const ended = await waitFor([answer], '1h', clock);
        expect([ended.code, ended.json['outcome'], ended.explained]).toEqual([code, outcome, explained]);
      },
      60_000,
    );
  });
});
