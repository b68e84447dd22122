import type { CiCaller } from '../../../auth/caller.js';
import type { EvidencePiece } from '../../../domain/evidence/evidence.js';

/** A run on GitHub, with or without its attempt. */
const GITHUB_RUN = /^(.*\/actions\/runs\/\d{1,19})(?:\/attempts\/(\d{1,15}))?\/?$/;

/** Which job of which run an upload comes from. */
export type Origin = Pick<EvidencePiece, 'run' | 'attempt' | 'checkRunId'>;

/**
 * The origin that the token proves, or else the one that the upload states: nothing that an API key states is taken for a number of
 * GitHub's. The attempts of a run on GitHub have addresses of their own, and are one run.
 */
export function originOf(
  caller: CiCaller,
  stated: { readonly runUrl: string | null; readonly runAttempt: number | null },
): Origin {
  if (caller.kind === 'identity_token') {
    const { runId, runAttempt: attempt, checkRunId } = caller;
    return { run: { id: String(runId), proven: true }, attempt, checkRunId };
  }
  if (stated.runUrl === null) return { run: null, attempt: stated.runAttempt ?? 1, checkRunId: null };
  const { origin, pathname, search } = new URL(stated.runUrl);
  const [, run, attempt] = GITHUB_RUN.exec(pathname) ?? [];
  return {
    run: { id: `${origin}${run ?? pathname}${search}`, proven: false },
    attempt: stated.runAttempt ?? Number(attempt ?? 1),
    checkRunId: null,
  };
}

/** Who uploads, for the records. */
export const actorOf = (caller: CiCaller): string =>
  caller.kind === 'api_key' ? `key ${caller.keyId}` : `run ${caller.runId} of ${caller.repository}`;
