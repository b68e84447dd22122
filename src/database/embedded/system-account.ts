import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A user of the operating system, by its numbers. */
export interface SystemAccount {
  readonly uid: number;
  readonly gid: number;
}

// In this order: a package's own account, the one of Node's container images, the one that every system has.
const UNPRIVILEGED = ['postgres', 'node', 'nobody'];
const NOBODY: SystemAccount = { uid: 65534, gid: 65534 };

/** The account that Postgres has to run as where this process is root, which Postgres refuses; null where it is not. */
export function unprivilegedAccount(): SystemAccount | null {
  if (process.getuid?.() !== 0) return null;
  const accounts = new Map<string, SystemAccount>();
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name !== undefined && uid !== undefined && gid !== undefined) {
      accounts.set(name, { uid: Number(uid), gid: Number(gid) });
    }
  }
  const name = UNPRIVILEGED.find((candidate) => accounts.has(candidate));
  return (name === undefined ? undefined : accounts.get(name)) ?? NOBODY;
}

/** Whether the account may enter a folder by way of all folders above it, judged by their mode bits. */
export function mayEnter({ uid, gid }: SystemAccount, folder: string): boolean {
  const { uid: owner, gid: group, mode } = statSync(folder);
  const execute = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
  const parent = dirname(folder);
  return (mode & execute) !== 0 && (parent === folder || mayEnter({ uid, gid }, parent));
}
