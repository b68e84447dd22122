import type { CiCaller } from '../../auth/caller.js';
import type { CiRun } from '../../domain/evidence/evidence.js';

/** Where GitHub shows a run, with or without the attempt. */
const GITHUB_RUN = /\/actions\/runs\/(\d{1,19})(?:\/attempts\/(\d{1,6}))?\/?$/;

/** Which run an upload belongs to: what the token says, or else the run's address; null where nothing tells. */
export function runOf(caller: CiCaller, runUrl: string | null): CiRun | null {
  if (caller.kind === 'identity_token') return { id: String(caller.runId), attempt: caller.runAttempt };
  if (runUrl === null) return null;
  const { origin, pathname, search } = new URL(runUrl);
  const [, run, attempt] = GITHUB_RUN.exec(pathname) ?? [];
  return run === undefined
    ? { id: `${origin}${pathname}${search}`, attempt: 1 }
    : { id: run, attempt: Number(attempt ?? 1) };
}

/** Who uploads, for the records. */
export const actorOf = (caller: CiCaller): string =>
  caller.kind === 'api_key' ? `key ${caller.keyId}` : `run ${caller.runId} of ${caller.repository}`;
