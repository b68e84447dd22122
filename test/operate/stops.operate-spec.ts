import { expect, it } from '@jest/globals';
import { changeDatabaseUrl } from '../../src/config/database-url.js';
import { describeWith } from './installed.js';
import { PgBouncer, pgbouncerVersion } from './pgbouncer.js';
import { PostgresServer, serverPrograms } from './postgres-server.js';
import { ServiceUnderLoad } from './service-under-load.js';
import { SilentLine } from '../support/silent-line.js';

const FAULTS = ['the server hung', 'the network dropped packets', 'PgBouncer lost its server'] as const;
/** At once the jobs still wait for the database. Later the worker has noticed the loss and replaces its pool. */
const CASES = FAULTS.flatMap((fault) => [2, 25].map((seconds) => ({ fault, seconds })));

describeWith({ postgresql: serverPrograms(), pgbouncer: pgbouncerVersion() })('a service without its database', () => {
  it.each(CASES)('stops in time and with 0, $seconds s after $fault', async ({ fault, seconds }) => {
    const server = await PostgresServer.start();
    const line = await SilentLine.to(server.port);
    let bouncer: PgBouncer | null = null;
    let service: ServiceUnderLoad | null = null;
    try {
      const { runtimeUrl, migrationUrl } = await server.makeDatabase();
      const through = (url: string): string => changeDatabaseUrl(url, (changed) => (changed.port = String(line.port)));
      bouncer =
        fault === 'PgBouncer lost its server'
          ? await PgBouncer.start({ runtimeUrl, migrationUrl }, 'pool_mode = transaction')
          : null;
      service = await ServiceUnderLoad.start(
        {
          appUrl: bouncer?.through(runtimeUrl) ?? through(runtimeUrl),
          ownerUrl: through(migrationUrl),
          superuserUrl: server.superuserUrl,
        },
        bouncer === null ? {} : { DATABASE_DIRECT_URL: through(runtimeUrl) },
      );
      await service.runFor(3);
      service.isAway = true;
      if (fault === 'the server hung') server.signal('SIGSTOP');
      else if (fault === 'the network dropped packets') line.fallSilent();
      else await server.stop('immediate');
      await service.runFor(seconds);
      const { exitCodes, warnings } = await service.stop();
      // The log says why, if the codes are not as expected.
      expect({ exitCodes, stuck: warnings.filter((text) => text.includes('did not stop cleanly')) }).toEqual({
        exitCodes: [0, 0, 0, 0],
        stuck: [],
      });
    } finally {
      await service?.remove();
      await bouncer?.remove();
      await line.close();
      await server.remove();
    }
  });
});
