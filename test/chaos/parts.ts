import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { givenSession } from '../contract/given-session.js';
import { givenReleases } from '../faults/open-release.js';
import { type Host, startGitHub } from '../faults/start-github.js';
import { Load } from './load.js';
import { RequestLedger } from './request-ledger.js';

type Removal = () => Promise<void> | void;

/** Runs work, and then removes what it started, the latest first, also if it fails. */
export async function withParts<T>(work: (remove: (removal: Removal) => void) => Promise<T>): Promise<T> {
  const removals: Removal[] = [];
  try {
    return await work((removal) => removals.push(removal));
  } finally {
    for (const removal of removals.toReversed()) await removal();
  }
}

/** A folder for the temporary files of the service. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shipgate-chaos-'));
  chmodSync(folder, 0o755);
  return folder;
}

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

export async function startHost(port: number, remove: (removal: Removal) => void): Promise<Host> {
  const host = await startGitHub(port);
  remove(async () => {
    await host.outbox.stop();
    await host.github.stop();
  });
  return host;
}

/** Brings one release to an open gate and another one to a failed test, and begins the load. */
export async function startLoad(host: Host, port: number, database: { readonly superuserUrl: string }) {
  const url = `http://127.0.0.1:${port}`;
  const ci = await givenReleases(host, url, database.superuserUrl);
  const ledger = new RequestLedger();
  // The user must be a member on GitHub too, because the service checks the membership repeatedly.
  const user = host.github.createUser({ login: 'exporting-member' });
  host.organization.addMember(user);
  const cookie = await givenSession(database, 'member', user.id);
  return { ci, ledger, begin: () => new Load({ ci, host, url, cookie }, ledger) };
}
