import { setTimeout as sleep } from 'node:timers/promises';
import { environmentOf } from '../faults/start-github.js';
import { PostgresServer } from '../operate/postgres-server.js';
import { freePort } from '../support/free-port.js';
import { HastyReceiver } from './hasty-receiver.js';
import { makeFolder, removeFolder, startHost, startLoad, withParts } from './parts.js';
import { ServiceProcesses } from './service-processes.js';

/**
 * The losses that the ledger finds with a receiver that acknowledges requests before it stores them. Each number must
 * be greater than 0.
 */
export interface ControlReport {
  readonly deliveriesLost: number;
  readonly uploadsLost: number;
  readonly uploadsDoubled: number;
  readonly falseYes: number;
}

const PATIENCE_MS = 10_000;
const KILLS = 25;
const LIFE_MS = 1_500;

/** Puts the load on the control, which is killed repeatedly, to show that the ledger finds losses. */
export function runControl(): Promise<ControlReport> {
  return withParts(async (remove) => {
    const folder = makeFolder();
    remove(() => removeFolder(folder));
    const server = await PostgresServer.start();
    remove(() => server.remove());
    const { runtimeUrl, migrationUrl } = await server.makeDatabase();
    const [port, webPort] = [await freePort(), await freePort()];
    const host = await startHost(port, remove);
    const shared = environmentOf(host, { appUrl: runtimeUrl, ownerUrl: migrationUrl }, port);
    const processes = await ServiceProcesses.start(folder, {
      web: { ...shared, ROLE: 'web', PORT: String(webPort) },
      worker: { ...shared, ROLE: 'worker' },
    });
    remove(() => processes.stop());
    let receiver = await HastyReceiver.start(port, webPort);
    remove(() => receiver.kill());

    const { ledger, begin } = await startLoad(host, port, server);
    const load = begin();
    for (let kills = 0; kills < KILLS; kills += 1) {
      await sleep(Math.random() * LIFE_MS);
      await receiver.kill();
      receiver = await HastyReceiver.start(port, webPort);
    }
    await load.stop();
    await host.outbox.waitUntilIdle();
    const found = await ledger.compare(server.superuserUrl, host.acknowledged(), [], PATIENCE_MS);
    return {
      deliveriesLost: found.deliveriesLost.length,
      uploadsLost: found.uploadsLost.length,
      uploadsDoubled: found.uploadsDoubled.length,
      falseYes: ledger.falseYes.length,
    };
  });
}
