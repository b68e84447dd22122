import type { Clock } from '../../config/clock.js';
import type { Environment } from '../../config/environment.js';
import type { Database } from '../../database/database.js';
import { networkTest } from '../../http/open-connections.js';
import { ForwarderRecorder } from '../../http/rate-limit/forwarder.recorder.js';
import { type Finding, Findings } from './finding.js';

const DAY_MS = 86_400_000;

const proxies = new Findings('proxies');

/** Whether the proxy in front is one whose word counts: else everybody behind it shares the limits of one client. */
export async function examineProxies(
  database: Database,
  { trustedProxies }: Environment,
  clock: Clock,
): Promise<readonly Finding[]> {
  const seen = await new ForwarderRecorder(database).find();
  if (
    seen === null ||
    clock.now().getTime() - seen.seenAt.getTime() > DAY_MS ||
    networkTest(trustedProxies)(seen.address)
  ) {
    return [proxies.ok('no untrusted address has sent forwarding headers of late')];
  }
  return [
    proxies.warn(
      `${seen.address} sends forwarding headers and is not trusted, last at ${seen.seenAt.toISOString()}`,
      'If it is your proxy, name it in TRUSTED_PROXIES: its clients share the limits of one until then. Else let it be.',
    ),
  ];
}
