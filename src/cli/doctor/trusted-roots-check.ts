import type { Clock } from '../../config/clock.js';
import type { Environment } from '../../config/environment.js';
import { builtInRoots, readTrustedRoots, type TrustRoot } from '../../provenance/trusted-root.js';
import { type CheckResult, CheckResults } from './check-result.js';

const WARNED_AHEAD_MS = 60 * 86_400_000;

const results = new CheckResults('trusted roots');

/** Checks that the trusted roots of provenance can be read and do not expire soon. */
export async function checkTrustedRoots(
  { trustedRoots }: Pick<Environment, 'trustedRoots'>,
  clock: Pick<Clock, 'now'>,
): Promise<readonly CheckResult[]> {
  let further: readonly TrustRoot[] = [];
  try {
    further = trustedRoots === null ? [] : readTrustedRoots(trustedRoots);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [results.fail(reason, 'Correct the file or TRUSTED_ROOTS. The service does not start without it.')];
  }
  const roots = [...builtInRoots(), ...further];
  const ending = roots.filter(({ expiresAt }) => expiresAt.getTime() < clock.now().getTime() + WARNED_AHEAD_MS);
  if (ending.length === 0) return [results.ok(`${roots.length} roots verify the provenance of artifacts`)];
  return ending.map(({ name, expiresAt }) =>
    results.warn(
      `the root ${name} verifies no build after ${expiresAt.toISOString().slice(0, 10)}`,
      'Upgrade Shipgate, which ships newer roots, or replace the root in TRUSTED_ROOTS.',
    ),
  );
}
