import { sha256 } from '../../src/crypto/digests.js';
import { replay, type StoredInputs } from '../../src/domain/release/replay.js';
import type { TestEnvironment } from './test-environment.js';

interface StoredDecision {
  readonly id: string;
  readonly verdict: object;
  readonly inputs: StoredInputs;
}

/** Replays every stored decision. Returns their number, and those that differ today. */
export async function replayStoredDecisions(
  env: Pick<TestEnvironment, 'asSuperuser'>,
): Promise<{ count: number; differing: readonly string[] }> {
  const decisions = await env.asSuperuser<StoredDecision>('select id, verdict, inputs from decision');
  const differing = decisions.flatMap(({ id, verdict, inputs }) =>
    replay(inputs, verdict, sha256).differences.map((part) => `${part} of ${id}`),
  );
  return { count: decisions.length, differing };
}
